"""Energy audit: whether the energy of a run adds up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics import energy
from lissom.errors import LissomError

# in the dataset of a Trajectory
STORED = ("kinetic_energy", "gravity_energy", "strain_energy", "joint_energy", "element_energy")
ROUNDING = 1e-12  # of the largest energy


@dataclass(frozen=True, eq=False)
class EnergyAudit:
    """Balance E(t) = E(0) + work(t) + load_work(t) - dissipated(t), in joule."""

    time: np.ndarray  # (N,) s
    stored: np.ndarray  # (N,) change of kinetic and potential energy since the start
    work: np.ndarray  # (N,) put in by motors and prescribed motions
    dissipated: np.ndarray  # (N,)
    load_work: np.ndarray  # (N,) put in by loads and the thrust of cylinders
    scale: float  # J: the largest energy that was moved; relative figures refer to it
    rounding: float = 0.0  # J: what is less may come from rounding of the energies

    @property
    def residual(self) -> np.ndarray:
        """Energy that appears from nowhere (above zero) or is lost, (N,)."""
        return self.stored - self.work - self.load_work + self.dissipated

    @property
    def relative(self) -> float:
        """Largest residual over the scale; zero where no more than rounding moved."""
        return float(np.abs(self.residual).max()) / self.scale if self.scale > self.rounding else 0.0

    @property
    def worst_time(self) -> float:
        """When the residual is largest, s."""
        return float(self.time[np.abs(self.residual).argmax()])

    @property
    def monotonic(self) -> bool:
        """Whether dissipation never gives energy back, but for rounding."""
        return bool(np.all(np.diff(self.dissipated) >= -1e-12 * self.scale))

    def report(self) -> str:
        """Return the balance in plain words."""
        end = len(self.time) - 1
        lines = [
            f"energy put in       {self.work[end]:12.5g} J",
            *([f"put in by loads     {self.load_work[end]:12.5g} J"] if np.any(self.load_work) else []),
            f"energy dissipated   {self.dissipated[end]:12.5g} J",
            f"energy stored       {self.stored[end]:12.5g} J more than at the start",
            f"left over           {self.residual[end]:12.5g} J at the end",
            f"worst               {np.abs(self.residual).max():12.5g} J at t = {self.worst_time:.5g} s, "
            f"{self.relative:.2g} of the {self.scale:.4g} J that moved",
        ]
        if not self.monotonic:
            lines.append("warning: the dissipated energy decreases somewhere: a damper feeds energy in")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.report()


def audit_energy(
    time: ArrayLike, energies: ArrayLike, work: ArrayLike, dissipated: ArrayLike, load_work: ArrayLike | None = None
) -> EnergyAudit:
    """Audit of arrays.

    Parameters
    ----------
    time : array_like
        Times of the samples, (N,) s.
    energies : array_like
        Total energy (N,), or its parts (N, parts) such as kinetic and potential: what they exchange then counts as
        energy moved.
    work, dissipated : array_like
        Energy put in and lost since the start, (N,).
    load_work : array_like, optional
        Energy put in from outside, by loads, (N,); none unless given.
    """
    time, parts, put_in, lost = (np.asarray(a, float) for a in (time, energies, work, dissipated))
    given = np.zeros_like(put_in) if load_work is None else np.asarray(load_work, float)
    if (
        time.ndim != 1
        or len(time) == 0
        or parts.shape[:1] != time.shape
        or not put_in.shape == lost.shape == given.shape == time.shape
    ):
        shapes = ", ".join(str(a.shape) for a in (time, parts, put_in, lost))
        raise LissomError(f"time, energies, work and dissipated must be arrays of one length, got {shapes}")
    parts = parts.reshape(len(time), -1)
    for name, array in (("energies", parts), ("work", put_in), ("dissipated", lost), ("load_work", given)):
        if not np.all(np.isfinite(array)):
            text = "holds values that are not finite; run with audit=True, and cut off what diverged"
            raise LissomError(text, (name,))
    return balance(time, parts, put_in, lost, given)


def balance(
    time: np.ndarray, parts: np.ndarray, work: np.ndarray, dissipated: np.ndarray, load_work: np.ndarray
) -> EnergyAudit:
    """Return the audit of arrays that are known to be sound: parts (N, any), the others (N,)."""
    rounding = ROUNDING * float(np.abs(parts).max(initial=0.0))
    parts, work, dissipated, load_work = (a - a[0] for a in (parts, work, dissipated, load_work))
    stored = parts.sum(axis=1)
    scale = max(float(np.abs(a).max(initial=0.0)) for a in (parts, stored, work, dissipated, load_work))
    return EnergyAudit(time, stored, work, dissipated, load_work, scale, rounding)


def energy_audit(run: Any) -> EnergyAudit:
    """Audit of a run: a Trajectory, with the energies it holds, or a RawRun, with energies computed from its states."""
    if hasattr(run, "dataset"):
        data = run.dataset
        energies = np.stack([data[name].values for name in STORED], axis=1)
        given = data["load_work"].values if "load_work" in data else None
        return audit_energy(data["time"].values, energies, data["work"].values, data["dissipated"].values, given)
    missing = [name for name in ("model", "time", "q", "v", "work", "dissipated") if not hasattr(run, name)]
    if missing:
        lacks = ", ".join(missing)
        raise LissomError(f"cannot audit a {type(run).__name__}: it lacks {lacks}; use audit_energy on arrays")
    states = zip(np.asarray(run.q, float), np.asarray(run.v, float), strict=True)
    energies, given = np.array([energy(run.model, q, v) for q, v in states]), getattr(run, "load_work", None)
    return audit_energy(run.time, energies, run.work, run.dissipated, given)
