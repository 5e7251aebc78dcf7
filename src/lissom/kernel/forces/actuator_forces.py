"""Actuators: what they do to joints, frames and their own states.

A port is what an actuator works on: a coordinate, the length of a path over the origins of frames, or the velocity of a
frame along an axis of its own. `actuator_laws` say the effort at the port; here it becomes forces and wrenches.
"""

from __future__ import annotations

from typing import Any

from lissom.kernel.compile import address, indirect, inline
from lissom.kernel.data.arrays import Port
from lissom.kernel.forces.actuator_laws import actuator_law, exponential_decay
from lissom.kernel.forces.element_forces import TINY, add_wrench, velocity_of
from lissom.kernel.kinematics.forward_kinematics import world_frames
from lissom.kernel.maths.algebra import add, dot, scale, subtract, vector
from lissom.kernel.maths.elementary_functions import sqrt, tanh

PLACE, RATE, EFFORT, POWER, STORED, LOST = range(6)  # columns of work.actuator
GRIP_SPEED = 1e-3  # m/s: over which the friction of a rope about a point builds up


@inline
def has_actuators(model):
    """Return whether there are actuators."""
    return model.actuators.kind.shape[0] > 0


@inline
def state_of(model, v, a, k):
    """Return state k of actuator a, zero where it has fewer."""
    first = model.actuators.states[a, 0]
    value = 0.0 * v[0]
    if first + k < model.actuators.states[a, 1]:
        value = v[model.actuators.state_v[first + k]]
    return value


@inline
def segment(work, i, j):
    """Return unit direction, length and rate of length from the origin of frame i to that of frame j, world axes."""
    d = subtract(vector(work.world_position[j]), vector(work.world_position[i]))
    length = sqrt(dot(d, d) + TINY)
    line = scale(1.0 / length, d)
    return line, length, dot(line, subtract(velocity_of(work, j), velocity_of(work, i)))


@inline
def wrap_angle(first, second):
    """Return the angle between two unit vectors, 8 atan of the tangent of its eighth, by the series of that."""
    d, sum_ = subtract(second, first), add(second, first)
    sine, cosine = 0.5 * sqrt(dot(d, d) + TINY), 0.5 * sqrt(dot(sum_, sum_) + TINY)  # of the half
    quarter = sine / (1.0 + cosine)
    eighth = quarter / (1.0 + sqrt(1.0 + quarter * quarter))
    x2 = eighth * eighth
    total = 0.0 * x2
    for k in range(20, -1, -1):
        total = 1.0 / (2.0 * k + 1.0) - x2 * total
    return 8.0 * eighth * total


@inline
def path_place(model, work, a):
    """Return length of the path of actuator a, each segment as often as the rope runs along it, and its rate."""
    acts = model.actuators
    length = work.zero
    rate = work.zero
    for k in range(acts.path[a, 0], acts.path[a, 1] - 1):
        _, each, each_rate = segment(work, acts.row[k], acts.row[k + 1])
        length += acts.falls[k] * each
        rate += acts.falls[k] * each_rate
    return length, rate


@inline
def pull_along_path(model, work, a, effort, rate):
    """Add the forces of an effort that lengthens the path of actuator a; returns the power lost about its points."""
    acts = model.actuators
    none = (work.zero, work.zero, work.zero)
    left = work.zero + 1.0  # of the effort, behind the points so far
    lost = work.zero
    last = none
    for k in range(acts.path[a, 0], acts.path[a, 1] - 1):
        line, _, each_rate = segment(work, acts.row[k], acts.row[k + 1])
        if k > acts.path[a, 0]:
            hold = acts.grip[k] * wrap_angle(last, line)
            # the rope slides towards its first point while the path beyond shortens
            slide = tanh(rate / GRIP_SPEED)
            share = exponential_decay(hold)
            left = left * (0.5 * (1.0 - slide) * share + 0.5 * (1.0 + slide) / share)
        force = effort * left * acts.falls[k]
        lost += effort * (1.0 - left) * acts.falls[k] * each_rate
        add_wrench(work, acts.row[k], none, scale(-force, line))
        add_wrench(work, acts.row[k + 1], none, scale(force, line))
        last = line
    return lost


@indirect(5)
def actuate(model, work, i, q, v):
    """Add efforts of all actuators to work.force and work.load, rates of their states to work.force."""
    acts = model.actuators
    if acts.row.shape[0] > 0:
        world_frames(model, work)
    for a in range(acts.kind.shape[0]):
        at = acts.port_v[a]
        place = acts.ratio[a] * q[acts.port_q[a]]
        rate = acts.ratio[a] * v[at]
        row = 0
        if acts.port[a] == Port.PATH:
            place, rate = path_place(model, work, a)
        elif acts.port[a] == Port.AXIS:
            row = acts.row[acts.path[a, 0]]
            place = work.zero
            rate = dot(vector(acts.axis[a]), vector(work.velocity[row])) + work.zero
        z0, z1, z2 = state_of(model, v, a, 0), state_of(model, v, a, 1), state_of(model, v, a, 2)
        effort, f0, f1, f2, power, stored, lost = actuator_law(acts.kind[a], acts.numbers[a], place, rate, z0, z1, z2)
        if acts.port[a] == Port.JOINT:
            work.force[at] += acts.ratio[a] * effort
        elif acts.port[a] == Port.PATH:
            lost += pull_along_path(model, work, a, effort, rate)
        else:
            for k in range(3):
                work.load[row, 3 + k] += acts.axis[a, k] * effort
        first = acts.states[a, 0]
        count = acts.states[a, 1] - first
        if count > 0:
            work.force[acts.state_v[first]] += f0
        if count > 1:
            work.force[acts.state_v[first + 1]] += f1
        if count > 2:
            work.force[acts.state_v[first + 2]] += f2
        work.actuator[a, PLACE] = place
        work.actuator[a, RATE] = rate
        work.actuator[a, EFFORT] = effort
        work.actuator[a, POWER] = power
        work.actuator[a, STORED] = stored
        work.actuator[a, LOST] = lost


def compile_actuators(model: Any, work: Any, number: type) -> None:
    """Compile what a packed model with actuators needs, for its workspace."""
    work.fields.indirect[5] = address(actuate, model, work, number)


@inline
def sum_over_actuators(model, work, column):
    """Sum over a column of work.actuator, after `actuate`."""
    total = work.zero
    for a in range(model.actuators.kind.shape[0]):
        total += work.actuator[a, column]
    return total
