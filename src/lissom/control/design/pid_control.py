"""PID control at a sample rate: integral action that does not wind up, filtered rates, notch filters, feedforward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.control import argument_checks
from lissom.control.choices import SIDES, Side
from lissom.control.design.sampled_loop import check_range, noise_of
from lissom.control.laws.channels import ControlledCoordinate, channels, check_units, indices, reference_of
from lissom.control.laws.continuous_laws import pd, saturation_of
from lissom.control.laws.digital_law import DigitalDesign, DigitalLaw, StateLook
from lissom.control.laws.sampled_control import Sampled
from lissom.control.laws.sensor_laws import encoder_of, joint_sensors
from lissom.errors import Keys, LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model
from lissom.model.schema.number_fields import kind_of
from lissom.model.schema.units import DAMPING, STIFFNESS, JointUnit

GAINS: dict[str, tuple[str, JointUnit | None]] = {
    "p": ("give p in N m/rad (N/m when sliding)", STIFFNESS),
    "i": ("give i in N m/(rad s) (N/(m s) when sliding), 0 for none", None),
    "d": ("give d in N m s/rad (N s/m when sliding), 0 for none", DAMPING),
}


@dataclass(frozen=True)
class Notch:
    """A notch filter: (s^2 + 2 depth width w s + w^2) / (s^2 + 2 width w s + w^2), with w = 2 pi frequency.

    Parameters
    ----------
    frequency : float
        Hz, where the gain is `depth`.
    depth : float
        Gain there, 0 to 1.
    width : float
        Damping ratio of its poles: half the share of the frequency over which it takes effect.
    """

    frequency: float
    depth: float = 0.05
    width: float = 0.5

    def sampled(self, rate: float) -> LinearModel:
        """Return the filter at a sample rate, by Tustin's rule, exact at its frequency."""
        w = 2 * np.pi * self.frequency
        k = w / np.tan(0.5 * w / rate)  # maps the frequency onto itself
        a = np.array(
            [k * k + 2 * self.width * w * k + w * w, 2 * (w * w - k * k), k * k - 2 * self.width * w * k + w * w]
        )
        zeros = self.depth * self.width
        b = np.array([k * k + 2 * zeros * w * k + w * w, 2 * (w * w - k * k), k * k - 2 * zeros * w * k + w * w])
        b, a = b / a[0], a / a[0]
        A = np.array([[-a[1], -a[2]], [1.0, 0.0]])  # controllable canonical form
        return LinearModel.of(A, [[1.0], [0.0]], [[b[1] - b[0] * a[1], b[2] - b[0] * a[2]]], [[b[0]]], dt=1 / rate)


def pid(
    robot: AnyRobot,
    gains: Any,
    reference: Any,
    *,
    rate: float = 1000.0,
    delay: float = 0.0,
    side: Side = "joint",
    derivative: float | None = None,
    notches: Any = None,
    tracking: float | None = None,
    saturation: Any = None,
    feedforward: Any = None,
    gravity_compensation: bool = False,
    inverse_dynamics: bool = False,
    sensors: Any = (),
) -> Sampled:
    """Return proportional, integral and derivative control at a sample rate, with notch filters and feedforward.

    u = sat(f + N (p e + I + d e')), I' = i e + (u - f - N (p e + I + d e')) / T: while the torque is at its limit, the
    integral follows what acts, so that it does not wind up (Astrom and Hagglund 2006, 3.5). N are the notches, f the
    feedforward.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    gains : mapping
        {joint: {"p": ..., "i": ..., "d": ...}}, N m/rad, N m/(rad s), N m s/rad; "i" and "d" may be left out.
    reference
        As in `pd`.
    rate, delay : float
        Samples per second; seconds from a sample to its torque.
    side : {"joint", "motor"}
        Which side of elastic gears is measured.
    derivative : float, optional
        Hz up to which the rate is the derivative of the measured angle, by differences; the rate itself is measured
        unless given. With `sensors` a tenth of the sample rate unless given.
    notches : mapping, optional
        {joint: frequency in Hz, Notch, or a list of these}; the filters are behind p, i and d.
    tracking : float, optional
        T in seconds; sqrt(d / i), or p / i where d is zero, unless given.
    saturation, feedforward, gravity_compensation, inverse_dynamics
        As in `pd`.
    sensors : sequence of str
        Encoders that are read instead of the state, by their names in the robot's file, or as they are given to
        `simulate`.

    Returns
    -------
    Sampled
        A controller for `simulate`, C code and FMUs; its `function` is the DigitalLaw.

    Examples
    --------
    >>> law = pid("ella", {"elbow": {"p": 600.0, "i": 900.0, "d": 40.0}}, 0.3, notches={"elbow": 15.0}, saturation=60.0)
    >>> law.function.designs[0].A.shape  # the integral and two states of the notch
    (3, 3)
    """
    model = as_model(robot)
    if side not in SIDES:
        raise LissomError(f"is unknown{did_you_mean(side, SIDES)}; choose {listed(SIDES)}", ("side",), side)
    rate = argument_checks.number(rate, "rate", "give the samples per second", above=0)
    selected, p, i, d = _gains(model, gains)
    filters = _notches(model, selected, notches, rate)
    eyes = tuple(joint_sensors(model, sensors)) if len(sensors) else ()
    look, measured, has_rates = _look(model, selected, side, eyes, derivative is None)
    if not has_rates and derivative is None:
        derivative = rate / 10
    if derivative is not None:
        derivative = argument_checks.number(derivative, "derivative", "give a frequency in Hz", above=0)
    if tracking is not None:
        tracking = argument_checks.number(tracking, "tracking", "give a time in seconds", above=1 / rate)
    designs = [_single(p[k], i[k], d[k], filters[k], 1 / rate, derivative, tracking) for k in range(len(selected))]
    added = None
    if feedforward is not None or gravity_compensation or inverse_dynamics:
        zero = {channel.name: {"p": 0.0, "d": 0.0} for channel in selected}
        options: Any = {"gravity_compensation": gravity_compensation, "inverse_dynamics": inverse_dynamics}
        added = pd(model, zero, reference, side, feedforward=feedforward, **options)
    lower, upper = saturation_of(model, selected, saturation)
    na = len(selected)
    read = tuple(next(eye for eye in eyes if eye.called == name) for name in measured) if eyes else ()
    law = DigitalLaw(
        name="PID control",
        model=model,
        names=tuple(channel.name for channel in selected),
        force=np.array([channel.force for channel in selected]),
        designs=(_joined(designs, not derivative),),
        poses=np.zeros((1, na)),
        reference=reference_of(model, selected, reference),
        lower=lower,
        upper=upper,
        look=look,
        measured=measured,
        designed_at=model.neutral(),
        positions=tuple(tuple(dict.fromkeys((channel.joint_q, channel.motor_q))) for channel in selected),
        noise=noise_of(model, read) if read else np.zeros(len(measured)),
        eyes=read,
        added=added,
    )
    made = Sampled(law, rate, delay, law.sensors)
    check_range(model, made, law.reference, "pid", "")
    return made


@dataclass(frozen=True)
class _Loop:
    """The controller of one coordinate, of w = (y, y', r, r', r'')."""

    A: np.ndarray
    B: np.ndarray
    E: np.ndarray
    C: np.ndarray
    D: np.ndarray
    first: np.ndarray


def _single(
    p: float, i: float, d: float, notches: Sequence[Notch], step: float, derivative: float | None,
    tracking: float | None,
) -> _Loop:  # fmt: skip
    """Return PID and notches of one coordinate; states: the integral, the filtered rate, those of the notches."""
    error, rate_error = np.array([-1.0, 0, 1, 0, 0]), np.array([0, -1.0, 0, 1, 0])
    A, B, C, D = np.zeros((0, 0)), np.zeros((0, 5)), np.zeros((1, 0)), p * error[None]
    first = np.zeros((0, 5))
    if i > 0:
        A, B, C = np.eye(1), step * i * error[None], np.ones((1, 1))
        first = np.zeros((1, 5))
    if d > 0 and derivative is None:
        D = D + d * rate_error
    elif d > 0:  # e'[k] = g (s[k] + e[k]), s[k+1] = lag e'[k] - e[k]: backward differences behind a low-pass
        lag = 1 / (2 * np.pi * derivative)  # type: ignore[operator]  # given
        g = 1 / (lag + step)
        A, B = _diagonal(A, np.array([[lag * g]])), np.concatenate([B, (lag * g - 1) * error[None]])
        C, D = np.concatenate([C, [[d * g]]], axis=1), D + d * g * error
        first = np.concatenate([first, -error[None]])
    for notch in notches:
        behind = notch.sampled(1 / step)
        n = len(A)
        A = np.block([[A, np.zeros((n, 2))], [behind.B @ C, behind.A]])
        B = np.concatenate([B, behind.B @ D])
        C, D = np.concatenate([behind.D @ C, behind.C], axis=1), behind.D @ D
        first = np.concatenate([first, np.zeros((2, 5))])
    E = np.zeros((len(A), 1))
    if i > 0:
        share = min(step / (tracking or (np.sqrt(d / i) if d > 0 else p / i) or step), 1.0)
        A[0] -= share * C[0]
        B[0] -= share * D[0]
        E[0, 0] = share
    return _Loop(A, B, E, C, D, first)


def _diagonal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    from scipy.linalg import block_diag

    return np.asarray(block_diag(a, b)) if a.size else b


def _joined(loops: Sequence[_Loop], rates: bool) -> DigitalDesign:
    """Return the loops of all coordinates as one design; `rates`: rates are measured behind the angles."""
    na = len(loops)
    m = 2 * na if rates else na
    sizes = [len(loop.A) for loop in loops]
    begin = np.concatenate([[0], np.cumsum(sizes)])
    n, inputs = int(begin[-1]), m + 3 * na
    A, B, E = np.zeros((n, n)), np.zeros((n, inputs)), np.zeros((n, na))
    C, D, first = np.zeros((na, n)), np.zeros((na, inputs)), np.zeros((n, inputs))
    for k, loop in enumerate(loops):
        own = slice(begin[k], begin[k + 1])
        where = [k, na + k if rates else -1, m + k, m + na + k, m + 2 * na + k]
        kept = [j for j, at in enumerate(where) if at >= 0]
        at = [where[j] for j in kept]
        A[own, own], E[own, k], C[k, own] = loop.A, loop.E[:, 0], loop.C[0]
        B[own, at], D[k, at], first[own, at] = loop.B[:, kept], loop.D[0, kept], loop.first[:, kept]
    zero = np.zeros(na)
    return DigitalDesign(A, B, E, C, D, first, zero, np.zeros(m), zero)


def _gains(model: Model, gains: Any) -> tuple[tuple[ControlledCoordinate, ...], np.ndarray, np.ndarray, np.ndarray]:
    if not isinstance(gains, Mapping):
        text = f"must be a mapping, not {kind_of(gains)}; give {{joint: {{p: ..., i: ..., d: ...}}}}"
        raise LissomError(text, ("gains",), gains)
    selected = channels(model, gains, "gains")
    found = {name: np.zeros(len(selected)) for name in GAINS}
    for joint, given in gains.items():
        path: Keys = ("gains", joint)
        if not isinstance(given, Mapping):
            raise LissomError(f"must be {{p: ..., i: ..., d: ...}}, not {kind_of(given)}", path, given)
        if "p" not in given:
            raise LissomError(f"missing; {GAINS['p'][0]}", (*path, "p"))
        index = indices(model, selected, joint, "gains")
        for name, value in given.items():
            if name not in GAINS:
                raise LissomError("is unknown; give p, i and d", (*path, name), value)
            remedy, unit = GAINS[name]
            if unit is not None:
                check_units(model, [selected[k] for k in index], value, unit, (*path, name))
            found[name][index] = argument_checks.numbers(value, (*path, name), remedy, len(index), at_least=0)
    return selected, found["p"], found["i"], found["d"]


def _notches(model: Model, selected: tuple[ControlledCoordinate, ...], notches: Any, rate: float) -> list[list[Notch]]:
    found: list[list[Notch]] = [[] for _ in selected]
    if notches is None:
        return found
    if not isinstance(notches, Mapping):
        raise LissomError("must be {joint: frequency in Hz, or a list of them}", ("notches",), notches)
    for joint, given in notches.items():
        several = given if isinstance(given, list | tuple) else [given]
        made = [_notch(one, ("notches", joint, k), rate) for k, one in enumerate(several)]
        for k in indices(model, selected, joint, "notches"):
            found[k] += made
    return found


def _notch(given: Any, path: Keys, rate: float) -> Notch:
    values = asdict(given) if isinstance(given, Notch) else given
    values = dict(values) if isinstance(values, Mapping) else {"frequency": values}
    for name in values:
        if name not in ("frequency", "depth", "width"):
            raise LissomError("is unknown; give frequency, depth and width", (*path, name), values[name])
    remedy = "give a frequency in Hz, below half the rate"
    frequency = argument_checks.number(values.get("frequency"), (*path, "frequency"), remedy, above=0)
    if frequency >= rate / 2:
        text = f"is beyond half the rate of {rate:g} samples per second; raise the rate, or leave the notch out"
        raise LissomError(text, (*path, "frequency"), frequency)
    depth = argument_checks.number(values.get("depth", 0.05), (*path, "depth"), "give a gain, 0 to 1", at_least=0)
    width = argument_checks.number(values.get("width", 0.5), (*path, "width"), "give a damping ratio", above=0)
    if depth > 1:
        raise LissomError("must be at most 1, a notch that does nothing", (*path, "depth"), depth)
    return Notch(frequency, depth, width)


def _look(
    model: Model, selected: Sequence[ControlledCoordinate], side: Side, eyes: Sequence[Any], rates: bool
) -> tuple[Any, tuple[str, ...], bool]:
    """Return what is looked at, its names, and whether rates are among it."""
    on_q = [getattr(channel, f"{side}_q") for channel in selected]
    on_v = [getattr(channel, f"{side}_v") for channel in selected]
    if eyes:
        names = tuple(encoder_of(model, eyes, q, channel.name) for channel, q in zip(selected, on_q, strict=True))
        return names, names, False
    angles = tuple(model.q_names[k] for k in on_q)
    if not rates:
        return StateLook(tuple(on_q)), angles, False
    return StateLook(tuple(on_q), tuple(on_v)), (*angles, *(f"{model.coordinates[k]}.rate" for k in on_v)), True
