"""Which charts show a run: of joints, torques, deflections, wrenches, tips, energy, elements and sensors.

The same colour means the same joint, and the link that it carries, in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.results.lookup import NamedColumns, joint_names
from lissom.results.quantity_names import AXES
from lissom.results.summaries.summary import balance
from lissom.view.figures.chart import Chart, Series
from lissom.view.figures.figure_style import COLOURS, GREY, INK, shaded

if TYPE_CHECKING:
    from lissom.model.model import BodyNames
    from lissom.results.trajectory import Trajectory

MEANING = {"rad": "angle", "m": "position", "1": "unit quaternion", "N m": "torque", "N": "force"}
RATE = {"rad/s": "angular velocity", "m/s": "velocity"}
TITLES = {"1": "Joint orientations", "rad/s": "Joint angular velocities", "m/s": "Joint velocities"}
ORDER = ("rad", "m", "1", "rad/s", "m/s")  # of the charts of joints
WRENCH = {"torque": (slice(0, 3), "N m"), "force": (slice(3, 6), "N")}  # columns and unit of its parts
Coordinates = list[tuple[str, "BodyNames"]]


def shown_bodies(run: Trajectory) -> list[BodyNames]:
    """Return the bodies whose joints move and transmit something; all where there are none."""
    free = {link.name for link in run.model.robot.links if link.joint.kind.floats}
    return [body for body in run.numbers.moving() if body.link not in free] or list(run.model.bodies)


def busiest(run: Trajectory) -> str:
    """Return the end-effector whose tip goes farthest from where it starts; the last of those that go equally far."""
    ways = {end: run.numbers.tip(end) - run.numbers.tip(end)[0] for end in reversed(run.model.ends)}
    return max(ways, key=lambda end: float(np.nan_to_num(np.linalg.norm(ways[end], axis=1)).max()))


def joint_charts(run: Trajectory, chosen: Sequence[BodyNames] | None = None, rates: bool = False) -> list[Chart]:
    """Return one chart per unit of the coordinates of chosen joints (of all that move unless given), or their rates."""
    bodies = run.numbers.moving() if chosen is None else chosen
    find = run.numbers.velocity if rates else run.numbers.position
    by_unit = _by_unit([(name, body) for body in bodies for name in joint_names(body, "v" if rates else "q")], find)
    made = []
    for unit, names in sorted(by_unit.items(), key=lambda item: ORDER.index(item[0])):
        curves = []
        for (name, _), look in zip(names, _looks(run, names), strict=True):
            goal = None if rates else reference(run, name)
            if goal is not None:
                curves.append(Series(f"{name}, reference", goal, look["colour"], dashed=True, group="reference"))
            found = find(name)
            curves.append(Series(name, found.values, **look, key=f"{found.variable}.{name}"))
        meaning = (RATE if rates else MEANING)[unit]
        made.append(Chart(TITLES.get(unit, f"Joint {meaning}s"), meaning, unit, run.time, tuple(curves)))
    return made


def torque_charts(run: Trajectory, chosen: Sequence[BodyNames] | None = None) -> list[Chart]:
    """Return one chart per unit of applied forces: those on the chosen joints, or all that ever act."""
    bodies = run.numbers.moving() if chosen is None else chosen
    names = [
        (name, body)
        for body in bodies
        for name in ((body.joint,) if body.rotor_v is not None else joint_names(body, "v"))
        if chosen is not None or np.any(run.numbers.torque(name).values)
    ]
    made = []
    for unit, some in _by_unit(names, run.numbers.torque).items():
        looks = _looks(run, some)
        curves = (
            Series(name, run.numbers.torque(name).values, **look, key=f"torque.{name}")
            for (name, _), look in zip(some, looks, strict=True)
        )
        made.append(Chart(f"Applied {MEANING[unit]}s", MEANING[unit], unit, run.time, tuple(curves)))
    return made


def deflection_chart(run: Trajectory) -> list[Chart]:
    """Return the chart of tip deflections, one curve per flexible link; nothing of a rigid robot."""
    bodies = [body for body in run.model.bodies if body.link in run.model.flexible]
    curves = tuple(
        Series(body.link, deflection(run, body.link), **_look(run, body), key=f"|deflection.{body.link}|")
        for body in bodies
    )
    return [Chart("Tip deflection of links", "deflection", "mm", run.time, curves, sizes=True)] if curves else []


def wrench_charts(run: Trajectory, bodies: Sequence[BodyNames] | None = None) -> list[Chart]:
    """Return the sizes of torques and of forces through joints."""
    some = shown_bodies(run) if bodies is None else bodies
    return [
        Chart(
            f"{part.capitalize()} through joints",
            part,
            unit,
            run.time,
            tuple(
                Series(
                    body.joint,
                    wrench(run, body.joint, part),
                    **_look(run, body),
                    key=f"|wrench.{body.joint}.{part}|",
                )
                for body in some
            ),
            sizes=True,
        )
        for part, (_, unit) in WRENCH.items()
    ]


def wrench_components(run: Trajectory) -> list[Chart]:
    """Return the components of what each joint transmits, in the axes of the link that it carries."""
    return [
        components(
            run,
            f"{part.capitalize()} at {body.joint}",
            part,
            unit,
            values[:, columns],
            place="wrenches",
            key=f"wrench.{body.joint}.{part[0]}",
        )
        for body in shown_bodies(run)
        for values in [run.numbers.wrench(body.joint)]
        for part, (columns, unit) in WRENCH.items()
    ]


def tip_chart(run: Trajectory) -> Chart:
    """Return the chart of where the tip that goes farthest is."""
    end = busiest(run)
    where = f"Tip of {end} in the world"
    return components(run, where, "position", "m", run.numbers.tip(end), key=f"tip_position.{end}.")


def space_charts(run: Trajectory) -> list[Chart]:
    """Return momentum, angular momentum and the way of the centre of mass of a robot that floats."""
    if "momentum" not in run.quantities:
        return []
    values, centre = run.numbers, run.numbers["centre_of_mass"]
    rows = (
        ("Momentum", "momentum", "kg m/s", values["momentum"]),
        ("Angular momentum", "angular momentum", "kg m²/s", values["angular_momentum"]),
        ("Path of the centre of mass", "displacement", "mm", 1e3 * (centre - centre[0])),
    )
    return [replace(components(run, *row), place="space") for row in rows]


def external_charts(run: Trajectory) -> list[Chart]:
    """Return pulls and lengths of elements, forces and gaps of contacts, forces in the joints that close loops."""
    wanted = (
        ("element_force", "element", "Pull of elements", "pull", "N", 1.0),
        ("element_length", "element", "Length of elements", "length", "m", 1.0),
        ("contact_force", "contact", "Normal force of contacts", "force", "N", 1.0),
        ("contact_gap", "contact", "Gap of contacts", "gap", "mm", 1e3),
    )
    made = [
        _chart_of_columns(run, title, quantity, unit, run.quantities.labels(axis), factor * run.numbers[name], name)
        for name, axis, title, quantity, unit, factor in wanted
        if name in run.quantities
    ]
    if run.model.robot.loops:  # cylinders, which close loops too, are among the elements
        held = [run.quantities.labels("loop").index(loop.name) for loop in run.model.robot.loops]
        force = np.linalg.norm(run.numbers["loop_wrench"][:, held, 3:], axis=2)
        names = [loop.name for loop in run.model.robot.loops]
        made.append(_chart_of_columns(run, "Force in the joints that close loops", "force", "N", names, force))
    return made


def energy_chart(run: Trajectory) -> Chart:
    """Return what was put in, dissipated and stored since the start, and what the balance leaves over."""
    stored, curves = run.numbers["stored_energy"], []
    if "work" in run.quantities:
        curves = [
            Series("work in", run.work - run.work[0], GREY),
            Series("dissipated", run.dissipated - run.dissipated[0], COLOURS[1]),
        ]
        if "load_work" in run.quantities:
            curves.append(Series("work of loads", run.load_work - run.load_work[0], COLOURS[2]))
    curves.append(Series("stored", stored - stored[0], COLOURS[0]))
    if "energy_residual" in run.quantities:
        curves.append(Series("residual", run.numbers["energy_residual"], INK, dashed=True))
    error = balance(run).relative
    detail = "" if error is None else f"relative error {error:.0e}"
    return Chart("Energy balance", "energy since start", "J", run.time, tuple(curves), detail=detail)


def stored_energy_chart(run: Trajectory) -> Chart:
    """Return the forms of the stored energy and their sum."""
    forms = {"kinetic": "kinetic", "gravity": "gravity", "strain": "strain", "joint": "joints", "element": "elements"}
    found = {label: run.numbers[f"{form}_energy"] for form, label in forms.items()}
    curves = [Series.kth(k, *item) for k, item in enumerate(found.items()) if np.any(item[1])]
    curves.append(Series("sum", run.numbers["stored_energy"], INK))
    return Chart("Stored energy", "energy", "J", run.time, tuple(curves))


def residual_chart(run: Trajectory) -> list[Chart]:
    """Return what the energy balance leaves over, in a unit that shows it; nothing where no accounts were kept."""
    if "energy_residual" not in run.quantities:
        return []
    put_in = "work - work of loads" if "load_work" in run.quantities else "work"
    curve = Series("residual", run.numbers["energy_residual"], COLOURS[6])
    chart = Chart(f"Residual: stored - {put_in} + dissipated", "residual", "J", run.time, (curve,))
    return [chart.prefixed(1e3, small=True)]


def reading_charts(run: Trajectory) -> list[Chart]:
    """Return what each sensor tells, beside what an ideal one would; torques and forces apart."""
    found: dict[tuple[str, str], list[str]] = {}
    if "reading" in run.quantities:
        units = run.quantities.column_units("reading")
        for label, unit in zip(run.quantities.labels("sensor"), units, strict=True):
            found.setdefault((label.partition(".")[0], unit), []).append(label)
    made = []
    for (name, unit), labels in found.items():
        names = [label.partition(".")[2] or "reading" for label in labels]
        readings = zip(names, _columns(run, labels, False), labels, strict=True)
        curves = [Series.kth(k, name, values, f"reading.{label}") for k, (name, values, label) in enumerate(readings)]
        truth = []
        if "ideal_reading" in run.quantities:
            colours = [each.colour if len(labels) > 1 else GREY for each in curves]
            truth = [
                Series(f"{name}, ideal", values, colour, dashed=True, group="ideal")
                for name, values, colour in zip(names, _columns(run, labels, True), colours, strict=True)
            ]
        made.append(Chart(f"Sensor {name}", "reading", unit, run.time, (*truth, *curves), steps=True))
    return made


def components(
    run: Trajectory, title: str, quantity: str, unit: str, values: np.ndarray, place: str = "", key: str = ""
) -> Chart:
    """Return the chart of the x, y and z components of a vector (N, 3); `key` names the vector among the results."""
    curves = tuple(Series.kth(k, axis, values[:, k], key and f"{key}{axis}") for k, axis in enumerate(AXES))
    return Chart(title, quantity, unit, run.time, curves, place=place)


def reference(run: Trajectory, name: str) -> np.ndarray | None:
    """Return the set-points (N,) of a coordinate, where a control law follows some."""
    if "reference" in run.quantities:
        labels = run.quantities.labels("reference_q")
        for label in (name, f"{name}.rotor"):
            if label in labels:
                return run.numbers["reference"][:, labels.index(label)]
    return None


def deflection(run: Trajectory, link: str) -> np.ndarray:
    """Return the size of the tip deflection of a link (N,), mm."""
    return 1e3 * np.linalg.norm(run.numbers.deflection(link), axis=1)


def wrench(run: Trajectory, joint: str, part: str) -> np.ndarray:
    """Return the size (N,) of the "torque" or the "force" through a joint."""
    return np.linalg.norm(run.numbers.wrench(joint)[:, WRENCH[part][0]], axis=1)


def _chart_of_columns(
    run: Trajectory, title: str, quantity: str, unit: str, names: list[str], values: np.ndarray, key: str = ""
) -> Chart:
    keys = [key and f"{key}.{name}" for name in names]
    curves = tuple(Series.kth(k, name, values[:, k], keys[k]) for k, name in enumerate(names))
    return Chart(title, quantity, unit, run.time, curves)


def _columns(run: Trajectory, labels: list[str], ideal: bool) -> np.ndarray:
    return run.numbers.readings(labels, ideal).values.reshape(len(run.time), -1).T


def _by_unit(names: Coordinates, find: Callable[[str], NamedColumns]) -> dict[str, Coordinates]:
    out: dict[str, Coordinates] = {}
    for name, body in names:
        out.setdefault(find(name).units[0], []).append((name, body))
    return out


def _looks(run: Trajectory, names: Coordinates) -> list[dict[str, Any]]:
    """Return a look for each coordinate: the colour of its joint, in a shade of its own where the joint has several."""
    own = [_look(run, body) for _, body in names]
    colours = shaded([one["colour"] for one in own], [body.joint for _, body in names])
    return [one | {"colour": colour} for one, colour in zip(own, colours)]


def _look(run: Trajectory, body: BodyNames) -> dict[str, Any]:
    """Return the look of a joint and of the link that it carries: moving joints take the first colours."""
    bodies = sorted(run.model.bodies, key=lambda b: b.joint_v.stop == b.joint_v.start)
    k = bodies.index(body)
    return {"colour": COLOURS[k % len(COLOURS)], "turn": k // len(COLOURS)}
