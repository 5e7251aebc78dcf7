"""What acts on the links from outside: given wrenches, elements between frames, contacts.

`sum_external_forces` puts the given wrenches into work.load and lets the rest add to them. Models without elements,
contacts, actuators and loads never reach the rest, nor compile it.
"""

from __future__ import annotations

from typing import Any

from lissom.kernel.compile import address, indirect, inline
from lissom.kernel.data.arrays import Element
from lissom.kernel.forces.actuator_forces import LOST as ACTUATOR_LOST
from lissom.kernel.forces.actuator_forces import STORED as ACTUATOR_STORED
from lissom.kernel.forces.actuator_forces import actuate, has_actuators, sum_over_actuators
from lissom.kernel.forces.contact_forces import LOST as CONTACT_LOST
from lissom.kernel.forces.contact_forces import STORED, contact_force
from lissom.kernel.forces.element_forces import ENERGY, LOST, along_line, bushing
from lissom.kernel.kinematics.forward_kinematics import world_frames
from lissom.kernel.maths.algebra import dot, matrix, rotate_back, store_vector, vector


@inline
def has_elements_or_contacts(model):
    """Return whether there are loads, elements or contacts."""
    return model.elements.kind.shape[0] + model.contacts.shape.shape[0] + model.loads.row.shape[0] > 0


@inline
def sum_external_forces(model, work, q, v, wrench):
    """Set work.load (n, 6) to all external wrenches, after the outward pass; `wrench` (n, 6) are those given."""
    for i in range(wrench.shape[0]):
        for k in range(6):
            work.load[i, k] = wrench[i, k]
    if has_elements_or_contacts(model):
        interact(model, work, 0, q, v)
    if has_actuators(model):
        actuate(model, work, 0, q, v)


@inline
def act_unloaded(model, work, q, v):
    """Add the forces of elements, contacts and actuators to no given wrench, after the outward pass."""
    if has_elements_or_contacts(model) or has_actuators(model):
        for i in range(work.load.shape[0]):
            for k in range(6):
                work.load[i, k] = work.zero
    if has_elements_or_contacts(model):
        interact(model, work, 0, q, v)
    if has_actuators(model):
        actuate(model, work, 0, q, v)


@indirect(4)
def interact(model, work, i, q, v):
    """Turn loads in world axes to those of their rows, and add the forces of elements and contacts.

    The power of loads and of the thrust of cylinders goes to work.power.
    """
    world_frames(model, work)
    power = work.zero
    for k in range(model.loads.row.shape[0]):
        at = model.loads.row[k]
        torque = vector(work.load[at, 0:3])
        force = vector(work.load[at, 3:6])
        if model.loads.in_world[k] == 1:
            R = matrix(work.world_rotation[at])
            torque = rotate_back(R, torque)
            force = rotate_back(R, force)
            store_vector(work.load[at, 0:3], torque)
            store_vector(work.load[at, 3:6], force)
        power += dot(torque, vector(work.omega[at])) + dot(force, vector(work.velocity[at]))
    work.power[0] = power
    for e in range(model.elements.kind.shape[0]):
        if model.elements.kind[e] == Element.BUSHING:
            bushing(model, work, e)
        else:
            along_line(model, work, e)
    for c in range(model.contacts.shape.shape[0]):
        contact_force(model, work, c)


def compile_external_forces(model: Any, work: Any, number: type) -> None:
    """Compile what a packed model with elements, contacts or loads in world axes needs, for its workspace."""
    work.fields.indirect[4] = address(interact, model, work, number)


@inline
def sum_over_elements(model, work, of_element, of_contact):
    """Sum over a column of work.element and one of work.touch, after `sum_external_forces`."""
    total = work.zero
    for e in range(model.elements.kind.shape[0]):
        total += work.element[e, of_element]
    for c in range(model.contacts.shape.shape[0]):
        total += work.touch[c, of_contact]
    return total


@inline
def external_energy(model, work):
    """Return the energy stored in elements, contacts and actuators, after `sum_external_forces`."""
    return sum_over_elements(model, work, ENERGY, STORED) + sum_over_actuators(model, work, ACTUATOR_STORED)


@inline
def external_dissipation(model, work):
    """Return the power lost in elements, contacts and actuators, after `sum_external_forces`."""
    return sum_over_elements(model, work, LOST, CONTACT_LOST) + sum_over_actuators(model, work, ACTUATOR_LOST)
