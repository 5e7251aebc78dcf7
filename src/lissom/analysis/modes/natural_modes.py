"""Natural frequencies and mode shapes of a whole arm at a pose."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.held_coordinates import Hold, held_coordinates
from lissom.analysis.equilibrium.loop_freedoms import LoopFreedoms, free_displacements, multipliers
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.equilibrium.tangent_matrices import eigenmodes, tangent, without_gravity
from lissom.analysis.field_validity import field_doubts
from lissom.analysis.modes import participation
from lissom.analysis.modes.participation import ModeShare, Participation
from lissom.analysis.modes.resolved_frequencies import resolved_modes
from lissom.dynamics import bias
from lissom.dynamics.coordinates import Named, indices
from lissom.dynamics.kinematic_loops.cylinder_pose import closed_pose
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError, check_choice
from lissom.messages import listed
from lissom.model.any_robot import AnyRobot, model_for
from lissom.model.model import Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table
    from xarray import Dataset

Locked: TypeAlias = bool | Literal["motors"] | Iterable[str]

ROUNDING = 1e-14  # damping ratios below are those of rounding
TWISTS = 0.2  # of the strain energy of a mode, in the torsion of a link, for it to matter


@dataclass(frozen=True, eq=False)
class NaturalModes(Printed):
    """Undamped natural modes, slowest first.

    A mode that does not oscillate has the frequency zero: a rigid motion of free joints, or one that gravity
    or a load makes unstable (`growth` above zero). Two modes that flutter under a follower load share a
    frequency and a growth; their shapes are the real and the imaginary part of the motion.
    """

    frequencies: np.ndarray  # (modes,) Hz
    damping_ratios: (
        np.ndarray
    )  # (modes,) of the damping matrix seen by each mode; nan where it does not oscillate or grows
    shapes: np.ndarray  # (nv, modes) unit modal mass, zero rows where locked
    labels: tuple[str, ...]  # such as "upper bending y 1"
    participation: Participation
    growth: np.ndarray  # (modes,) 1/s, rate at which an unstable mode grows, else zero
    coordinates: tuple[str, ...]  # names of the rows of `shapes`
    locked: tuple[str, ...]  # coordinates that do not move
    q: Vector = field(repr=False)  # (nq,) the pose
    resolved: np.ndarray  # (modes,) whether the functions of the links that bend in a mode follow its frequency
    name: str = "robot"
    coarse: tuple[str, ...] = ()  # the links whose functions do not, in modes that are not resolved

    def __len__(self) -> int:
        return len(self.frequencies)

    @property
    def oscillating(self) -> np.ndarray:
        """(modes,) True where a mode oscillates."""
        return self.frequencies > 0

    def shape(self, mode: int | str) -> dict[str, float]:
        """Return the shape of a mode, by its number from 0 or its label, as {coordinate: amplitude}."""
        if isinstance(mode, str):
            if mode not in self.labels:
                raise LissomError(f"there is no such mode; the modes are {', '.join(self.labels)}", ("mode",), mode)
            mode = self.labels.index(mode)
        return dict(zip(self.coordinates, self.shapes[:, mode].tolist()))

    def main_numbers(self) -> dict[str, tuple[float, str]]:
        """Return the frequencies by number, from 1, with their unit: what `lissom.trust` gives error bars."""
        return {f"frequency.{k + 1}": (float(value), "Hz") for k, value in enumerate(self.frequencies)}

    def table(self) -> Table:
        """Return a rich table: frequency, damping, what bends, and which coordinates move."""
        columns = ("mode", "Hz", "damping", "what gives way", "share of the kinetic energy")
        table = printing.table(*columns, title=f"natural modes of {self.name}")
        for k, label in enumerate(self.labels):
            moving = ", ".join(f"{name} {share:.0%}" for name, share in self.participation.strongest(k))
            hz = f"{self.frequencies[k]:.5g}" if self.frequencies[k] or self.growth[k] == 0 else ""
            hz += f"{' ' * bool(hz)}unstable ({self.growth[k]:.3g}/s)" if self.growth[k] else ""
            hz += "" if self.resolved[k] else " *"
            ratio = "-" if np.isnan(self.damping_ratios[k]) else f"{100 * self.damping_ratios[k]:.3g} %"
            table.add_row(str(k + 1), hz, ratio, label, moving)
        if not self.resolved.all():
            table.caption = (
                f"* may be too high: beyond what the functions of {listed(self.coarse, 'and')} follow; "
                "write modes: {to: the frequency you need} in the beam"
            )
        return table

    def to_dataset(self) -> Dataset:
        """Return the modes as a labelled xarray.Dataset with dimensions mode and coordinate."""
        from xarray import Dataset

        by_mode, by_both = ("mode",), ("coordinate", "mode")
        return Dataset(
            {
                "frequency": (by_mode, self.frequencies, {"units": "Hz"}),
                "damping_ratio": (by_mode, self.damping_ratios),
                "growth": (by_mode, self.growth, {"units": "1/s"}),
                "shape": (by_both, self.shapes),
                "participation": (by_both, self.participation.shares),
            },
            coords={"mode": list(self.labels), "coordinate": list(self.coordinates)},
        )


def natural_modes(
    robot: AnyRobot,
    q: ArrayLike | Named | Equilibrium | None = None,
    locked: Locked = True,
    number: int | None = None,
    *,
    at: Literal["given", "equilibrium"] = "given",
    gravity: bool = True,
    prestress: bool = True,
    lengths: Mapping[str, float] | None = None,
) -> NaturalModes:
    """Return undamped natural modes about a pose at rest, from the mass matrix and the exact stiffness there.

    Parameters
    ----------
    q : array_like, mapping or Equilibrium, optional
        Pose (nq,), or {joint: value} with the rest neutral; neutral unless given. Or an `Equilibrium`: all that
        acts there counts, its loads, wrenches that follow a link, and reactions in loops. Where loops are to be
        closed, named joints are kept and the rest is found; cylinders driven by length follow the pose, or are
        named like joints ({"lift": 3.8}).
    locked : str or sequence of str
        True locks every joint (in loops those near the ground, which the others follow), rotors included; False
        locks nothing; "motors" locks the rotors and the joints that have none, so that elastic joints give way. Or
        names: "elbow" locks the joint's angle, "elbow.rotor" its rotor. Prescribed joints are always locked.
    number : int, optional
        How many modes, from the slowest on; all unless given.
    at : {"given", "equilibrium"}
        "given" takes q as it is; "equilibrium" lets the arm sag first, held as `locked` says (by its joints with
        False, which are let go afterwards).
    gravity : bool
        Whether weight acts: it stiffens or softens what hangs or stands.
    prestress : bool
        False takes the stiffness of the unloaded, undeformed arm; the mass matrix stays that at the pose.
    lengths : mapping of str to float, optional
        Distance in metres of loops that hold one, where it is neither their own nor to follow.

    Returns
    -------
    NaturalModes
        Frequencies from the slowest on, shapes over coordinates and links, and whether the pose is stable.

    Examples
    --------
    >>> modes = lissom.natural_modes("ella", {"elbow": 0.5}, number=4)
    >>> modes.frequencies  # Hz
    """
    model = model_for(robot, (), q)
    check_choice("at", at, ("given", "equilibrium"))
    if number is not None and (isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1):
        raise LissomError("must be a whole number of modes from 1 on, or None for all", ("number",), number)
    loaded = model if gravity else without_gravity(model)
    locked = locked if isinstance(locked, bool | str) else tuple(locked)
    rest: Equilibrium | None = None
    if isinstance(q, Equilibrium):
        rest, pose = q, q.q
        fixed = _locked_coordinates(model, locked, pose, rest.lengths)
    else:
        pose, there = closed_pose(model, q, lengths)
        fixed = _locked_coordinates(model, locked, pose, there)
        if at == "equilibrium":
            rest = static_equilibrium(loaded, pose, hold=_hold(locked), lengths=there)
            pose = rest.q
    free = np.setdiff1d(np.arange(model.nv), fixed)
    open_ = free_displacements(model, pose, free)
    if not open_.basis.shape[1]:
        text = f"{model.robot.name} has nothing left to move: its links are rigid or held; let joints move"
        raise LissomError(f"{text} (locked=False, on the command line --free)", ("locked",), locked)
    M, C, K, pull = _matrices(loaded, pose, rest, open_, free, prestress)
    every = participation.parts(model)
    free_parts = [part for k, part in enumerate(every) if k in set(free.tolist())]
    squares, shapes = _modes(M, K, free, open_.basis, free_parts, pull)
    squares, shapes = squares[:number], shapes[:, :number]
    # Frequency, growth where the stiffness is negative, and damping ratio phi^T C phi / (2 omega).
    rates = np.sqrt(-squares.astype(complex))
    omega, growth = np.abs(rates.imag), np.abs(rates.real)
    decay = np.einsum("ik,ij,jk->k", shapes, C, shapes)
    ratios = decay / (2 * np.where(omega > 0, omega, 1.0))
    n = len(every)  # states of actuators stay, and have no part
    moving = participation.kinetic(every, M[:n, :n], shapes[:n])
    stored = (shapes * (K @ shapes))[:n]
    _warn_of_torsion(model, pose, every, stored)
    resolved, coarse = resolved_modes(model, pose, every, omega**2, shapes, stored)
    return NaturalModes(
        frequencies=omega / (2 * np.pi),
        damping_ratios=np.where((omega > 0) & (growth == 0), np.where(np.abs(ratios) > ROUNDING, ratios, 0.0), np.nan),
        shapes=shapes,
        labels=participation.labels(every, stored, moving.shares, squares == 0),
        participation=moving,
        growth=growth,
        coordinates=model.coordinates,
        locked=tuple(model.coordinates[k] for k in fixed),
        q=pose,
        resolved=resolved,
        name=model.robot.name,
        coarse=coarse,
    )


def _warn_of_torsion(model: Model, q: Vector, parts: tuple[ModeShare, ...], stored: np.ndarray) -> None:
    """Warn where modes twist links that are bent too far for their field."""
    for doubt in field_doubts(model, q, modes=True):
        rows = [k for k, part in enumerate(parts) if (part.link, part.direction) == (doubt.link, "torsion")]
        twists = np.abs(stored[rows]).sum(axis=0) > TWISTS * np.abs(stored).sum(axis=0)
        if doubt.kind == "torsion" and twists.any():
            warnings.warn(doubt.text, UserWarning, stacklevel=3)


def _locked_coordinates(
    model: Model, locked: Locked, q: Vector, lengths: Mapping[str, float] | None = None
) -> list[int]:
    """Return the indices in v of the coordinates that do not move."""
    if locked is True:
        fixed = set(held_coordinates(model, "joints", q, lengths)) | {
            body.rotor_v for body in model.bodies if body.rotor_v is not None
        }
    elif locked is False:
        fixed = set()
    elif isinstance(locked, str) and locked != "motors":
        raise LissomError(f"write True, False, 'motors' or a list of names such as [{locked!r}]", ("locked",), locked)
    else:
        fixed = set(held_coordinates(model, locked, q, lengths))
    fixed |= set(range(model.moving, model.nv))  # states of actuators stay as they are
    return sorted(fixed | set(np.flatnonzero(model.arrays.velocities.prescribed).tolist()))


def _hold(locked: Locked) -> Hold:
    """Return what holds the arm while it sags; of an elastic joint locked on both sides, the link's side."""
    if isinstance(locked, bool):
        return "joints"
    if isinstance(locked, str):
        return locked
    names = set(locked)
    return [name for name in names if not (name.endswith(".rotor") and name.removesuffix(".rotor") in names)]


def _matrices(
    model: Model, q: Vector, rest: Equilibrium | None, open_: LoopFreedoms, free: np.ndarray, prestress: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return mass, damping and stiffness matrix about q at rest, and the largest force there."""
    if not prestress:
        plain = q.copy()
        for body in model.bodies:
            plain[body.modes_q] = 0.0
            if body.rotor_q is not None:
                plain[body.rotor_q] = plain[indices(body.joint_q)[0]]
        K = tangent(without_gravity(model), plain).K
        return *tangent(model, q)[1:3], (K + K.T) / 2, 0.0
    pull = bias(model, q, np.zeros(model.nv))
    if rest is not None:
        found = tangent(model, q, rest.wrenches, rest.loads, rest.multipliers, tau=rest.tau)
        return found.M, found.C, found.K, float(np.abs(pull).max(initial=0.0))
    found = tangent(model, q, lam=multipliers(open_, pull[free]))
    # Nobody says what holds a pose that is no equilibrium: such forces have a potential.
    return found.M, found.C, (found.K + found.K.T) / 2, float(np.abs(pull).max(initial=0.0))


def _modes(
    M: np.ndarray, K: np.ndarray, free: np.ndarray, Z: np.ndarray, free_parts: list[ModeShare], pull: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return squares of the angular frequencies, rising, and shapes (nv, modes) of unit modal mass, in the span of Z.

    `pull` is the largest force at rest: what its derivatives leave by rounding is no stiffness.
    """
    from scipy.linalg import LinAlgError

    inner = np.ix_(free, free)
    mass, stiffness = M[inner], K[inner]
    try:
        found = eigenmodes(Z.T @ mass @ Z, Z.T @ stiffness @ Z, pull)
    except LinAlgError:
        least = free_parts[int(mass.diagonal().argmin())].coordinate
        raise LissomError(f"the mass matrix is not positive definite: look at what {least} moves") from None
    squares, X = found.squares, Z @ found.shapes
    if found.potential:
        X = participation.separate_modes(X, mass, squares, found.noise[0], free_parts)
        # Rayleigh's quotient removes the rounding that the stiffest mode leaves on the softest.
        squares = np.einsum("ik,ij,jk->k", X, stiffness, X) / np.einsum("ik,ij,jk->k", X, mass, X)
    squares = np.where(np.abs(found.squares) <= found.noise, 0.0, squares)
    if np.iscomplexobj(X):  # pairs that flutter stand side by side, the negative imaginary part first
        X = np.where(squares.imag < 0, X.real, np.where(squares.imag > 0, X.imag, X.real))
        X = X / np.sqrt(np.einsum("ik,ij,jk->k", X, mass, X))
    order = np.argsort(squares.real, kind="stable")
    X = X[:, order] * np.sign(X[np.abs(X).argmax(axis=0), np.arange(X.shape[1])])[order]
    shapes = np.zeros((len(M), X.shape[1]))
    shapes[free] = X
    return squares[order], shapes
