"""A link made of finite elements, reduced to a few coordinates: a link like any other.

Its frame is that of its base interface, with the axes of the mesh. Points move as s = s0 + Phi eta (a linear field);
other links take hold of its interfaces, which move by phi eta and turn by psi eta.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.beam import Damping, Invariants, LinkModes, SectionMap
from lissom.beam import damping as laws
from lissom.beam.constants import constant_property
from lissom.beam.displacement_fields.section_rotation import bend, roll
from lissom.beam.functions.eigenmodes import eigenmodes
from lissom.errors import LissomError
from lissom.fem.fe_structure import Array
from lissom.messages import suggestion

if TYPE_CHECKING:
    from lissom.fem.truncation import Truncation


class Attachment(NamedTuple):
    """An interface of a reduced link, in link axes."""

    position: Array  # (3,) of its frame on the undeformed link
    phi: Array  # (3, m) displacement per coordinate
    psi: Array  # (3, m) rotation per coordinate


@dataclass(frozen=True, eq=False)
class ReducedLink:
    """A flexible link of any shape with m coordinates (`mode1`, `mode2`, ...: its natural modes, base held).

    Coordinates are scaled so that each has the link's mass as its modal mass: their unit is the metre.
    A `FlexibleLink`; places on it are interfaces, by name, or metres along the line from base to tip.
    """

    inertia: Invariants
    modal_stiffness: Array  # (m, m)
    interfaces: Mapping[str, Attachment]
    base: str
    tip: str
    truncation: Truncation
    nodes: Array = field(default_factory=lambda: np.zeros((0, 3)))  # (n, 3) in link axes
    shapes: Array = field(default_factory=lambda: np.zeros((0, 3, 0)))  # (n, 3, m) displacement of the nodes
    stress_shapes: Array | None = None  # (n, 6, m) Pa, mesh axes: xx, yy, zz, yz, zx, xy
    faces: Array = field(default_factory=lambda: np.zeros((0, 3), int))  # (f, 3) triangles of its surface
    lines: Array = field(default_factory=lambda: np.zeros((0, 2), int))  # (l, 2) members of a frame
    damping: Damping = 0.0

    masses = ()  # all mass is spread over the elements
    second_order = False
    stiffening = "none"

    def __post_init__(self) -> None:
        laws.check(self.damping)

    @property
    def count(self) -> int:
        """Number m of coordinates."""
        return len(self.modal_stiffness)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: mode1, mode2, ..."""
        return tuple(f"mode{k + 1}" for k in range(self.count))

    @property
    def directions(self) -> tuple[str, ...]:
        """What kind each coordinate is."""
        return ("mode",) * self.count

    bending_count = 0

    @property
    def mass(self) -> Any:
        """Mass in kg."""
        return self.inertia.mass

    @property
    def length(self) -> float:
        """Distance from the base to the tip, m; of a link with one interface, its largest extent."""
        if self.tip != self.base:
            return float(np.linalg.norm(self.interfaces[self.tip].position))
        return float(np.linalg.norm(self.nodes, axis=1).max()) if len(self.nodes) else 1.0

    def position(self, x: Any) -> Array:
        """Return places on the undeformed link: scalar or name -> (3,), (k,) -> (k, 3)."""
        if isinstance(x, str):
            return self._attachment(x).position
        return np.multiply.outer(np.asarray(x) / self.length, self.interfaces[self.tip].position)

    def section_map(self, x: Any) -> SectionMap:
        """Return how the frame at a place moves: an interface by name, or x metres along the line from base to tip.

        Between the ends of that line it moves as a beam without loads between them would (Hermite's cubic).
        """
        position, phi, psi = self._attachment(x) if isinstance(x, str) else self._between(float(np.real(x)))
        none = np.zeros((self.count, self.count))
        return SectionMap(position, phi, psi, none, none)

    def pose(self, x: Any, eta: Array) -> Array:
        """Return frame at a place in the link frame: eta (..., m), x scalar, name or (k,) -> (..., [k,] 4, 4)."""
        places = x if np.ndim(x) else [x]
        maps = [self.section_map(place) for place in places]
        u = np.einsum("kaj,...j->...ka", np.array([m.phi for m in maps]), eta)
        th = np.einsum("kaj,...j->...ka", np.array([m.psi for m in maps]), eta)
        T = np.zeros((*u.shape[:-1], 4, 4), u.dtype)
        T[..., :3, :3] = bend(th[..., 1], th[..., 2]) @ roll(th[..., 0])
        T[..., :3, 3] = u + np.array([m.position for m in maps])
        T[..., 3, 3] = 1
        return T if np.ndim(x) else T[..., 0, :, :]

    def displacement(self, x: Any, eta: Array) -> Array:
        """Return displacement at a place: eta (..., m), x scalar, name or (k,) -> (..., [k,] 3)."""
        return self.pose(x, eta)[..., :3, 3] - self.position(x)

    def deformed(self, eta: Array) -> Array:
        """Return the nodes at eta (..., m), in link axes: (..., n, 3)."""
        return self.nodes + np.einsum("naj,...j->...na", self.shapes, eta)

    def stress(self, eta: Array, nodes: Any = slice(None)) -> Array:
        """Return stress at nodes, (..., k, 6) Pa in mesh axes: xx, yy, zz, yz, zx, xy; for eta (..., m)."""
        if self.stress_shapes is None:
            raise LissomError("this link carries no stresses: they are known for links meshed with solid elements")
        return np.einsum("naj,...j->...na", self.stress_shapes[nodes], eta)

    def von_mises(self, eta: Array, nodes: Any = slice(None)) -> Array:
        """Return equivalent stress (von Mises) at nodes, (..., k) Pa."""
        xx, yy, zz, yz, zx, xy = np.moveaxis(self.stress(eta, nodes), -1, 0)
        return np.sqrt(((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (yz**2 + zx**2 + xy**2))

    def nearest_node(self, point: Any) -> int:
        """Return index of the node nearest to a point (3,) in link axes."""
        return int(np.argmin(np.linalg.norm(self.nodes - np.asarray(point, float), axis=1)))

    def invariants(self) -> Invariants:
        """Return integrals over the mass."""
        return self.inertia

    def shortening(self) -> None:
        """Return None: a linear field has no foreshortening."""

    def stations(self) -> None:
        """Return None: a linear field has no tables of an exact one."""

    def stiffness(self) -> Array:
        """Return K of the strain energy 1/2 eta^T K eta, (m, m)."""
        return self.modal_stiffness

    @property
    def bow(self) -> None:
        """A linear field has no terms of fourth order."""

    def bow_shares(self) -> Array:
        """Return None, as it does not bow."""
        return np.zeros((0, 0))

    def preload(self) -> Array:
        """Return zeros: nothing strains the link by itself."""
        return np.zeros(self.count)

    def cubic_terms(self) -> tuple[Array, Array, Array]:
        """Return strain energy beyond 1/2 eta^T K eta: none."""
        return np.zeros((0, 3), np.int64), np.zeros(0), np.zeros(0)

    def damping_matrix(self) -> Array:
        """Return D of the damping force -D etadot, (m, m)."""
        return self._damping_matrix

    @constant_property
    def _damping_matrix(self) -> Array:
        return laws.matrix(self.damping, self.inertia.mass_matrix, self.modal_stiffness)

    def strain_energy(self, eta: Array) -> Any:
        """Return elastic energy at eta (..., m)."""
        return np.einsum("...i,ij,...j->...", eta, self.modal_stiffness, eta) / 2

    def natural_modes(self) -> LinkModes:
        """Return undamped natural modes with the base held."""
        omega, X = eigenmodes(np.real(self.inertia.mass_matrix), np.real(self.modal_stiffness))
        return LinkModes(omega / (2 * np.pi), self.labels, X)

    def with_damping(self, damping: Damping) -> ReducedLink:
        """Return the same link with another damping: a modal ratio, {"stiffness": ..., "mass": ...} or a preset."""
        return replace(self, damping=damping)

    def scaled(self, stiffness: Any = 1.0, mass: Any = 1.0) -> ReducedLink:
        """Return the same link and coordinates of a stiffer or heavier material; factors may be complex."""
        inertia = Invariants(**{name: mass * value for name, value in vars(self.inertia).items()})
        stress = None if self.stress_shapes is None else np.real(stiffness) * self.stress_shapes
        return replace(self, inertia=inertia, modal_stiffness=stiffness * self.modal_stiffness, stress_shapes=stress)

    def save(self, path: Any) -> None:
        """Write the link to an .npz file; `ReducedLink.load` reads it back."""
        from lissom.fem.reduced_files import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> ReducedLink:
        """Return a link from an .npz file that `save` wrote."""
        from lissom.fem.reduced_files import load

        return load(path)

    def _attachment(self, name: str) -> Attachment:
        if name not in self.interfaces:
            raise LissomError(f"there is no such interface; {suggestion(name, self.interfaces)}", ("interface",), name)
        return self.interfaces[name]

    def _between(self, x: float) -> Attachment:
        if not -1e-12 <= x / self.length <= 1 + 1e-12:
            raise LissomError(f"not on the link, whose tip is {self.length:g} m from its base", ("x",), x)
        end, s, L = self.interfaces[self.tip], x / self.length, self.length
        along = end.position / L if self.tip != self.base else np.array([1.0, 0.0, 0.0])
        value, rise = 3 * s**2 - 2 * s**3, L * (s**3 - s**2)
        slope, bow = 6 * (s - s**2) / L, 3 * s**2 - 2 * s
        lean = np.cross(end.psi, along, axis=0)  # how fast the axis leans where the end turns
        across = np.eye(3) - np.outer(along, along)
        phi = s * np.outer(along, along @ end.phi) + across @ (value * end.phi + rise * lean)
        lean_here = across @ (slope * end.phi + bow * lean)
        psi = s * np.outer(along, along @ end.psi) + np.cross(along, lean_here, axisb=0, axisc=0)
        return Attachment(s * end.position, phi, psi)
