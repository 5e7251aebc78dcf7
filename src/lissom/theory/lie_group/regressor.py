"""Joint forces as a linear function of the inertial parameters, and the smallest set of parameters they depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3, so3
from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.kinematics import frames
from lissom.theory.lie_group.recursion import newton_euler

Array = NDArray[Any]

LABELS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def regressor(arm: Arm, x: ArrayLike, xd: ArrayLike, xdd: ArrayLike) -> Array:
    """Y (..., n, 10 L) with tau = Y parameters + armature xdd; parameters as in `Arm.parameters`."""
    links = list(arm.links)
    _, B = frames(arm, x)
    found = newton_euler(arm, x, xd, xdd)
    V, Vdot = found.V[..., links, None, :], found.Vdot[..., links, None, :]
    E = _inertia_basis()
    momentum = np.einsum("pab,...b->...pa", E, V[..., 0, :])
    wrench = np.einsum("pab,...b->...pa", E, Vdot[..., 0, :]) - so3.act(np.swapaxes(se3.ad(V), -1, -2), momentum)
    Y = np.einsum("...lak,...lpa->...klp", B[..., links, :, :], wrench, optimize=True)
    return Y.reshape(*Y.shape[:-2], 10 * len(links))


@dataclass(frozen=True)
class MinimalParameters:
    """The least set of combinations of inertial parameters that joint forces depend on.

    `combine` (r, 10 L) gives them from all parameters; columns `chosen` of a full regressor form the minimal one.
    """

    chosen: tuple[int, ...]
    combine: Array
    names: tuple[str, ...]

    def values(self, parameters: ArrayLike) -> Array:
        """Return the r minimal parameters of a full set (..., 10 L)."""
        return np.einsum("rp,...p->...r", self.combine, np.asarray(parameters))

    def regressor(self, Y: Array) -> Array:
        """Return the minimal regressor (..., n, r) in a full one (..., n, 10 L)."""
        return Y[..., list(self.chosen)]


def minimal_parameters(arm: Arm, samples: int = 60, seed: int = 0, tolerance: float = 1e-9) -> MinimalParameters:
    """Return base parameters by a pivot-free elimination of the regressor at random states (Gautier 1991).

    A column that depends on those before it leaves, and hands its share to them; so the parameters of links near the
    tip, which need no company, are considered first.
    """
    rng = np.random.default_rng(seed)
    x, xd, xdd = rng.uniform(-np.pi, np.pi, size=(3, samples, arm.n))
    Y = regressor(arm, x, xd, xdd).reshape(samples * arm.n, -1)
    scale = np.linalg.norm(Y, axis=0).max()
    order = np.arange(Y.shape[1]).reshape(-1, 10)[::-1].ravel()
    basis = np.zeros((len(Y), 0))
    chosen: list[int] = []
    for p in order:
        column = Y[:, p]
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)  # once more: rounding of the first pass
        if np.linalg.norm(rest) > tolerance * scale:
            chosen.append(int(p))
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    combine, *_ = np.linalg.lstsq(Y[:, chosen], Y, rcond=None)
    combine[np.abs(combine) < 1e-10] = 0.0
    names = tuple(f"{arm.names[p // 10]}.{LABELS[p % 10]}" for p in chosen)
    return MinimalParameters(tuple(chosen), combine, names)


def _inertia_basis() -> Array:
    """E (10, 6, 6): a link's inertia is the sum of its parameters times these."""
    E = np.zeros((10, 6, 6))
    E[0, 3:, 3:] = np.eye(3)
    for a in range(3):
        r = so3.hat(np.eye(3)[a])
        E[1 + a, :3, 3:], E[1 + a, 3:, :3] = r, -r
    for p, (a, b) in enumerate(((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)), start=4):
        E[p, a, b] = E[p, b, a] = 1.0
    return E
