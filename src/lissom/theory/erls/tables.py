"""What the compiled equations of a chain read and write: its constants, and memory for one evaluation.

Arrays with an axis per elastic coordinate are padded to the largest count m. Modal coordinates of a node are stored as
(rotation, translation, elastic), k = 6 + m of them. Twists, displacements and wrenches have the angular part first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from lissom.theory.erls.chain import Chain
    from lissom.theory.erls.link import ErlsLink

Array = np.ndarray


class Tables(NamedTuple):
    """Constants of N nodes with n joint coordinates."""

    parent: Array  # (N,) node, -1: the world
    coordinate: Array  # (N,) joint coordinate, -1: fixed
    modes: Array  # (N,) number of elastic coordinates
    first: Array  # (N,) where they begin in q_d
    origin_R: Array  # (N, 3, 3) joint frame on the parent's axes
    origin_p: Array  # (N, 3)
    place: Array  # (N, 3) of the joint on the undeformed parent
    screw: Array  # (N, 6) S, zeros where the joint is fixed
    # compatibility
    held: Array  # (N,) number of directions that the joint holds
    row: Array  # (N,) where they begin among the rows of C
    basis: Array  # (N, 6, 6) rows B: the directions held, orthonormal; then the coordinate's own, a . S = 1
    envelope: Array  # (rows,) first column of C_r C_r^T that is not zero, row by row
    shapes: Array  # (N, m, 6) displacement of the joint's place per elastic coordinate of the parent
    proximal: Array  # (N, m, 6) of the link's own origin per elastic coordinate of its own
    # links
    mass: Array  # (N,)
    centre: Array  # (N, 3) int x dm
    modal_mass: Array  # (N, k, k) U^T M U
    constants: Array  # (N, 36, k, k) the matrices X (3), Y (6), Z (3 x 3) and W (3 x 6) of the appendices
    Q: Array  # (N, 4, k, 3)
    stiffness: Array  # (N, m, m)
    damping: Array  # (N, m, m)
    gravity: Array  # (3,)


class Work(NamedTuple):
    """Memory of one evaluation; "displacements" are small, of rigid frames, (N, 6)."""

    # frames
    joints: Array  # (n,) joint displacements, theta + slip
    joint_rate: Array
    joint_second: Array
    theta: Array  # (n,)
    theta_rate: Array
    theta_second: Array
    R: Array  # (N, 3, 3) node's frame in its parent's
    p: Array  # (N, 3) from the joint's place
    reach: Array  # (N, 3) from the parent's origin
    world_R: Array  # (N, 3, 3)
    world_p: Array  # (N, 3)
    V: Array  # (N, 6) twists
    A: Array  # (N, 6) angular acceleration, acceleration of the origin
    J: Array  # (N, 6, n) twist = J thetadot
    # compatibility
    pull: Array  # (N, 6, 6) rows: the directions held, as the parent sees them
    factor: Array  # (rows, rows) Cholesky factor of C_r C_r^T
    multiplier: Array  # (rows,)
    q: Array  # (N, k) modal coordinates
    q_rate: Array
    q_second: Array
    hold: Array  # (N, 6) B^T lambda, where q_r = C_r^T lambda
    hold_rate: Array
    seen: Array  # (N, 6) displacement of the joint's place, as the node sees it
    swing: Array  # (N, 6) d gap / d theta of its joint
    turned: Array  # (N, 6) (dC_r / d theta)^T lambda of its joint, a displacement of the parent
    slip: Array  # (n,)
    slip_bias: Array  # (n,)
    bias: Array  # (N, 6) n of (23): d2 q_r / dt2 without thetaddot and q_d ddot
    slope: Array  # (n, n) d (theta + slip) / d theta
    pivots: Array  # (n,) of its factors
    lu: Array  # (n, n)
    gap: Array  # (N, 6) scratch
    shift: Array  # (N, 6) scratch
    strain: Array  # (N, 6) scratch
    column: Array  # (N, 6) scratch
    miss: Array  # (n,) scratch
    # dynamics
    L: Array  # (6 + k, 6 + k) of one link
    Mq: Array  # (36, k) the constant matrices of one link times its q
    Xq: Array  # (3, k) views of Mq
    Yq: Array  # (6, k)
    Zq: Array  # (3, 3, k)
    Wq: Array  # (3, 6, k)
    moved: Array  # (k,) 2 q' + (omega, 0)
    X_moved: Array  # (3, k)
    needed: Array  # (N, 6 + k) forces on (rotation, translation) of the frame and on q
    wrench: Array  # (N, 6) on a node and all it carries, about its rigid frame
    rigid: Array  # (N, 6) forces on q_r
    armature: Array  # (n,) inertia that moves with the joint displacements
    joint: Array  # (n,) forces on the joint displacements
    modal: Array  # (modes,) and on q_d
    # forward dynamics; y = (theta, q_d)
    N: Array  # (N, 6, y) d q_r / d y
    joint_N: Array  # (n, y) d (theta + slip) / d y
    projection: Array  # (6 + k, y) of one link
    product: Array  # (6 + k, y)
    inertia: Array  # (y, y)
    force: Array  # (y,)
    found: Array  # (y,)


def tables(chain: Chain) -> Tables:
    """Constants of a chain."""
    nodes, m = chain.nodes, max((node.link.count for node in chain.nodes), default=0)
    screws = np.array([np.zeros(6) if node.screw is None else node.screw for node in nodes])
    parent, k = np.array([node.parent for node in nodes]), 6 + m
    basis = [_directions(screw) for screw in screws]
    held = np.array([6 - int(screw.any()) for screw in screws])
    row = np.cumsum([0, *held[:-1]])
    links = [node.link for node in nodes]
    return Tables(
        parent=parent,
        coordinate=np.array(chain.coordinate),
        modes=np.array([link.count for link in links]),
        first=np.array([at.start for at in chain.elastic]),
        origin_R=np.array([node.origin[:3, :3] for node in nodes]),
        origin_p=np.array([node.origin[:3, 3] for node in nodes]),
        place=np.array([node.place for node in nodes], float),
        screw=screws,
        held=held,
        row=row,
        basis=np.array(basis),
        envelope=np.repeat([_first_row(parent, row, i) for i in range(len(nodes))], held),
        shapes=_pad([node.shapes.T for node in nodes], (m, 6)),
        proximal=_pad([link.proximal.T for link in links], (m, 6)),
        mass=np.array([link.mass for link in links]),
        centre=np.array([link.centre for link in links], float),
        modal_mass=_pad([link.modal_mass for link in links], (k, k)),
        constants=_pad([_stack(link) for link in links], (36, k, k)),
        Q=_pad([link.Q for link in links], (4, k, 3)),
        stiffness=_pad([link.stiffness for link in links], (m, m)),
        damping=_pad([link.damping for link in links], (m, m)),
        gravity=np.asarray(chain.gravity, float),
    )


def memory(table: Tables, joints: int, modes: int) -> Work:
    """Memory for a chain with so many joint and elastic coordinates."""
    N, n, m, y = len(table.parent), joints, table.stiffness.shape[1], joints + modes
    rows, k = len(table.envelope), 6 + m
    shapes: dict[str, tuple[int, ...]] = {
        "R": (N, 3, 3), "p": (N, 3), "reach": (N, 3), "world_R": (N, 3, 3), "world_p": (N, 3), "J": (N, 6, n),
        "pull": (N, 6, 6), "factor": (rows, rows), "multiplier": (rows,), "q": (N, k), "q_rate": (N, k),
        "q_second": (N, k), "slope": (n, n), "lu": (n, n), "L": (6 + k, 6 + k), "moved": (k,), "X_moved": (3, k),
        "modal": (modes,),
        "needed": (N, 6 + k), "N": (N, 6, y), "joint_N": (n, y), "projection": (6 + k, y), "product": (6 + k, y),
        "inertia": (y, y), "force": (y,), "found": (y,),
    }  # fmt: skip
    of_joints = ("joints", "joint_rate", "joint_second", "theta", "theta_rate", "theta_second", "slip", "slip_bias")
    shapes |= {name: (n,) for name in (*of_joints, "miss", "armature", "joint")}
    views = {"pivots": np.zeros(n, np.int64), **_products(k)}
    shapes |= {name: (N, 6) for name in Work._fields if name not in shapes and name not in views}
    return Work(**{name: np.zeros(shape) for name, shape in shapes.items()}, **views)


def _stack(link: ErlsLink) -> Array:
    """X, Y, Z and W one after the other, (36, n, n)."""
    n = 6 + link.count
    return np.concatenate([matrices.reshape(-1, n, n) for matrices in (link.X, link.Y, link.Z, link.W)])


def _products(k: int) -> dict[str, Array]:
    """Memory for the products of such a stack with q, and its parts."""
    Mq = np.zeros((36, k))
    X, Y, Z, W = np.split(Mq, np.cumsum([3, 6, 9]))
    return {"Mq": Mq, "Xq": X, "Yq": Y, "Zq": Z.reshape(3, 3, k), "Wq": W.reshape(3, 6, k)}


def _directions(screw: Array) -> Array:
    """Rows (6, 6): an orthonormal basis of what a joint holds, then what its coordinate is read from."""
    if not screw.any():
        return np.eye(6)
    held = np.linalg.svd(screw[None])[2][1:]
    return np.concatenate([held, [screw / (screw @ screw)]])


def _first_row(parent: Array, row: Array, i: int) -> int:
    """First row of C that shares rigid coordinates with those of node i: its parent's or a sibling's."""
    siblings = np.flatnonzero(parent == parent[i])
    return int(min(row[i], *row[siblings], row[parent[i]]) if parent[i] >= 0 else row[i])


def _pad(values: list[Array], shape: tuple[int, ...]) -> Array:
    out = np.zeros((len(values), *shape))
    for k, value in enumerate(values):
        out[k][tuple(slice(size) for size in value.shape)] = value
    return out
