"""Input shaping: a motion split into delayed copies whose vibrations cancel.

Singer and Seering 1990 (ZV, ZVD, ZVDD); Singhose, Seering and Singer 1994 (EI).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.control import argument_checks
from lissom.control.choices import SHAPERS, ShaperKind, Side
from lissom.control.laws.continuous_laws import Gains, pd
from lissom.control.laws.control_kernel import Gain
from lissom.control.laws.control_law import ControlLaw
from lissom.control.references.reference import Reference
from lissom.dynamics.coordinates import configuration
from lissom.errors import LissomError
from lissom.messages import brief, did_you_mean, listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

LIGHT = 0.5  # modes with a larger damping ratio need no shaping


class Impulses(NamedTuple):
    """A sequence of impulses: amplitudes that sum to one, at rising times from zero."""

    times: np.ndarray
    amplitudes: np.ndarray

    @property
    def duration(self) -> float:
        """How much longer a shaped motion takes."""
        return float(self.times[-1])

    def residual(self, frequency: ArrayLike, damping: float = 0.0) -> np.ndarray:
        """Return the vibration left at `frequency` (Hz), as a share of that after one impulse."""
        omega = 2 * np.pi * np.asarray(frequency, float)[..., None]
        pole = omega * (-damping + 1j * np.sqrt(1 - damping**2))
        return np.abs((self.amplitudes * np.exp(pole * (self.times[-1] - self.times))).sum(axis=-1))


class LightModes(NamedTuple):
    """Modes that vibrate, in rising order of frequency."""

    frequencies: np.ndarray  # undamped natural frequencies, Hz
    damping: np.ndarray  # ratios


def impulses(kind: ShaperKind, frequency: float, damping: float = 0.0, tolerance: float = 0.05) -> Impulses:
    """Return the sequence that leaves no vibration of one mode.

    Parameters
    ----------
    kind : {"zv", "zvd", "zvdd", "ei"}
        "zv" (half a period long), "zvd" (a period; forgives errors in the frequency), "zvdd" (more so),
        or "ei" (a period; leaves `tolerance` at the nominal frequency and forgives more than "zvd").
    frequency : float
        Undamped natural frequency in Hz.
    damping : float
        Ratio of the mode.
    """
    if kind not in SHAPERS:
        hint = did_you_mean(kind, SHAPERS)
        raise LissomError(f"is unknown{hint}; choose {listed(SHAPERS)}", ("kind",), kind)
    frequency = argument_checks.number(frequency, "frequency", "give the mode's frequency in Hz", above=0)
    damping = argument_checks.number(damping, "damping", "give the mode's damping ratio, 0 to 1", at_least=0)
    if damping >= 1:
        text = "a mode with ratio 1 or more does not vibrate; no shaper is needed"
        raise LissomError(text, ("damping",), damping)
    root = np.sqrt(1 - damping**2)
    decay = np.exp(-np.pi * damping / root)  # over half a damped period
    if kind == "ei":
        v = argument_checks.number(tolerance, "tolerance", "give the share of vibration allowed, 0.05", at_least=0)
        weights = np.array([(1 + v) / 4, (1 - v) / 2, (1 + v) / 4])
    else:
        order = SHAPERS.index(kind) + 1
        weights = np.array([comb(order, k) for k in range(order + 1)], float)
    amplitudes = weights * decay ** np.arange(len(weights))
    return Impulses(np.arange(len(weights)) / (2 * frequency * root), amplitudes / amplitudes.sum())


def combine(parts: Iterable[Impulses]) -> Impulses:
    """Combine sequences into one that does what all do, one after the other."""

    def product(a: Impulses, b: Impulses) -> Impulses:
        times = np.add.outer(a.times, b.times).ravel()
        order = np.argsort(times, kind="stable")
        return Impulses(times[order], np.multiply.outer(a.amplitudes, b.amplitudes).ravel()[order])

    return reduce(product, parts, Impulses(np.zeros(1), np.ones(1)))


def shape(reference: Reference, sequence: Impulses) -> Reference:
    """Shape a reference: return the sum of its copies, delayed by the times and scaled by the amplitudes."""
    copies = [reference.shifted(t).scaled(a) for t, a in zip(sequence.times.tolist(), sequence.amplitudes.tolist())]
    return reduce(Reference.__add__, copies)


def shaper(
    robot: AnyRobot,
    q: Any = None,
    kind: ShaperKind = "zvd",
    modes: int | Iterable[int] = 1,
    gains: Gains | ControlLaw | None = None,
    side: Side = "joint",
) -> Impulses:
    """Return a shaper for the model's vibrations at a pose.

    Parameters
    ----------
    q
        The pose, best the end of the motion: (nq,) or {joint: value}; neutral unless given.
    kind : {"zv", "zvd", "zvdd", "ei"}
        As in `impulses`.
    modes : int or Iterable
        How many modes from the lowest on, or a list of them ([1, 3] for the first and the third).
    gains : mapping or ControlLaw, optional
        The PD gains, or the PD law, that hold the joints; without them motors are locked.
    side : {"joint", "motor"}
        As in `pd`.
    """
    model = as_model(robot)
    found = light_modes(model, q, gains, side)
    if isinstance(modes, int | np.integer) and not isinstance(modes, bool):
        chosen = list(range(1, int(modes) + 1))
    elif isinstance(modes, Iterable) and not isinstance(modes, str | Mapping):
        chosen = list(modes)
    else:
        chosen = []
    if not chosen:
        raise LissomError("give how many modes, or a list of them such as [1, 2]", ("modes",), modes)
    for k in chosen:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= len(found.frequencies):
            text = f"there are {len(found.frequencies)} modes with a damping ratio below {LIGHT:g}, counted from 1"
            raise LissomError(f"{brief(k)} is not a mode; {text}", ("modes",), modes)
    return combine(impulses(kind, found.frequencies[k - 1], found.damping[k - 1]) for k in chosen)


def light_modes(
    robot: AnyRobot, q: Any = None, gains: Gains | ControlLaw | None = None, side: Side = "joint"
) -> LightModes:
    """Return frequencies and damping of the lightly damped modes at a pose; arguments as in `shaper`."""
    model = as_model(robot)
    from lissom.dynamics import inverse_derivatives

    at = configuration(model, q)
    linear = inverse_derivatives(model, at, np.zeros(model.nv), np.zeros(model.nv))
    M, D, K = linear.a, linear.v.copy(), linear.q.copy()
    law = gains if isinstance(gains, ControlLaw) else None
    if gains is not None and law is None:
        names = tuple(gains) if isinstance(gains, Mapping) else ()
        law = pd(model, gains, {name: 0.0 for name in names}, side)  # type: ignore[arg-type]
    locked = set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
    if law is None:
        floating = {i for body in model.bodies if _floats(model, body.link) for i in range(model.nv)[body.joint_v]}
        locked |= set(model.actuated.tolist()) - floating
    for part in law.parts if law is not None else ():
        if part.kind.gain == Gain.STIFFNESS:
            K[part.force, part.measured_v] += part.kp
            D[part.force, part.measured_v] += part.kd
        else:
            locked |= set(part.force.tolist())
    kept = [k for k in range(model.nv) if k not in locked]
    return _vibrations(*(a[np.ix_(kept, kept)] for a in (M, D, K)))


def _vibrations(M: np.ndarray, D: np.ndarray, K: np.ndarray) -> LightModes:
    """Return oscillating solutions of M x'' + D x' + K x = 0."""
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    poles = np.linalg.eigvals(A)
    omega = np.abs(poles)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = -poles.real / omega
    floor = 1e-7 * omega.max(initial=1.0)  # zero but for round-off: a joint that is free to move
    keep = (poles.imag > 0) & (omega > floor) & (ratio < LIGHT)
    order = np.argsort(omega[keep])
    return LightModes(omega[keep][order] / (2 * np.pi), np.maximum(ratio[keep][order], 0.0))


def _floats(model: Model, link: str) -> bool:
    return model.robot.link(link).joint.kind.floats
