"""The loop of a robot and its controller as a linear model: margins, stability along a motion, budgets of noise."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.control.design.design_model import deviations, linear_about, sampled_model
from lissom.control.design.kalman_filter import Way, sampled_plant
from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.digital_law import DigitalLaw, StateLook, as_digital
from lissom.control.laws.sampled_control import Sampled
from lissom.control.references.reference import Reference
from lissom.dynamics.coordinates import Named, along_coordinates, configuration
from lissom.dynamics.sensing import Sensing
from lissom.errors import LissomError
from lissom.messages import suggestion
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

CHECKED = 7  # poses along a motion at which its loop is looked at
MOVED = 0.01  # rad or m that a pose must be from the one before to be looked at
RINGING = 1 + 1e-6  # size of a pole of a sampled loop that grows, rounding apart


class LawRangeWarning(UserWarning):
    """A law is asked to work where it is not stable."""


def open_loop(
    robot: AnyRobot, controller: Any, q: ArrayLike | Named | None = None, motor: str | None = None
) -> LinearModel:
    """Return the loop of a robot and its controller, cut at one motor, about the rest at a pose.

    The other motors stay under control. Input and output are the torque of that motor; the loop is closed by u = -y, so
    that `margins()` are those of the motor's torque. A sampled controller gives a model in discrete time.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    controller : ControlLaw or Sampled
        A law of `pd`, `pid`, `lqr`, `lqg`, `computed_torque`, ..., continuous or sampled.
    q : array_like or mapping, optional
        The pose, as in `linearise`.
    motor : str, optional
        A controlled coordinate; the first unless given.

    Returns
    -------
    LinearModel
        The open loop, with one input and one output.

    Examples
    --------
    >>> import lissom
    >>> law = lissom.control.pd("ella", {"elbow": {"p": 600.0, "d": 40.0}}, 0.0)
    >>> bool(lissom.control.open_loop("ella", law).margins().phase > 30)
    True
    """
    model = as_model(robot)
    rest = static_equilibrium(model, configuration(model, q))
    loop = loop_transfer(model, controller, rest)
    if motor is None:
        motor = loop.inputs[0]
    known = {name.removesuffix(".rotor"): k for k, name in enumerate(loop.inputs)}
    k = known.get(motor.removesuffix(".rotor"))
    if k is None:
        raise LissomError(f"is not controlled; {suggestion(motor, list(known))}", ("motor",), motor)
    others = [j for j in range(len(loop.inputs)) if j != k]
    return _close(loop, others).select([loop.outputs[k]], [loop.inputs[k]])


def loop_transfer(model: Model, controller: Any, rest: Equilibrium) -> LinearModel:
    """Return the transfer from torques to minus the torques that the controller answers with, all motors at once."""
    if isinstance(controller, ControlLaw):
        return _continuous_loop(model, controller, rest)
    if isinstance(controller, Sampled):
        if isinstance(controller.function, ControlLaw):
            return _held(_continuous_loop(model, controller.function, rest), controller)
        law = as_digital(controller.function)
        if law is not None:
            plant = _sampled_plant(model, law, rest, controller)
            return _negative(law.feedback(controller.rate, rest.q).after(plant), plant)
    text = "has no linear model; take a law of lissom.control, one of them at a time"
    raise LissomError(text, ("controller",), controller)


def _continuous_loop(model: Model, law: ControlLaw, rest: Equilibrium) -> LinearModel:
    """Return the loop of a continuous law on a reference that rests where the arm does."""
    held = law.following(Reference.constant(rest.q[law.measured_q]))
    force = np.unique(law.force)
    plant = linear_about(model, rest, None, [model.coordinates[k] for k in force])
    q, v = rest.q, np.zeros(model.nv)
    by_q = along_coordinates(model, q, lambda z: held(0.0, z, v)[force])
    by_v = np.stack([np.imag(held(0.0, q, v + 1e-30j * row)[force]) / 1e-30 for row in np.eye(model.nv)], axis=-1)
    names = {name: k for k, name in enumerate((*model.coordinates, *(f"{n}.rate" for n in model.coordinates)))}
    gain = -np.concatenate([by_q, by_v], axis=1)[:, [names[name] for name in plant.states]]
    outputs = tuple(plant.inputs)
    return replace(plant, C=gain @ plant.C, D=np.zeros((len(force), len(force))), outputs=outputs)


def _held(loop: LinearModel, controller: Sampled) -> LinearModel:
    """Return a continuous loop whose law is sampled and late."""
    held = sampled_model(loop, controller.rate, controller.delay)
    more = len(held.A) - len(loop.A)
    C = np.concatenate([loop.C, np.zeros((len(loop.C), more))], axis=1)
    states = (*loop.states, *(f"late {k}" for k in range(more)))
    return replace(loop, A=held.A, B=held.B, C=C, states=states, dt=1.0 / controller.rate)


def _sampled_plant(model: Model, law: DigitalLaw, rest: Equilibrium, controller: Sampled, extra: Sequence[Any] = ()
) -> LinearModel:  # fmt: skip
    """Return the plant from torques, then `extra` inputs, to what the law measures, sampled."""
    inputs = [*(model.coordinates[k] for k in law.force), *extra]
    ways: list[Way] = []
    if law.eyes:
        seen = linear_about(model, rest, list(law.eyes), inputs)
        ways = [one_way(eye, controller.rate) for eye in Sensing(model, law.eyes).mounted for _ in eye.labels]
        late = round(controller.delay * controller.rate)
        ways = [way._replace(late=way.late + late) for way in ways]
    elif isinstance(law.look, StateLook):
        seen = linear_about(model, rest, list(law.measured), inputs)
    else:
        seen = linear_about(model, rest, None, inputs)
        index = [model.coordinates.index(name) for name in seen.states[: len(seen.states) // 2]]
        rows = law.look.jacobian[:, index]
        full = np.concatenate([rows, np.zeros_like(rows)], axis=1)
        seen = replace(seen, C=full, D=np.zeros((len(rows), len(inputs))), outputs=law.measured)
    if law.eyes:
        plant = sampled_plant(seen, controller.rate, ways)
        A, B, C = plant.A, plant.B, plant.C
    else:
        A, B = sampled_model(seen, controller.rate, controller.delay)
        C = np.concatenate([seen.C, np.zeros((len(seen.C), len(A) - len(seen.A)))], axis=1)
    return replace(
        seen, A=A, B=B, C=C, D=np.zeros((len(C), B.shape[1])), states=tuple(f"x{k}" for k in range(len(A))),
        dt=1.0 / controller.rate,
    )  # fmt: skip


def one_way(eye: Any, rate: float) -> Way:
    """Return low-pass and delay in samples of a sensor; a slow sensor tells what is half a period old on average."""
    sensor = eye.sensor
    waiting = 0.0 if sensor.rate is None else max(0.0, (1 / sensor.rate - 1 / rate) / 2)
    return Way(sensor.low_pass, round((sensor.delay + waiting) * rate))


def _negative(loop: LinearModel, plant: LinearModel) -> LinearModel:
    return replace(loop, C=-loop.C, D=-loop.D, inputs=plant.inputs, outputs=plant.inputs)


def _close(loop: LinearModel, closed: Sequence[int]) -> LinearModel:
    """Return the loop with some of its ways closed by u = -y."""
    if not closed:
        return loop
    B, C, D = loop.B[:, closed], loop.C[closed], loop.D[closed]
    inside = np.linalg.inv(np.eye(len(closed)) + D[:, closed])
    back = inside @ C, inside @ D
    open_ways = loop.D[:, closed]
    return replace(
        loop, A=loop.A - B @ back[0], B=loop.B - B @ back[1], C=loop.C - open_ways @ back[0],
        D=loop.D - open_ways @ back[1],
    )  # fmt: skip


def check_range(model: Model, controller: Sampled, reference: Reference, name: str, remedy: str) -> None:
    """Warn where a law is not stable at poses along its reference."""
    law = as_digital(controller.function)
    if law is None:
        return
    before: np.ndarray | None = None
    for t in np.linspace(reference.breaks[0], reference.end, CHECKED):
        r = reference(t)[0]
        if before is not None and np.abs(r - before).max() < MOVED:
            continue
        before = r
        q = law.designed_at.copy()
        for k, index in enumerate(law.positions):
            q[list(index)] = r[k]
        try:
            rest = static_equilibrium(model, q)
            size = float(np.abs(np.linalg.eigvals(loop_transfer(model, controller, rest).feedback().A)).max())
        except LissomError:  # no rest there, or no model: nothing is known
            continue
        if size > RINGING:
            designed = np.abs(law.poses - r).max(axis=1).min() < MOVED or law.name.startswith("PID")
            own = "lower its gains (bandwidth, torque), or raise the rate" if designed else remedy
            where = ", ".join(f"{n} = {x:.4g}" for n, x in zip(law.names, r, strict=True))
            warnings.warn(
                f"{name}: the loop is not stable at {where}, where the reference is at t = {t:.3g} s (a pole grows by "
                f"{size:.4g} from sample to sample); {own}",
                LawRangeWarning,
                stacklevel=3,
            )
            return


@dataclass(frozen=True, eq=False)
class NoiseBudget(Printed):
    """How much of the unrest of outputs comes from which source, as standard deviations."""

    outputs: tuple[str, ...]
    sources: tuple[str, ...]
    deviations: np.ndarray  # (outputs, sources)

    @property
    def total(self) -> np.ndarray:
        """Standard deviation of every output from all sources together (outputs,)."""
        return np.sqrt((self.deviations**2).sum(axis=1))

    def table(self) -> Table:
        """Return a table of outputs by sources."""
        table = printing.table("output", *self.sources, "total", title="noise budget, standard deviations")
        for name, row, total in zip(self.outputs, self.deviations, self.total, strict=True):
            table.add_row(name, *(f"{x:.3g}" for x in row), f"{total:.3g}")
        return table


def noise_budget(
    robot: AnyRobot,
    controller: Sampled,
    q: ArrayLike | Named | None = None,
    *,
    outputs: Iterable[str],
    disturbances: Mapping[str, float] | None = None,
) -> NoiseBudget:
    """Return what noise of sensors and disturbances do to outputs of a controlled robot at rest.

    Noise of the sensors that the controller reads is taken from them: their noise, and step / sqrt(12) of their
    resolution. Disturbances are forces with a new random value at every sample. Small motions; values at the samples.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    controller : Sampled
        Of `pid`, `lqr` or `lqg`, or a sampled law.
    q : array_like or mapping, optional
        The pose, as in `linearise`.
    outputs : sequence of str
        Signals, as in `linearise`: "elbow", "forearm.tip", "upper.deflection.z".
    disturbances : mapping, optional
        {input: standard deviation}, inputs as in `linearise`: "elbow" in N m, "forearm.tip.y" in N.

    Returns
    -------
    NoiseBudget
        Standard deviations of outputs by sources.
    """
    from scipy.linalg import solve_discrete_lyapunov

    model = as_model(robot)
    law = as_digital(controller.function) if isinstance(controller, Sampled) else None
    if law is None:
        raise LissomError("must be a controller of pid, lqr or lqg", ("controller",), controller)
    rest = static_equilibrium(model, configuration(model, q))
    pushes = dict(disturbances or {})
    for name, value in pushes.items():
        if not (isinstance(value, int | float) and np.isfinite(value) and value >= 0):
            raise LissomError("must be a standard deviation, at least 0", ("disturbances", name), value)
    plant = _sampled_plant(model, law, rest, controller, list(pushes))
    na = len(law.force)
    wanted = linear_about(model, rest, list(outputs), [*(model.coordinates[k] for k in law.force), *pushes])
    noise = law.noise
    feedback = law.feedback(controller.rate, rest.q)
    n, c = len(plant.A), len(feedback.A)
    own = plant.B[:, :na]
    A = np.block([[plant.A + own @ feedback.D @ plant.C, own @ feedback.C], [feedback.B @ plant.C, feedback.A]])
    if np.abs(np.linalg.eigvals(A)).max() >= 1:
        raise LissomError("the loop is not stable at this pose, so that unrest grows without end", ("controller",))
    C = np.zeros((len(wanted.C), n + c))
    C[:, : wanted.C.shape[1]] = wanted.C  # the first states of the sampled plant are those of the linear model
    columns = {}
    for k, (name, size) in enumerate(pushes.items()):
        columns[name] = [np.concatenate([size * plant.B[:, na + k], np.zeros(c)])]
    labels = [name.rsplit(".", 1)[0] if law.eyes else name for name in plant.outputs]
    for k, size in enumerate(noise):
        if size > 0:
            columns.setdefault(f"noise of {labels[k]}", []).append(
                size * np.concatenate([own @ feedback.D[:, k], feedback.B[:, k]])
            )
    found = np.zeros((len(C), len(columns)))
    for k, given in enumerate(columns.values()):
        W = sum(np.outer(column, column) for column in given)
        found[:, k] = np.sqrt(np.maximum(np.diag(C @ solve_discrete_lyapunov(A, W) @ C.T), 0.0))
    return NoiseBudget(wanted.outputs, tuple(columns), found)


def noise_of(model: Model, eyes: Sequence[Any]) -> np.ndarray:
    """Return the standard deviations of readings; zero of ideal sensors."""
    sensing = Sensing(model, eyes)
    ideal = [one.sensor.noise in (0, 0.0) and one.resolution is None for one in sensing.mounted]
    if not any(ideal):
        return deviations(sensing)
    parts = [
        np.zeros(len(one.labels)) if none else deviations(Sensing(model, [one.sensor]))
        for one, none in zip(sensing.mounted, ideal, strict=True)
    ]
    return np.concatenate([np.zeros(0), *parts])
