"""Motions of joints on a group: a ship's pose, a satellite's attitude, over time.

A motion is a `Reference` of quaternion components (w, x, y, z), of any length, and of a position for a free joint: the
attitude is the quaternion brought to unit length. Where the components are smooth up to the second derivative, so are
attitude, angular velocity and angular acceleration, whatever way the body turns.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from lissom.control import argument_checks
from lissom.control.references.reference import Reference
from lissom.control.schema.reference_schema import Block, Csv, Motions, no_jumps
from lissom.control.schema.time_series_schema import AnySeries, Fixed, Given, Jumps, Spline, series_reference
from lissom.errors import LissomError, within
from lissom.lie import quaternion, so3
from lissom.model.schema.base_model import FORM, form_of, refusals

RATE = 200.0  # Hz at which roll, pitch and yaw are turned into quaternions
MOST = 2_000_000  # of those quaternions


class Pose(Block):
    """A pose over time: `position`, and `rpy` (roll, pitch, yaw) or `quaternion`."""

    what: ClassVar[str] = "motion"
    form: ClassVar[str] = FORM + "pose"
    type: Literal["pose"] = "pose"
    position: AnySeries | None = Field(default=None, description="[x, y, z] over time, in metres")
    rpy: AnySeries | None = Field(default=None, description="[roll, pitch, yaw] over time, in rad")
    quaternion: AnySeries | None = Field(default=None, description="[w, x, y, z] over time")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.rpy is not None and self.quaternion is not None:
            raise refusals(("quaternion", None, "conflicts with rpy; give one of them"))
        if all(part is None for part in (self.position, self.rpy, self.quaternion)):
            raise refusals(("position", None, "missing; give position, and rpy or quaternion, over time"))
        for name in ("position", "rpy", "quaternion"):
            if isinstance(getattr(self, name), Jumps):
                text = "jumps, which would take an infinite force; choose spline, sine or csv"
                raise refusals(((name, "type"), "steps", text))
        return self


AnyMotion = Annotated[Motions | Annotated[Pose, Tag(Pose.form)], Discriminator(form_of), BeforeValidator(no_jumps)]


def pose_motion(
    times: ArrayLike,
    quaternions: ArrayLike | None = None,
    rpy: ArrayLike | None = None,
    position: ArrayLike | None = None,
) -> Reference:
    """Return a motion through a table of poses, smooth up to the second derivative.

    Parameters
    ----------
    times : array_like
        Rising, (k,) s.
    quaternions : array_like, optional
        Attitudes (k, 4) as (w, x, y, z), of either sign; or `rpy`: roll, pitch and yaw (k, 3) in rad,
        R = Rz(yaw) Ry(pitch) Rx(roll). Neighbours should be less than a quarter turn apart.
    position : array_like, optional
        (k, 3) m, for a free joint; none for a spherical one.

    Returns
    -------
    Reference
        A Reference for the motion of a joint, as `simulate` takes it.
    """
    t = argument_checks.times(times, "times", "give rising times in seconds")
    if (quaternions is None) == (rpy is None):
        raise LissomError("give either quaternions or rpy", ("rpy",), rpy)
    rows = _of_rpy(np.asarray(rpy, float)) if quaternions is None else np.asarray(quaternions, float)
    if rows.shape != (len(t), 4):
        raise LissomError(f"must have one row per time, ({len(t)}, 4), got {rows.shape}", ("quaternions",))
    parts = [make_continuous(rows)]
    if position is not None:
        place = np.asarray(position, float)
        if place.shape != (len(t), 3):
            raise LissomError(f"must have one row per time, ({len(t)}, 3), got {place.shape}", ("position",))
        parts.append(place)
    return Reference.from_samples(t, np.concatenate(parts, axis=1), "cubic")


def pose_state(pose: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates and body twist of a motion from its value and rate: (4,) of a ball, (7,) floating."""
    size = np.linalg.norm(pose[:4])
    attitude = pose[:4] / size
    omega = 2.0 * quaternion.product(quaternion.conjugate(attitude), rate[:4] / size)[1:]
    velocity = quaternion.to_matrix(attitude).T @ rate[4:] if len(pose) == 7 else rate[4:]
    return np.concatenate([attitude, pose[4:]]), np.concatenate([omega, velocity])


def make_continuous(rows: np.ndarray) -> np.ndarray:
    """Return quaternions (k, 4) of unit length, each with the sign that is nearer to the one before."""
    sizes = np.linalg.norm(rows, axis=1)
    if np.any(sizes < 1e-6):
        raise LissomError(f"row {int(np.argmin(sizes))} has no length; give unit quaternions", ("quaternion",))
    rows = rows / sizes[:, None]
    flips = np.cumprod(np.where(np.einsum("ij,ij->i", rows[1:], rows[:-1]) < 0, -1.0, 1.0))
    rows[1:] *= flips[:, None]
    return rows


def _of_rpy(rpy: np.ndarray) -> np.ndarray:
    if rpy.ndim != 2 or rpy.shape[1] != 3:
        raise LissomError(f"must hold roll, pitch and yaw per time, got shape {rpy.shape}", ("rpy",))
    return make_continuous(quaternion.from_matrix(so3.from_rpy(rpy)))


def pose_reference(block: Pose, floats: bool, start: np.ndarray, duration: float) -> Reference:
    """Return the motion of a spherical joint, or of a free one that `floats`, from a scenario's block.

    Parameters
    ----------
    start : ndarray
        The joint's coordinates at the start, which hold where the block says nothing.
    """
    attitude = _attitude(block, start, duration)
    if not floats:
        if block.position is not None:
            raise LissomError("a spherical joint has no position; remove it", ("position",))
        return attitude
    if block.position is None:
        return Reference.stack([attitude, Reference.constant(start[4:7])])
    return Reference.stack([attitude, series_reference(block.position, 3, duration, "position")])


def _attitude(block: Pose, start: np.ndarray, duration: float) -> Reference:
    if block.rpy is not None:
        angles = series_reference(block.rpy, 3, duration, "rpy")
        if isinstance(block.rpy, Fixed):
            return Reference.constant(quaternion.from_matrix(so3.from_rpy(np.array(block.rpy.to))))
        end = max(duration, angles.end)
        if end * RATE > MOST:
            text = f"lasts {end:.3g} s; at {RATE:g} points per second at most {MOST / RATE:g} s of rpy can be taken"
            raise LissomError(f"{text}: shorten it, or give quaternions as a spline or csv", ("rpy",))
        times = np.union1d(np.linspace(0.0, end, max(2, round(end * RATE) + 1)), angles.breaks[angles.breaks >= 0])
        return Reference.from_samples(times, _of_rpy(angles(times)[0]), "cubic")
    if block.quaternion is None:
        return Reference.constant(start[:4])
    series: Any = block.quaternion
    made = series_reference(series, 4, duration, "quaternion")
    if isinstance(series, Spline | Csv):  # through its points, with signs that continue each other
        with within("quaternion"):
            return Reference.from_samples(made.breaks, make_continuous(made(made.breaks)[0]), "cubic")
    if isinstance(series, Given | Fixed):
        return made
    raise LissomError("take spline or csv for quaternions, or rpy for waves", ("quaternion", "type"), series.type)
