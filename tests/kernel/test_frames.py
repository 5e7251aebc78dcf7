"""Frames fixed on links: their motion, and what a wrench on them does to joints and modes."""

from __future__ import annotations

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.kernel.algorithms import articulated_body, newton_euler
from lissom.model.description.frame import Frame


def frames_of(robot):
    """One frame on every link, on beams somewhere along them, each shifted and turned; one on the world."""
    rng = np.random.default_rng(2)
    for link in robot.links:
        at = {"at": 0.4 * link.beam.length} if link.beam is not None else {}
        yield Frame(
            link=link.name, origin={"xyz": rng.normal(size=3).tolist(), "rpy": rng.normal(size=3).tolist()}, **at
        )
    yield Frame(link="world")


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
@pytest.mark.parametrize("number", [float, complex])
def test_a_wrench_on_a_frame_acts_as_its_jacobian_says(stiffening, number):
    rng = np.random.default_rng(5)
    robot = random_robot(rng, 5, flexible=0.7, stiffening=stiffening)
    frames = tuple(frames_of(robot))
    model, plain = robot.compile(frames=frames), robot.compile()
    q, v = (x.astype(number) for x in random_state(robot, rng))
    tau = rng.normal(size=plain.nv).astype(number)
    wrench = np.zeros((model.rows, 6), number)
    force = np.zeros(plain.nv)
    for k, frame in enumerate(frames[:-1]):
        wrench[model.frame_row(k)] = W = rng.normal(size=6)
        shift = np.array(frame.origin.xyz)
        turned = np.concatenate([frame.origin.rotation() @ W[:3], frame.origin.rotation() @ W[3:]])
        force += lissom.dynamics.point_force(plain, q.real, turned, frame.link, frame.at, shift, frame="local")
    wrench[-1] = 1.0  # on the world: no matter
    a, there = np.zeros((2, plain.nv), number)
    articulated_body.forward_dynamics(model.struct, model.workspace(number), q, v, tau, wrench, a)
    expected = lissom.forward_dynamics(plain, q, v, tau + force)
    np.testing.assert_allclose(a, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())
    newton_euler.inverse_dynamics(model.struct, model.workspace(number), q, v, a, wrench, there)
    np.testing.assert_allclose(there, tau, rtol=1e-9, atol=1e-9 * abs(expected).max())
    np.testing.assert_allclose(lissom.mass_matrix(model, q), lissom.mass_matrix(plain, q), rtol=1e-12, atol=1e-12)
    wrenches = lissom.joint_wrenches(plain, q, v, a)
    np.testing.assert_allclose(lissom.joint_wrenches(model, q, v, a), wrenches, rtol=1e-9, atol=1e-9)


def test_frames_move_with_their_sections():
    rng = np.random.default_rng(1)
    robot = random_robot(rng, 4, flexible=1.0)
    frames = tuple(frames_of(robot))
    model, plain = robot.compile(frames=frames), robot.compile()
    q, v = random_state(robot, rng)
    lissom.forward_dynamics(model, q, v, np.zeros(plain.nv))
    work = model.scratch()
    for k, frame in enumerate(frames[:-1]):
        twist = lissom.dynamics.point_velocity(plain, q, v, frame.link, frame.at, frame.origin.xyz, frame="local")
        row, R = model.frame_row(k), frame.origin.rotation()
        np.testing.assert_allclose(R @ work.omega[row], twist[:3], atol=1e-12)
        np.testing.assert_allclose(R @ work.velocity[row], twist[3:], atol=1e-11)
