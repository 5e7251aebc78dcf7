"""Sensitivity of a motion to parameters: exact derivatives of a run, along its own steps.

Every step of the run is derived by every parameter as it is taken (`step_derivatives`): the linear system of its
stages is solved with the factors that Newton's iteration has left. What results is the derivative of the numbers that
`simulate` returns, for the steps it has taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.control.laws.control_law import ControlLaw
from lissom.control.references.reference import Reference
from lissom.dynamics import tip_pose
from lissom.errors import LissomError
from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.algorithms.complex_tangent import lay_tangent
from lissom.kernel.compile.events import listening
from lissom.messages import did_you_mean, listed
from lissom.model.any_robot import AnyRobot
from lissom.model.model import Model
from lissom.printing import Printed
from lissom.progress import Progress
from lissom.results.trajectory import Trajectory, from_run
from lissom.simulation.run_simulation import COMPILING, DOING
from lissom.simulation.sensitivity.motion_parameters import Parameter
from lissom.simulation.sensitivity.sensitivity_loop import VariationLoop
from lissom.simulation.sensitivity.tip_poses import tip_poses
from lissom.simulation.settings import RunOptions, RunSettings, takes_settings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.status.run_warnings import warn_about_run

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.simulation.inputs.run_arguments import Start

Output: TypeAlias = Callable[[Model, np.ndarray, np.ndarray], ArrayLike] | str

HISTORIES = {"": "q", ".rate": "v", ".acceleration": "a", ".torque": "tau"}  # of a coordinate, by what follows its name
ROTOR = ".rotor"  # where the motor of an elastic joint acts


@dataclass(frozen=True)
class Tip:
    """The position (3,) of a link's tip in the world, as an output; of the last link unless one is named."""

    link: str | None = None

    def __call__(self, model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the position (3,) at the state (q, v), which may be complex."""
        return tip_pose(model, q, self.link)[:3, 3]


LAST_TIP = Tip()


@dataclass(frozen=True, eq=False)
class Sensitivity(Printed):
    """Derivatives along a motion of N samples, one row per parameter."""

    parameters: tuple[str, ...]
    values: np.ndarray  # (parameters,) where they were taken
    run: Trajectory  # the motion itself
    q: np.ndarray  # (parameters, N, nv) of the configuration, along velocity coordinates
    v: np.ndarray  # (parameters, N, nv) of the velocity
    a: np.ndarray  # (parameters, N, nv) of the acceleration
    tau: np.ndarray  # (parameters, N, nv) of the forces of controllers and of prescribed motions
    chosen: Output = field(repr=False)
    sources: tuple[Parameter, ...] = field(repr=False)

    @property
    def time(self) -> np.ndarray:
        """(N,) s."""
        return self.run.time

    @cached_property
    def output(self) -> np.ndarray:
        """(parameters, N, ...) of the output that was asked for."""
        return self.of(self.chosen)

    def of(self, output: Output) -> np.ndarray:
        """Return the derivatives (parameters, N, ...) of any output of the motion.

        Parameters
        ----------
        output : str, Tip or callable
            A coordinate ("elbow"), its "elbow.rate", "elbow.acceleration" or "elbow.torque"; a link, for the
            position of its tip; or a function of (model, q, v) that returns numbers, also for complex arguments.
        """
        measure = self.resolve(output) if isinstance(output, str) else output
        if isinstance(measure, np.ndarray):
            return measure
        if isinstance(measure, Tip):
            return np.array([self._tips(k, measure.link or self.run.model.links[-1]) for k in range(len(self.sources))])
        return np.array([self._function(k, measure) for k in range(len(self.sources))])

    def jacobian(self, *outputs: Output) -> np.ndarray:
        """Return derivatives (rows, parameters) of all numbers of the outputs, one output after the other.

        What least squares need, beside the motion's own numbers in the same order.
        """
        chosen = outputs or (self.chosen,)
        return np.concatenate([self.of(each).reshape(len(self.parameters), -1) for each in chosen], axis=1).T

    def relative(self, output: Output | None = None) -> np.ndarray:
        """Change of an output for a change of each parameter by its own size, (parameters, N, ...)."""
        found = self.output if output is None else self.of(output)
        return found * self.values.reshape(-1, *([1] * (found.ndim - 1)))

    def main_numbers(self) -> dict[str, tuple[float, str]]:
        """Return the largest and the last derivative of the output by every parameter, for `lissom.trust`."""
        found: dict[str, tuple[float, str]] = {}
        for name, values in zip(self.parameters, self.output):
            sizes = np.linalg.norm(values.reshape(len(self.time), -1), axis=1)
            found[f"peak by {name}"] = float(sizes.max()), ""
            found[f"last by {name}"] = float(sizes[-1]), ""
        return found

    def table(self) -> Table:
        """Return the largest change of the output for a change of each parameter by its own size."""
        table = printing.table("parameter", "value", "largest derivative", "for a change by 100 %", title="sensitivity")
        for k, (name, value) in enumerate(zip(self.parameters, self.values)):
            largest = float(np.abs(self.output[k]).max(initial=0.0))
            table.add_row(name, f"{value:.5g}", f"{largest:.4g}", f"{largest * abs(value):.4g}")
        return table

    def resolve(self, name: str) -> np.ndarray | Tip:
        """Return what the name of an output stands for: derivatives of a coordinate, or the tip of a link."""
        model = self.run.model
        for ending, history in HISTORIES.items():
            coordinate = name.removesuffix(ending)
            if name.endswith(ending) and coordinate in model.coordinates:
                if history == "tau" and coordinate + ROTOR in model.coordinates:
                    coordinate += ROTOR
                return np.asarray(getattr(self, history))[..., model.coordinates.index(coordinate)]
        if name in model.links:
            return Tip(name)
        known = (*model.coordinates, *model.links)
        raise LissomError(
            f"is neither a coordinate nor a link{did_you_mean(name, known)}; there are {listed(known, 'and')}, and "
            ".rate, .acceleration or .torque of a coordinate",
            ("output",),
            name,
        )

    def _tips(self, k: int, link: str) -> np.ndarray:
        return tip_poses(self.sources[k].model, link, self._q, self.q[k]).world.imag / STEP

    def _function(self, k: int, measure: Callable[..., Any]) -> list[np.ndarray]:
        model = self.sources[k].model
        q, u = np.zeros(self._q.shape, complex), np.zeros(model.nv, complex)
        for at, s, out in zip(self._q, self.q[k], q):
            lay_tangent(model.struct, at, s, u, out)
        v = self.run.v + 1j * STEP * self.v[k]
        return [np.imag(measure(model, *state)) / STEP for state in zip(q, v)]

    @cached_property
    def _q(self) -> np.ndarray:
        return np.array(self.run.q, float)


@takes_settings
def sensitivity(
    robot: AnyRobot,
    parameters: Sequence[str] | str,
    duration: float | RunSettings,
    *,
    controller: ControlLaw | None = None,
    start: Start | None = None,
    motion: Mapping[str, Reference] | None = None,
    output: Output = LAST_TIP,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Sensitivity:
    """Derive a motion exactly by parameters: of the robot, of its start, of the gains of its controller.

    >>> lissom.sensitivity("canadarm2", "links.boom1.joint.transmission.stiffness", 1.0)

    Parameters
    ----------
    robot, duration, start, motion, progress : see `lissom.simulate`
        As in `lissom.simulate`, and so are all settings (rtol, rate, ...).
    parameters : str or sequence of str
        Paths of numbers of the robot ("links.upper.beam.section.EIz", "materials.steel.E"); start values
        ("start.elbow", "start.elbow.rate"); gains of the controller ("gains.elbow.p"); scale, offset and delay of
        its torques over time ("feedforward.elbow.scale").
    controller : ControlLaw, optional
        A continuous law: `control.pd`, `computed_torque`, or `torques` over time. It stays as it is, with the rigid
        twin it was built with, while the robot's parameters change.
    start : mapping, array_like, tuple or str, optional
        The same for all values of the parameters, but for "equilibrium", which moves with them.
    output : str, Tip or callable
        What `output` of the result holds: the position of the last link's tip, unless given. All that `of` of the
        result takes.
    method : str
        "radau" (also for "auto") or "generalised-alpha".

    Returns
    -------
    Sensitivity
        The Sensitivity: the run, and derivatives of its coordinates, rates, accelerations and forces, from which
        those of any output follow.
    """
    settings = RunSettings.of(duration, **options)
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    if not (controller is None or isinstance(controller, ControlLaw)):
        raise LissomError(
            f"sensitivities need a continuous law, not a {type(controller).__name__}; give one of control.pd, "
            "computed_torque or torques",
            ("controller",),
        )
    bar = Progress(DOING, settings.duration, "s", show=progress)
    with bar, listening(lambda name: bar.say(COMPILING if name else DOING)):
        loop = VariationLoop(robot, settings, controller, start, motion, names)
        raw = loop.run(bar.update)
    if raw.status is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    if raw.status is not Ending.FINISHED:
        raise LissomError(f"the motion did not finish: {raw.status.word}: {raw.message}")
    warn_about_run(raw, raw.warnings, stacklevel=2)
    found = Sensitivity(
        parameters=names,
        values=np.array([each.value for each in loop.parameters]),
        run=from_run(raw),
        **loop.histories(),
        chosen=output,
        sources=tuple(loop.parameters),
    )
    if isinstance(output, str):
        found.resolve(output)
    return found
