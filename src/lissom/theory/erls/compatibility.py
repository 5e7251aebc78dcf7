"""Compatibility of displacements at the joints: C(theta) q = 0, and the rigid coordinates that follow from it.

At every joint the place on the parent and the origin of the child move alike, but for what the joint leaves free: a
revolute joint the rotation about its axis, a prismatic one the translation along it. The rows so found are solved for
the rigid coordinates with the right pseudoinverse, q_r = D(theta) q_d, (6)-(11). Velocities and accelerations are the
exact derivatives of that solution: the pseudoinverse changes too, which (14) and (22) leave out (see the errata).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.lie import se3
from lissom.theory.erls.chain import Chain, Frames


class Rows:
    """Constant parts of the compatibility rows of a chain: q = (all q_r, all q_d)."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.rigid = 6 * len(chain.nodes)
        self.size = self.rigid + chain.modes
        screws = [np.zeros(6) if node.screw is None else node.screw for node in chain.nodes]
        self.free = screws  # direction that a joint leaves free; screws have unit length
        self.held = [np.linalg.svd(screw[None])[2][int(screw.any()) :] for screw in screws]  # (5 or 6, 6) the others
        self.ad = [se3.ad(screw) for screw in screws]

    def own(self, i: int) -> np.ndarray:
        """Displacement (6, size) of the origin of node i."""
        out = np.zeros((6, self.size))
        out[:, 6 * i : 6 * i + 6] = np.eye(6)
        node = self.chain.nodes[i]
        out[:, self.rigid :][:, self.chain.elastic[i]] = node.link.proximal
        return out

    def carrier(self, i: int) -> np.ndarray:
        """Displacement (6, size) of the place on its parent that carries node i, in the parent's axes."""
        out = np.zeros((6, self.size))
        node = self.chain.nodes[i]
        if node.parent >= 0:
            p = node.parent
            arm = np.eye(4)
            arm[:3, 3] = -node.place
            out[:, 6 * p : 6 * p + 6] = se3.Ad(arm)  # rotation rho moves the place by rho x place
            out[:, self.rigid :][:, self.chain.elastic[p]] = node.shapes
        return out


@dataclass(frozen=True, eq=False)
class Placement:
    """Modal coordinates of all links as functions of (theta, q_d), and their first derivatives."""

    q: np.ndarray  # (size,) = (q_r, q_d)
    N: np.ndarray  # (size, n + modes): qdot = N (thetadot, q_d dot); [[G, D], [0, 1]] of (69)
    slip: np.ndarray  # (n,) displacement along what each joint leaves free
    slip_N: np.ndarray  # (n, n + modes): its rate
    Cr: np.ndarray
    Cd: np.ndarray
    F: np.ndarray  # (n, size): slip = F q
    slopes: Slopes
    gram: np.ndarray  # (Cr Cr^T)^-1
    multiplier: np.ndarray  # q_r = Cr^T multiplier


@dataclass(frozen=True, eq=False)
class Motion(Placement):
    """The same with velocities and what accelerations have beside N (thetaddot, q_d ddot)."""

    rate: np.ndarray  # (size,)
    bias: np.ndarray  # (size,): n of (23)
    slip_bias: np.ndarray  # (n,)


class Slopes(NamedTuple):
    """Derivatives of C (constraints, size) and F (n, size), each row by the coordinate of its own joint."""

    C: np.ndarray
    CC: np.ndarray
    F: np.ndarray
    FF: np.ndarray


class Compatibility:
    """C(theta) and its derivatives for a chain, and the modal coordinates that solve it."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.rows = Rows(chain)
        nodes, held = range(len(chain.nodes)), [len(held) for held in self.rows.held]
        basis = np.array([[*self.rows.held[i], self.rows.free[i]][:6] for i in nodes])  # of all six directions per node
        self._own = basis @ np.array([self.rows.own(i) for i in nodes])
        self._carrier = np.array([self.rows.carrier(i) for i in nodes])
        self._basis, self._turn, self._ad = basis, basis @ np.array(self.rows.ad), np.array(self.rows.ad)
        self._held = np.concatenate([6 * i + np.arange(count) for i, count in enumerate(held)])
        self._free = 6 * np.array([chain.coordinate.index(k) for k in range(chain.joints)], int) + 5
        self.constraints = len(self._held)
        self._coordinate = np.repeat(chain.coordinate, held)  # behind each row, -1: none

    def place(self, frames: Frames, q_d: np.ndarray) -> Placement:
        """Modal coordinates at theta (in `frames`) and q_d, by (11) and (14)."""
        n, rigid = self.chain.joints, self.rows.rigid
        C, F, slopes = self.matrices(frames)
        Cr, Cd = C[:, :rigid], C[:, rigid:]
        gram = np.linalg.inv(Cr @ Cr.T)
        plus = Cr.T @ gram  # right pseudoinverse
        D = -plus @ Cd  # (11)
        multiplier = -gram @ (Cd @ q_d)
        q = np.concatenate([D @ q_d, q_d])
        E = np.zeros((self.constraints, n))  # (13)
        moving = np.flatnonzero(self._coordinate >= 0)
        k = self._coordinate[moving]
        E[moving, k] = (slopes.C @ q)[moving]
        share = np.zeros_like(E)
        share[moving, k] = multiplier[moving]
        turned = slopes.C[:, :rigid].T @ share  # (dC_r/dtheta_k)^T multiplier
        N = np.zeros((self.rows.size, n + self.chain.modes))
        N[:rigid, :n] = turned - plus @ (E + Cr @ turned)  # G of (14), with the change of the pseudoinverse
        N[:rigid, n:] = D
        N[rigid:, n:] = np.eye(self.chain.modes)
        slip_N = F @ N
        slip_N[np.arange(n), np.arange(n)] += slopes.F @ q
        return Placement(q, N, F @ q, slip_N, Cr, Cd, F, slopes, gram, multiplier)

    def move(self, placed: Placement, rate: np.ndarray, q_d_rate: np.ndarray) -> Motion:
        """Velocities and acceleration terms (23) at thetadot and q_d dot."""
        rigid, slopes = self.rows.rigid, placed.slopes
        q, Cr, gram, multiplier = placed.q, placed.Cr, placed.gram, placed.multiplier
        q_rate = placed.N @ np.concatenate([rate, q_d_rate])
        by_row = np.where(self._coordinate >= 0, np.append(rate, 0.0)[self._coordinate], 0.0)
        Cdot, Cddot = by_row[:, None] * slopes.C, (by_row**2)[:, None] * slopes.CC
        change = Cdot @ q + placed.Cd @ q_d_rate + Cr @ (Cdot[:, :rigid].T @ multiplier)
        pull = Cddot[:, :rigid].T @ multiplier - 2 * Cdot[:, :rigid].T @ (gram @ change)
        bias = np.zeros(self.rows.size)
        bias[:rigid] = pull - Cr.T @ (gram @ (Cddot @ q + 2 * Cdot @ q_rate + Cr @ pull))
        slip_bias = rate**2 * (slopes.FF @ q) + 2 * rate * (slopes.F @ q_rate) + placed.F @ bias
        return Motion(**vars(placed), rate=q_rate, bias=bias, slip_bias=slip_bias)

    def matrices(self, frames: Frames) -> tuple[np.ndarray, np.ndarray, Slopes]:
        """C(theta) of (7), (constraints, size); F (n, size) of what the joints leave free; their derivatives.

        Rows depend on the coordinate of their own joint alone, through T = Ad(exp(-S theta)) T_0, dT = -ad(S) T.
        """
        carried = frames.T @ self._carrier
        rows = self._own - self._basis @ carried
        first = self._turn @ carried
        second = -self._turn @ (self._ad @ carried)
        (C, F), (dC, dF), (ddC, ddF) = (self._parted(x) for x in (rows, first, second))
        return C, F, Slopes(dC, ddC, dF, ddF)

    def _parted(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (nodes, 6, size) of the directions that joints hold, and of those they leave free."""
        flat = rows.reshape(-1, self.rows.size)
        return flat[self._held], flat[self._free]
