"""One link of the equivalent rigid-link system: its modes and the constant matrices of its virtual works.

A point of the link is R (x + U q) away from the link's rigid frame: U = [U_r U_d], six rigid motions (rotations about
and translations along the axes of the frame) and m elastic shapes. The matrices X, Y, Z, W, Q of appendices D and E of
Vidoni et al. are integrals over the mass, U^T A_r^T S_t U dm and the like; where the paper sums over nodes, the field
inside the elements is integrated, which makes them exact for any motion of the frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lissom.beam import Invariants
from lissom.lie import so3

A = so3.hat(np.eye(3))  # (3, 3, 3) A_1, A_2, A_3 of (83): Omega = sum omega_k A_k
S = np.zeros((6, 3, 3))  # S_1 .. S_6 of (88): Omega^T Omega = sum s_t(omega) S_t
S[[0, 1, 2], [0, 1, 2], [0, 1, 2]] = 1.0
for _t, (_a, _b) in enumerate(((0, 1), (0, 2), (1, 2)), start=3):
    S[_t, _a, _b] = S[_t, _b, _a] = -1.0


def squares(omega: np.ndarray) -> np.ndarray:
    """Return the six products s_t of (88), (6,).

    Equations: 001 (87)-(88).
    """
    x, y, z = omega
    return np.array([y * y + z * z, x * x + z * z, x * x + y * y, x * y, x * z, y * z])


@dataclass(frozen=True, eq=False)
class ErlsLink:
    """A link with n = 6 + m modal coordinates q = (rotation, translation, elastic), all in its frame's axes."""

    moments: np.ndarray  # (3, 3, n, n) [a, b, i, j] int U_ai U_bj dm
    centre: np.ndarray  # (3,) int x dm
    stiffness: np.ndarray  # (m, m)
    damping: np.ndarray  # (m, m)
    proximal: np.ndarray  # (6, m) rotation and displacement of the frame's origin per elastic coordinate

    @classmethod
    def of(cls, inertia: Invariants, stiffness: np.ndarray, damping: np.ndarray, proximal: np.ndarray) -> ErlsLink:
        """From the inertia invariants of its elastic shapes."""
        return cls(_moments(inertia), np.asarray(inertia.mc0), stiffness, damping, proximal)

    @classmethod
    def rigid(cls, mass: float, com: np.ndarray, inertia: np.ndarray) -> ErlsLink:
        """Return a rigid body; `inertia` (3, 3) about its centre of mass."""
        second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
        none = np.zeros((3, 0))
        body = Invariants(mass, mass * com, none, second, np.zeros((3, 3, 0)), np.zeros((3, 3, 0, 0)))
        return cls.of(body, np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((6, 0)))

    @property
    def count(self) -> int:
        """Number m of elastic coordinates."""
        return len(self.stiffness)

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return float(self.moments[0, 0, 3, 3])

    @cached_property
    def modal_mass(self) -> np.ndarray:
        """U^T M U, (n, n)."""
        return np.einsum("aaij->ij", self.moments)

    @cached_property
    def X(self) -> np.ndarray:
        """X_k = U^T M A_k U of (84), (3, n, n).

        Equations: 001 (83)-(84).
        """
        return np.einsum("kab,abij->kij", A, self.moments)

    @cached_property
    def Y(self) -> np.ndarray:
        """Y_t = U^T M S_t U of (89), (6, n, n).

        Equations: 001 (89).
        """
        return np.einsum("tab,abij->tij", S, self.moments)

    @cached_property
    def Z(self) -> np.ndarray:
        """Z_rd = U^T A_r^T M A_d U of (92), (3, 3, n, n).

        Equations: 001 (92).
        """
        return np.einsum("rca,dcb,abij->rdij", A, A, self.moments)

    @cached_property
    def W(self) -> np.ndarray:
        """W_rt = U^T A_r^T M S_t U of (96), (3, 6, n, n).

        Equations: 001 (96).
        """
        return np.einsum("rca,tcb,abij->rtij", A, S, self.moments)

    @cached_property
    def Q(self) -> np.ndarray:
        """Q_1, Q_2, Q_3, Q_4 of (61), (62), (4, n, 3): gravity along the frame's axes.

        Equations: 001 (99)-(100).
        """
        last = np.einsum("bbib->ib", self.moments[:, :, :, 3:6])
        turned = np.einsum("rba,ia->rib", A, last)
        return np.concatenate([turned, last[None]])


def _moments(body: Invariants) -> np.ndarray:
    """Return int U_ai U_bj dm of rigid and elastic shapes together, (3, 3, 6 + m, 6 + m)."""
    m = body.C1.shape[1]
    one, turn = np.eye(3), np.einsum("kac->akc", A)  # (e_k x x)_a = sum_c turn[a, k, c] x_c
    out = np.zeros((3, 3, 6 + m, 6 + m))
    r, t, e = slice(0, 3), slice(3, 6), slice(6, None)
    out[:, :, r, r] = np.einsum("akc,bld,cd->abkl", turn, turn, body.G0)
    out[:, :, r, t] = np.einsum("akc,c,bl->abkl", turn, body.mc0, one)
    out[:, :, t, t] = body.mass * np.einsum("ak,bl->abkl", one, one)
    out[:, :, r, e] = np.einsum("akc,cbj->abkj", turn, body.S0)
    out[:, :, t, e] = np.einsum("ak,bj->abkj", one, body.C1)
    out[:, :, e, e] = body.N
    for low, high in ((r, t), (r, e), (t, e)):
        out[:, :, high, low] = np.einsum("abij->baji", out[:, :, low, high])
    return out
