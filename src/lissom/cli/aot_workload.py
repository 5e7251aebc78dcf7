"""What the library of machine code holds: what the usual work needs, found by doing it.

It is done on a small arm, whose kernels run as Python in no time: machine code does not depend on the robot. Whoever
adds a function that calls kernels adds a line that calls it.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import numpy as np

import lissom
from lissom import control, dynamics, theory
from lissom.kernel.compile.trace import Trace, tracing
from lissom.model.io.robot_files import parse
from lissom.simulation.batch.rerun import Rerun
from lissom.simulation.batch.vector_batch import VectorBatch
from lissom.simulation.integrators import registry
from lissom.simulation.integrators.method_choice import STIFF
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import simulate_raw
from lissom.theory import screw_pde
from lissom.theory.dual_screws.formulation import FORMS, DualScrew
from lissom.theory.formulation import Offer
from lissom.theory.on_accelerations import on_accelerations

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
TOUCHING = """
elements: [{name: stay, type: spring, between: [{link: world}, {link: arm}], stiffness: 10, length: 1}]
contacts:
  - {name: floor, sphere: {link: arm, radius: 0.01}, surface: {link: world, shape: plane}, stiffness: 1e4}
"""
RIGID = """
lissom: 1
name: rigid
links:
  - {name: arm, joint: {type: revolute, axis: [0, 0, 1]}, body: {mass: 1, com: [0.1, 0, 0], tip: [0.2, 0, 0]}}
"""
CLOSED = """
lissom: 1
name: closed
links:
  - {name: crank, joint: {type: revolute, axis: [0, 0, 1]}, body: {mass: 1, com: [0.05, 0, 0], tip: [0.1, 0, 0]}}
  - name: rod
    origin: {xyz: [0.1, 0, 0]}
    joint: {name: pin, type: revolute, axis: [0, 0, 1]}
    body: {mass: 1, com: [0.2, 0, 0], tip: [0.4, 0, 0]}
  - {name: slider, parent: world, joint: {type: prismatic, axis: [1, 0, 0]}, body: {mass: 1}}
loops:
  - {name: wrist, joint: {type: revolute, axis: [0, 0, 1]}, between: [{link: slider}, {link: rod}]}
"""
LENGTH = "links.arm.beam.length"
MOMENT = 1e-3  # s that runs last
EXPLICIT = [one for one in registry.integrators() if one.compiled and not one.implicit]
IMPLICIT = registry.names(lambda one: one.implicit)


def usual_work() -> Trace:
    """Trace the kernels of dynamics, analysis and control, and of all integrators that runs choose by themselves."""
    with tracing() as found:
        bending, exact = _small("first"), _small("exact")
        for explicit in EXPLICIT:
            _run(bending, method=explicit.name, step=MOMENT if explicit.fixed_only else None).summary()
        for method in (registry.AUTO, STIFF):
            _run(bending, method=method).summary()
        _run(exact, method=STIFF).summary()
        _run_control_laws(bending)
        for robot in (bending, exact):
            _dynamics(robot.compile())
            _analysis(robot)
    return found


def all_work() -> Trace:
    """Trace rarer kernels: elements, contact, loops, sensitivities, lanes, other methods, published formulations."""
    found = usual_work()
    with tracing() as rarer:
        bending, exact, touching = _small("first"), _small("exact"), _small("first", TOUCHING)
        _run(touching)
        for method in set(IMPLICIT) - {STIFF}:
            _run(bending, method=method).summary()
        RunMemory(bending, RunSettings(duration=MOMENT)).poles()
        _dynamics(touching.compile())
        _closed_arm()
        for robot in (bending, exact, touching):
            _run_sensitivities(robot)
        for method in IMPLICIT:
            np.asarray(lissom.sensitivity(bending, LENGTH, MOMENT, method=method).output)
        _in_lanes(bending.compile())
        if find_spec("sksundae") is not None:
            _run(bending, method=registry.names(lambda one: one.package is registry.SUNDIALS)[0])
        _formulations(bending, touching)
    found.needs |= {need: returns for need, returns in rarer.needs.items() if need not in found.needs}
    found.entries |= rarer.entries
    return found


def _small(stiffening: str, more: str = "") -> Any:
    return parse(ARM.replace("STIFFENING", stiffening) + more, "small")


def _run(robot: Any, **options: Any) -> Any:
    return lissom.simulate(robot, MOMENT, progress=False, **options)


def _run_control_laws(robot: Any) -> None:
    """Run control laws and motions that are given."""
    still = control.Reference.constant(0.1)
    q = robot.compile().neutral()
    for make in (control.pd, control.computed_torque):
        law = make(robot, {"hinge": {"p": 1.0, "d": 0.1}}, still)
        _run(robot, controller=law)
        for number in (float, complex):
            law(0.0, q.astype(number), np.zeros(2))
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
    dynamics.inverse_derivatives(model, q, v, v)


def _analysis(robot: Any) -> None:
    lissom.natural_modes(robot)
    lissom.static_equilibrium(robot)
    lissom.linearise(robot)


def _in_lanes(model: Any) -> None:
    """Compute many states and many runs at once."""
    lissom.forward_dynamics_batch(model, [model.neutral()], np.zeros((1, model.nv)))
    series = Rerun(model, RunSettings(duration=MOMENT, method=STIFF, audit=False))
    VectorBatch(series, series.begin()).compile()


def _closed_arm() -> None:
    """Return an arm whose loops are closed."""
    model = parse(CLOSED, "closed").compile()
    q, v = dynamics.close_loops(model), np.zeros(model.nv)
    for number in (float, complex):
        lissom.forward_dynamics(model, q.astype(number), v, v)
    lissom.derivatives(model, q, v, v)
    dynamics.parameter_derivatives(model, ["links.rod.body.mass"], q, v, v)
    for method in ("dop853", *IMPLICIT):
        lissom.simulate(model, MOMENT / 10, method=method, progress=False)
    lissom.linearise(model)


def _run_sensitivities(robot: Any) -> None:
    """Derive by a parameter: numbers of the model are complex then."""
    model = robot.compile()
    q, v = model.neutral(), np.zeros(model.nv)
    states: dict[Any, tuple[np.ndarray, ...]] = {
        lissom.forward_dynamics: (q, v, v),
        lissom.inverse_dynamics: (q, v, v),
        lissom.mass_matrix: (q,),
        lissom.energy: (q, v),
    }
    for function, state in states.items():
        dynamics.parameter_derivatives(robot, [LENGTH], *state, function=function)
    lissom.energy(model, q.astype(complex), v)
    lissom.jacobian(model, q.astype(complex), "arm")


def _formulations(robot: Any, touching: Any) -> None:
    """Run formulations by their own dynamics, joined and loaded too, and ask what they tell of a state."""
    closed = parse(CLOSED, "closed").compile()
    start, push = lissom.close_loops(closed), [{"link": "arm", "force": [1.0, 0.0, 0.0]}]
    for name in theory.names():
        for arm in (robot, touching, parse(RIGID, "rigid")):
            with suppress(theory.Unsupported):
                _formulation(theory.build(name, arm))
                theory.simulate(theory.build(name, arm), MOMENT / 10, loads=push)
        theory.simulate(theory.build(name, closed), MOMENT / 10, start=start).wrench("pin")
    for form in FORMS:
        _formulation(DualScrew(robot.compile(), form))
    screw_pde.integrate(screw_pde.ScrewPDE(robot), MOMENT, method="projected", step=MOMENT, rate=1 / MOMENT)
    linear = DualScrew(robot.compile(), "linear")
    simulate_raw(linear.model, MOMENT / 10, method=STIFF, dynamics=on_accelerations(linear.model, linear.dynamics))


def _formulation(of: Any) -> None:
    if of.dynamics is not None:
        theory.simulate(of, MOMENT / 10)
    q, still = of.model.neutral(), np.zeros(of.model.nv)
    of.wrenches(q, still, of.accelerations(q, still, still))
    of.tip(q)
    if Offer.ENERGY in of.offers:
        of.energy(q, still)
    if Offer.LINEAR_MODEL in of.offers:
        of.linearise(q, still, still)
