"""What the library of machine code holds: what the usual work needs, found by doing it.

It is done on a small arm, whose kernels run as Python in no time: machine code does not depend on the robot. Whoever
adds a function that calls kernels adds a line that calls it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import lissom
from lissom import control
from lissom.kernel.machine.trace import Trace, tracing
from lissom.model.files import parse
from lissom.simulation.methods import METHODS, SUNDIALS
from lissom.simulation.settings import FIXED_STEP

ARM = """
lissom: 1
name: small
materials:
  steel: {E: 2.1e11, nu: 0.3, rho: 7850}
links:
  - name: arm
    joint: {name: hinge, type: revolute, axis: [0, 0, 1], damping: 0.1}
    beam:
      {length: 1, material: steel, section: {shape: circle, diameter: 0.02}, shear: none, modes: {y: 1},
       stiffening: STIFFENING}
"""
MOMENT = 1e-3  # s that runs last


def usual_work(rarer: bool = False) -> Trace:
    """What the functions of dynamics, analysis and control and all integrators need; `rarer`: loops, sensitivities."""
    with tracing() as found:
        bending, exact = (parse(ARM.replace("STIFFENING", how), "small") for how in ("first", "exact"))
        for method in METHODS:
            if method not in SUNDIALS:
                _run(bending, method=method, step=MOMENT if method in FIXED_STEP else None).summary()
        _run(exact, method="radau").summary()
        _controlled(bending)
        for robot in (bending, exact):
            _dynamics(robot.compile())
            _analysis(robot)
        if rarer:
            lissom.sensitivity(bending, "links.arm.beam.length", MOMENT, method="radau")
            for method in ("radau", "dop853"):
                lissom.simulate("slider-crank", MOMENT / 10, method=method, progress=False)
    return found


def _run(robot: Any, **options: Any) -> Any:
    return lissom.simulate(robot, MOMENT, progress=False, **options)


def _controlled(robot: Any) -> None:
    """Control laws and motions that are given."""
    still = control.Reference.constant(0.1)
    for law in (control.pd, control.computed_torque):
        _run(robot, controller=law(robot, {"hinge": {"p": 1.0, "d": 0.1}}, still))
    _run(robot, controller=lambda t, q, v: np.zeros(1))
    _run(robot, motion={"hinge": still})
    _run(robot, loads=[{"link": "arm", "force": [0.0, 1.0, 0.0]}])


def _dynamics(model: Any) -> None:
    q, v = model.neutral(), np.zeros(model.nv)
    for number in (float, complex):
        lissom.forward_dynamics(model, q.astype(number), v, v)
        lissom.inverse_dynamics(model, q.astype(number), v, v)
        lissom.mass_matrix(model, q.astype(number))
    lissom.bias(model, q, v)
    lissom.joint_wrenches(model, q, v, v)
    lissom.energy(model, q, v)
    lissom.tip_pose(model, q, "arm")
    lissom.point_pose(model, q, "arm", 0.5)
    lissom.point_velocity(model, q, v, "arm", 0.5)
    lissom.jacobian(model, q, "arm")
    lissom.derivatives(model, q, v, v)


def _analysis(robot: Any) -> None:
    lissom.natural_modes(robot)
    lissom.static_equilibrium(robot)
    lissom.linearise(robot)
