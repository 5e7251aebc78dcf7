"""What a figure or a chart shows of a run over time: which curves, their values, their names and their looks.

Figures (`panels`) and pages (`charts`) draw the same curves; here they are found once. The same colour means the same
joint, and the link that it carries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.results.lookup import NamedColumns, joint_names
from lissom.view.figures.figure_style import line, shaded

if TYPE_CHECKING:
    from lissom.model.model import BodyNames
    from lissom.results.trajectory import Trajectory

AXES = ("x", "y", "z")
MEANING = {"rad": "angle", "m": "position", "1": "unit quaternion", "N m": "torque", "N": "force"}
WRENCH = {"torque": (slice(0, 3), "N m"), "force": (slice(3, 6), "N")}  # columns and unit of its parts
Coordinates = list[tuple[str, "BodyNames"]]


def shown(run: Trajectory) -> list[BodyNames]:
    """Bodies whose joints move and transmit something; all where there are none."""
    free = {link.name for link in run.model.robot.links if link.joint.kind.floats}
    return [body for body in run.lookup.moving() if body.link not in free] or list(run.model.bodies)


def busiest(run: Trajectory) -> str:
    """The end-effector whose tip goes farthest from where it starts; the last of those that go equally far."""
    ways = {end: run.numbers.tip(end) - run.numbers.tip(end)[0] for end in reversed(run.model.ends)}
    return max(ways, key=lambda end: float(np.nan_to_num(np.linalg.norm(ways[end], axis=1)).max()))


def joints_by_unit(
    run: Trajectory, chosen: Sequence[BodyNames] | None = None, rates: bool = False
) -> dict[str, Coordinates]:
    """Coordinates of the chosen joints (of all that move unless given) by their unit, or by that of their rates."""
    bodies = run.lookup.moving() if chosen is None else chosen
    names = [(name, body) for body in bodies for name in joint_names(body, "v" if rates else "q")]
    return _by_unit(names, run.numbers.velocity if rates else run.numbers.position)


def torques_by_unit(run: Trajectory, chosen: Sequence[BodyNames] | None = None) -> dict[str, Coordinates]:
    """Coordinates with an applied force by its unit: those on the chosen joints, or all on which one ever acts."""
    bodies = run.lookup.moving() if chosen is None else chosen
    names = [
        (name, body)
        for body in bodies
        for name in ((body.joint,) if body.rotor_v is not None else joint_names(body, "v"))
        if chosen is not None or np.any(run.numbers.torque(name).values)
    ]
    return _by_unit(names, run.numbers.torque)


def _by_unit(names: Coordinates, found: Callable[[str], NamedColumns]) -> dict[str, Coordinates]:
    out: dict[str, Coordinates] = {}
    for name, body in names:
        out.setdefault(found(name).units[0], []).append((name, body))
    return out


def joint_title(unit: str) -> str:
    """Title of a drawing of joint coordinates of one unit."""
    return "Joint orientations" if unit == "1" else f"Joint {MEANING[unit]}s"


def reference(run: Trajectory, name: str) -> np.ndarray | None:
    """Set-points (N,) of a coordinate, where a control law follows some."""
    if "reference" in run.quantities:
        labels = run.quantities.labels("reference_q")
        for label in (name, f"{name}.rotor"):
            if label in labels:
                return run.numbers["reference"][:, labels.index(label)]
    return None


def deflections(run: Trajectory) -> list[tuple[BodyNames, np.ndarray]]:
    """Every flexible link with the size of its tip deflection (N,), mm."""
    bodies = [body for body in run.model.bodies if body.link in run.model.flexible]
    return [(body, deflection(run, body.link)) for body in bodies]


def deflection(run: Trajectory, link: str) -> np.ndarray:
    """Size of the tip deflection of a link (N,), mm."""
    return 1e3 * np.linalg.norm(run.numbers.deflection(link), axis=1)


def wrench(run: Trajectory, joint: str, part: str) -> np.ndarray:
    """Size (N,) of the "torque" or the "force" through a joint."""
    return np.linalg.norm(run.numbers.wrench(joint)[:, WRENCH[part][0]], axis=1)


def readings(run: Trajectory) -> list[tuple[str, NamedColumns, NamedColumns]]:
    """Every sensor with what it tells and what an ideal one would; torques and forces apart."""
    found: dict[tuple[str, str], list[str]] = {}
    if "reading" in run.quantities:
        units = run.quantities.column_units("reading")
        for label, unit in zip(run.quantities.labels("sensor"), units, strict=True):
            found.setdefault((label.partition(".")[0], unit), []).append(label)
    give = run.lookup.readings
    return [(name, give(labels), give(labels, ideal=True)) for (name, _), labels in found.items()]


class Outside(NamedTuple):
    """Curves of elements, contacts or loops, by name."""

    title: str
    quantity: str
    unit: str
    curves: dict[str, np.ndarray]  # (N,) each


def outside(run: Trajectory) -> list[Outside]:
    """Pulls and lengths of elements, forces and gaps of contacts, forces in the joints that close loops."""
    wanted = (
        ("element_force", "element", "Pull of elements", "pull", "N", 1.0),
        ("element_length", "element", "Length of elements", "length", "m", 1.0),
        ("contact_force", "contact", "Normal force of contacts", "force", "N", 1.0),
        ("contact_gap", "contact", "Gap of contacts", "gap", "mm", 1e3),
    )
    made = []
    for name, axis, title, quantity, unit, factor in wanted:
        if name in run.quantities:
            values, labels = factor * run.numbers[name], run.quantities.labels(axis)
            made.append(Outside(title, quantity, unit, {label: values[:, k] for k, label in enumerate(labels)}))
    if "loop_wrench" in run.quantities:
        force = np.linalg.norm(run.numbers["loop_wrench"][:, :, 3:], axis=2)
        held = {loop.name for loop in run.model.robot.loops}  # cylinders are among the elements
        curves = {name: force[:, k] for k, name in enumerate(run.quantities.labels("loop")) if name in held}
        made += [Outside("Force in the joints that close loops", "force", "N", curves)] if curves else []
    return made


def energy_flows(run: Trajectory) -> dict[str, np.ndarray]:
    """Energy (N,) since the start, J: stored, and where accounts were kept, put in and dissipated."""
    stored = run.numbers["stored_energy"]
    out = {"stored": stored - stored[0]}
    if "work" in run.quantities:
        out |= {"work in": run.work - run.work[0], "dissipated": run.dissipated - run.dissipated[0]}
    if "load_work" in run.quantities:
        out |= {"work of loads": run.load_work - run.load_work[0]}
    return out


def looks(run: Trajectory, names: Coordinates) -> list[dict[str, Any]]:
    """A line style for each coordinate: the colour of its joint, in a shade of its own where the joint has several."""
    own = [look(run, body) for _, body in names]
    colours = shaded([one["color"] for one in own], [body.joint for _, body in names])
    return [one | {"color": colour} for one, colour in zip(own, colours)]


def look(run: Trajectory, body: BodyNames) -> dict[str, Any]:
    """Line style of a joint and of the link that it carries: moving joints take the first colours."""
    bodies = sorted(run.model.bodies, key=lambda b: b.joint_v.stop == b.joint_v.start)
    return line(bodies.index(body))
