"""External wrenches at the base, the tip or any section of a link, (13) of Yaqubi et al. 2026."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import wrench_vector
from lissom.errors import LissomError
from lissom.kernel.algorithms.complex_step import STEP
from lissom.lie import se3
from lissom.model.compilation.tip_frames import tip_of

if TYPE_CHECKING:
    from lissom.theory.screw_pde.formulation import ScrewPDE


@dataclass(frozen=True)
class Load:
    """A wrench (torque, force) on `link` at the section x (its tip unless given), in the section's or world axes."""

    link: str
    wrench: ArrayLike
    x: float | None = None
    frame: Literal["local", "world"] = "local"


def generalised(system: ScrewPDE, load: Load, q: np.ndarray) -> np.ndarray:
    """Return forces (6 + m,) of a load in the rows of its link: [Ad(g^-1), J]^T W, from the section's motion.

    Equations: 003 (13).
    """
    wrench = wrench_vector(load.wrench, f"load on {load.link}")
    if load.frame not in ("local", "world"):
        raise LissomError("must be 'local' or 'world'", ("load", load.link, "frame"), load.frame)
    T, J = section_jacobian(system, load.link, load.x, q)
    if load.frame == "world":
        R = system.pose(q, load.link, load.x)[:3, :3]
        wrench = np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
    return np.concatenate([se3.Ad(se3.inverse(T)), J], axis=1).T @ wrench


def section_jacobian(system: ScrewPDE, link: str, x: float | None, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose (4, 4) of a section in its link's body frame, and its twist (6, m) per modal velocity, in its own axes.

    J by a complex step through the section-pose map.
    """
    model = system.model
    if link not in model.flexible:
        if x is not None:
            raise LissomError("the link is rigid, so leave this out", ("load", link, "x"), x)
        return se3.from_parts(np.eye(3), tip_of(model, link)), np.zeros((6, 0))
    beam, eta = model.flexible[link], q[model.bodies[system.row(link)].modes_q]
    x = beam.length if x is None else x
    frame = system.frames.get(link, 0.0)
    nudged = eta + 1j * STEP * np.eye(beam.count)
    T = se3.inverse(beam.pose(frame, nudged)) @ beam.pose(x, nudged)
    pose = se3.inverse(beam.pose(frame, eta)) @ beam.pose(x, eta)
    rates = se3.inverse(pose) @ (T.imag / STEP)
    return pose, se3.vee(rates).T
