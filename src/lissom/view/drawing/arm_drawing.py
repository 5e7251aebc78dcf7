"""The drawing of an arm: solids whose points are fixed to frames, and how the frames move.

Every link has its own frame; a flexible one has further frames, sections along its axis. The pose of each is kept in
two parts, so that a viewer may enlarge the deflection: how a link stands on its parent (joint motion), and how far
each section is displaced and turned from where the undeformed link has it. The world pose of all frames follows by
multiplying along the chain, here and in the page that a report carries.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.beam import BeamLink
from lissom.lie import quaternion, so3
from lissom.simulation.postprocess import observe
from lissom.view.figures.figure_style import line

if TYPE_CHECKING:
    from lissom.model.description.robot import Link
    from lissom.model.model import BodyNames, Model
    from lissom.simulation.inputs.payload import Payload
    from lissom.view.drawing.link_solids import DrawnSolid

SECTIONS = 25  # frames along a beam


class FrameMotion(NamedTuple):
    """N samples of an arm with n links and s frames."""

    joint_position: np.ndarray  # (N, n, 3) origin of each link, in the frame of its parent that carries it
    joint_orientation: np.ndarray  # (N, n, 4) its axes there
    displacement: np.ndarray  # (N, s, 3) of each frame from its undeformed place, link axes
    turn: np.ndarray  # (N, s, 3) its rotation vector, link axes
    eta: np.ndarray  # (N, modes) modal coordinates, all links one after the other

    def between(self, k: int, part: float) -> FrameMotion:
        """Return one sample, a part of the way from sample k to the next."""
        return FrameMotion(*(each[k : k + 1] + part * (each[k + 1 : k + 2] - each[k : k + 1]) for each in self))


class WorldFrames(NamedTuple):
    """All frames of an arm in the world, and the world's own as the last."""

    axes: np.ndarray  # (s + 1, 3, 3)
    origin: np.ndarray  # (s + 1, 3)


class Drawing:
    """What a robot looks like at any configuration.

    Attributes
    ----------
        pieces: the solids; `missing` tells of shapes that could not be read.
        owner: (s,) index of the link of each frame; link frames come first, in the model's order.
        rest: (s, 3) place of each frame on its undeformed link, link axes.
        carrier: (n,) frame of the parent that each link stands on, -1 for the world.
        world: index of the frame, after all others, of what stands still.
        end: the link whose tip is marked: the end-effector farthest along the links, or one named.
        tip, tip_offset: the frame that carries this tip, and its place in it, (3,).
        reach: longest way along the links from the base, in m.
        carried: payloads that links pick up and drop.
        follow: index of the link that the picture travels with, None where it stands still (`viewpoint.followed`).
    """

    def __init__(
        self, model: Model, sections: int = SECTIONS, tip: str | None = None, carried: tuple[Payload, ...] = ()
    ) -> None:
        self.model, self.carried = model, carried
        self.links = model.links
        self.specs: dict[str, Link] = {link.name: link for link in model.robot.bodies}
        self._place_frames(sections)
        self.carrier = np.array([self._carrier(self.specs[name]) for name in self.links])
        start = np.cumsum([0, *(body.modes_q.stop - body.modes_q.start for body in model.bodies)])
        self.modes_of = {link: slice(int(a), int(b)) for link, a, b in zip(self.links, start, start[1:])}
        ways = ways_along(model)
        self.end = tip or end_effector(model)
        self.tip, self.tip_offset = self.frame_at(self.end), self._tip_offset(self.end)
        self.reach = max(ways.values(), default=0.0) or 1.0
        self.follow: int | None = None
        self.missing: list[str] = []

    @cached_property
    def pieces(self) -> list[DrawnSolid]:
        """The solids, link by link."""
        from lissom.view.drawing.link_solids import pieces

        return pieces(self)

    # motion

    def motion(self, q: np.ndarray) -> FrameMotion:
        """Return how the frames move at configurations q (N, nq)."""
        q = np.atleast_2d(np.asarray(q, float))
        model, count = self.model, len(q)
        still = np.zeros((count, model.nv))
        seen = observe(model, q, still, still)
        R = quaternion.to_matrix(seen.link_orientation)
        displacement, turn = np.zeros((2, count, len(self.owner), 3))
        eta = np.concatenate([q[:, body.modes_q] for body in model.bodies], axis=1)
        for link, beam in model.flexible.items():
            at = self.frames_of[link]
            T = np.real(beam.pose(self._places[link], eta[:, self.modes_of[link]]))
            displacement[:, at] = T[..., :3, 3] - self.rest[at]
            turn[:, at] = so3.log(T[..., :3, :3])
        position, orientation = np.empty((count, len(self.links), 3)), np.empty((count, len(self.links), 4))
        for k in range(len(self.links)):
            Rc, pc = self._carrier_frame(k, R, seen.link_position, displacement, turn)
            inverse = so3.inverse(Rc)
            position[:, k] = so3.act(inverse, seen.link_position[:, k] - pc)
            orientation[:, k] = _continuous(quaternion.from_matrix(inverse @ R[:, k]))
        return FrameMotion(position, orientation, displacement, turn, eta)

    def frames(self, motion: FrameMotion, sample: int = 0, scale: float = 1.0) -> WorldFrames:
        """Return all frames in the world at one sample, the deflection enlarged by `scale`."""
        turn = so3.exp(scale * motion.turn[sample])
        place = self.rest + scale * motion.displacement[sample]
        joint = quaternion.to_matrix(quaternion.normalise(motion.joint_orientation[sample]))
        R, p = np.empty((self.world + 1, 3, 3)), np.empty((self.world + 1, 3))
        R[self.world], p[self.world] = np.eye(3), 0.0
        for k, link in enumerate(self.links):
            c = self.carrier[k]
            Rk, pk = joint[k], motion.joint_position[sample, k]
            if c >= 0:
                Rk, pk = R[c] @ Rk, p[c] + R[c] @ pk
            at = self.frames_of[link]
            R[at], p[at] = Rk @ turn[at], pk + place[at] @ Rk.T
            R[k], p[k] = Rk, pk
        return WorldFrames(R, p if self.follow is None else p - p[self.follow])

    def points(self, piece: DrawnSolid, frames: WorldFrames, eta: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Return points (n, 3) of a solid in the world; `eta` (modes,) are the modal coordinates of all links."""
        local = piece.mesh.points
        if piece.ends is not None and piece.part is not None:
            from lissom.view.drawing.external_solids import line_axes

            start, end = (frames.origin[frame] + frames.axes[frame] @ offset for frame, offset in piece.ends)
            axes, length = line_axes(start, end)
            return start + length * np.outer(piece.part, axes[:, 0]) + local @ axes.T
        if piece.modes is not None:
            local = local + scale * np.tensordot(eta[self.modes_of[piece.link]], piece.modes, 1)
        at = piece.mesh.frame
        return frames.origin[at] + np.einsum("nij,nj->ni", frames.axes[at], local)

    def tips(self, motion: FrameMotion, scale: float = 1.0) -> np.ndarray:
        """Return the path of the arm's tip, (N, 3)."""
        every = (self.frames(motion, sample, scale) for sample in range(len(motion.eta)))
        return np.array([origin[self.tip] + axes[self.tip] @ self.tip_offset for axes, origin in every])

    # looks

    @property
    def up(self) -> np.ndarray:
        """Unit vector against gravity; z where there is none."""
        g = np.real(np.asarray(self.model.robot.gravity))
        size = float(np.linalg.norm(g))
        return -g / size if size > 0 else np.array([0.0, 0.0, 1.0])

    @property
    def grounded(self) -> bool:
        """Whether there is a ground, with shadows: not in space, nor where the picture travels with the arm."""
        return self.follow is None and bool(np.any(np.real(np.asarray(self.model.robot.gravity))))

    def colour(self, body: BodyNames) -> str:
        """Colour of a joint and of the link that it carries, the same as in every plot."""
        bodies = sorted(self.model.bodies, key=lambda b: b.joint_v.stop == b.joint_v.start)
        return str(line(bodies.index(body))["color"])

    def frame_at(self, link: str, place: Any = None) -> int:
        """Return the frame of a flexible link at a place, its tip unless given; of a rigid link, its own."""
        at = self.frames_of[link]
        if link not in self.model.flexible:
            return int(at[0])
        places = self._places[link]
        if place is None:
            place = max(x for x in places if not isinstance(x, str))
        return int(at[places.index(place)])

    # construction

    def places(self, link: str) -> list[Any]:
        """Return where on a flexible link its frames are: metres along it, or names of interfaces."""
        return self._places[link]

    def _place_frames(self, sections: int) -> None:
        owner, rest = list(range(len(self.links))), [np.zeros((len(self.links), 3))]
        self._places: dict[str, list[Any]] = {}
        self.frames_of: dict[str, np.ndarray] = {}
        for k, link in enumerate(self.links):
            self.frames_of[link] = np.array([k])
            if link in self.model.flexible:
                beam = self.model.flexible[link]
                self._places[link] = places = self._along(link, sections)
                self.frames_of[link] = np.arange(len(owner), len(owner) + len(places))
                owner += [k] * len(places)
                rest.append(np.real(beam.pose(places, np.zeros(beam.count)))[:, :3, 3])
        self.owner, self.rest = np.array(owner), np.concatenate(rest)
        self.world = len(owner)

    def _along(self, link: str, sections: int) -> list[Any]:
        """Return places on a flexible link: evenly along it, and where something is attached (a number or a name)."""
        beam = self.model.flexible[link]
        attached = [_real(other.at) for other in self.specs.values() if other.parent == link and other.at is not None]
        attached += [_real(frame.at) for frame in self.model.frames if frame.link == link and frame.at is not None]
        masses = [_real(lump.x) for lump in beam.masses]
        numbers = {x for x in (*attached, *masses) if not isinstance(x, str)}
        length = float(np.real(beam.length))
        stations = [length * xi for xi in beam.profile.edges[1:-1]] if isinstance(beam, BeamLink) else []
        even = np.linspace(0, length, sections).tolist()
        return sorted({*even, *numbers, *stations}) + sorted({x for x in attached if isinstance(x, str)})

    def _carrier(self, spec: Link) -> int:
        if spec.parent not in self.links:
            return -1
        return self.frame_at(spec.parent, None if spec.at is None else _real(spec.at))

    def _carrier_frame(self, k: int, R: np.ndarray, p: np.ndarray, displacement: np.ndarray, turn: np.ndarray) -> Any:
        """Return axes (N, 3, 3) and origin (N, 3) of the frame that carries link k."""
        c = int(self.carrier[k])
        if c < 0:
            return np.broadcast_to(np.eye(3), (len(p), 3, 3)), np.zeros((len(p), 3))
        parent = int(self.owner[c])
        place = self.rest[c] + displacement[:, c]
        return R[:, parent] @ so3.exp(turn[:, c]), p[:, parent] + so3.act(R[:, parent], place)

    def _tip_offset(self, link: str) -> np.ndarray:
        tip = None if link in self.model.flexible else getattr(self.specs[link].body, "tip", None)
        return np.zeros(3) if tip is None else np.real(np.asarray(tip))


def end_effector(model: Model) -> str:
    """Return the link that carries no other and whose tip is farthest along the links; the last of equals."""
    ways = ways_along(model)
    return max(reversed(model.ends), key=lambda link: ways[link])


def ways_along(model: Model) -> dict[str, float]:
    """Return how far the tip of every link is from the base, in m along the links."""
    begin: dict[str, float] = {}  # way to where a link's children are counted from: its tip, or its joint if rigid
    ways = {}
    for spec in model.robot.bodies:
        joint = begin.get(spec.parent, 0.0) + float(np.linalg.norm(np.real(spec.origin.xyz)))
        bends = spec.name in model.flexible
        ways[spec.name] = joint + (float(np.real(model.flexible[spec.name].length)) if bends else _size(spec.body))
        begin[spec.name] = ways[spec.name] if bends else joint
    return ways


def _real(place: Any) -> Any:
    return place if isinstance(place, str) else float(np.real(place))


def _size(body: Any) -> float:
    """Return how far a rigid body goes from its joint, in m."""
    tip = getattr(body, "tip", None)
    ends = [body.com] if tip is None else [body.com, tip]
    return max(float(np.linalg.norm(np.real(end))) for end in ends)


def _continuous(q: np.ndarray) -> np.ndarray:
    """Return quaternions (N, 4) with the sign that is nearer to the one before."""
    near = np.sum(q[1:] * q[:-1], axis=1)
    sign = np.cumprod(np.concatenate([[1.0], np.where(near < 0, -1.0, 1.0)]))
    return q * sign[:, None]
