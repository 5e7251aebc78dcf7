"""Numbers for a page: small integers and floats as text, the drawing of an arm and its motion."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.drawing.stress_colours import StressColours
from lissom.view.drawing.viewpoint import home

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory
    from lissom.view.drawing.link_solids import DrawnSolid
    from lissom.view.figures.chart import Chart

RATE = 50.0  # scenes per second of motion
FEWEST, MOST = 240, 1500  # scenes of a run


def drawing(arm: Drawing) -> dict[str, Any]:
    """Return the solids and how their frames hang together."""
    offset = arm.tip_offset
    return {
        "up": arm.up.tolist(),
        "reach": arm.reach,
        "owner": arm.owner.tolist(),
        "rest": arm.rest.tolist(),
        "carrier": arm.carrier.tolist(),
        "follow": arm.follow,
        "grounded": arm.grounded,
        "first": [int(arm.frames_of[link][0]) if link in arm.model.flexible else 0 for link in arm.links],
        "last": [int(arm.frames_of[link][-1]) + 1 if link in arm.model.flexible else 0 for link in arm.links],
        "tip": {"frame": arm.tip, "offset": offset.tolist()},
        "joints": list(arm.model.joints),
        "pieces": [_piece(arm, piece) for piece in arm.pieces],
    }


def motion(arm: Drawing, run: Trajectory, stress: StressColours | None = None) -> dict[str, Any]:
    """Return a run at the times of its scenes, with the stress of its beams where that is wanted."""
    t = scenes(run)
    moved = arm.motion(np.nan_to_num(run.state(t)[0]))
    links = len(arm.links)
    bend = np.concatenate([moved.displacement[:, links:], moved.turn[:, links:]], axis=2)
    wrench = run.numbers["wrench"].reshape(len(run.time), -1)
    at_scenes = np.stack([np.interp(t, run.time, column) for column in wrench.T], axis=1)
    coloured = {} if not stress else {"stress": integers(stress.at(t) / stress.most)}
    return (
        _loads(run, t)
        | coloured
        | {
            "home": home(arm, moved),
            "times": floats(t - t[0]),
            "position": integers(moved.joint_position),
            "orientation": integers(moved.joint_orientation),
            "bend": integers(bend),
            "eta": integers(moved.eta),
            "modes": int(moved.eta.shape[1]),
            "wrench": integers(at_scenes),
        }
    )


def _loads(run: Trajectory, t: np.ndarray) -> dict[str, Any]:
    """Return where loads act and how, world axes, (scenes, loads, 9): place, force, torque."""
    if "load" not in run.quantities:
        return {"loads": 0}
    rows = np.concatenate([run.numbers[f"load_{part}"] for part in ("position", "force", "torque")], axis=2)
    flat = rows.reshape(len(run.time), -1)
    at_scenes = np.stack([np.interp(t, run.time, column) for column in flat.T], axis=1)
    return {"loads": rows.shape[1], "load": floats(at_scenes)}


def scenes(run: Trajectory) -> np.ndarray:
    """Return times of the scenes of a run, evenly from its start to its end."""
    first, last = float(run.time[0]), float(run.time[-1])
    wanted = int(np.clip(RATE * (last - first), FEWEST, MOST)) + 1
    return np.linspace(first, last, max(2, min(wanted, len(run.time))))


def chart(one: Chart, start: float) -> dict[str, Any]:
    """Return a chart whose time begins at zero."""
    thin = one.thinned()
    return {
        "title": thin.title,
        "label": thin.label,
        "log": thin.log,
        "place": thin.place,
        "time": floats(thin.time - start),
        "series": [
            {
                "name": s.name,
                "colour": s.colour,
                "dashed": s.dashed,
                "turn": s.turn,
                "group": s.group,
                "values": floats(s.values),
                **({} if s.error is None else {"error": floats(s.error)}),
            }
            for s in thin.series
        ],
    }


def floats(values: np.ndarray) -> str:
    """Return numbers in single precision, as text."""
    return _text(np.asarray(values, "<f4"))


def integers(values: np.ndarray) -> dict[str, Any]:
    """Return numbers of sixteen bits, with the size of one unit; what is not finite becomes zero."""
    finite = np.nan_to_num(np.asarray(values, float), nan=0.0, posinf=0.0, neginf=0.0)
    unit = float(np.abs(finite).max(initial=0.0)) / 32767 or 1.0
    return {"unit": unit, "data": _text(np.rint(finite / unit).astype("<i2"))}


def _piece(arm: Drawing, piece: DrawnSolid) -> dict[str, Any]:
    mesh = piece.mesh
    made: dict[str, Any] = {
        "role": piece.role,
        "link": piece.link,
        "colour": piece.colour,
        "points": floats(mesh.points),
        "normals": floats(mesh.normals),
        "triangles": _text(mesh.triangles.astype("<u4")),
        "frame": _text(mesh.frame.astype("<u2")),
    }
    if piece.ends is not None and piece.part is not None:
        ends = [{"frame": int(frame), "offset": offset.tolist()} for frame, offset in piece.ends]
        made |= {"part": floats(piece.part), "ends": ends}
    if piece.modes is not None:
        made |= {"modes": integers(piece.modes), "mode": arm.modes_of[piece.link].start}
    if piece.shown is not None:
        made["shown"] = [t if np.isfinite(t) else None for t in piece.shown]
    return made


def _text(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
