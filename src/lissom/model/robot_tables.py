"""A robot in tables that a person wants to read."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from lissom.beam import BeamLink, FlexibleLink, own_basis
from lissom.beam.functions.mode_count import coupled_directions
from lissom.messages import listed
from lissom.model.compilation.attachment_points import acting_places
from lissom.model.compilation.end_conditions import end_conditions, links_on_loops
from lissom.model.compilation.shape_function_checks import check_shape_functions
from lissom.model.flexible.beam_parts import DIRECTIONS, MOST_MODES, Modes

if TYPE_CHECKING:
    from lissom.model.description.joint import Joint
    from lissom.model.description.robot import Link, Robot
    from lissom.model.flexible.beam import Beam
    from lissom.model.flexible.material import Material

WIDTH = 100
UNBROKEN = "\ue000"  # stands for a space at which a table must not wrap
RESOLVED = 3  # functions for each frequency that is right
SHOWN = 3  # frequencies of each direction
FINER = 8  # functions more per direction, for frequencies of the link itself rather than of its model
DIFFERS = 0.02  # relative error of a model's frequency that is worth showing


def describe(robot: Robot) -> str:
    """Return links, joints, own natural frequencies of the flexible links, and totals, as plain text."""
    flexible = robot.flexible_links()
    moving = [link for link in robot.bodies if link.joint.type != "fixed"]
    out = StringIO()
    console = Console(
        file=out,
        width=WIDTH,
        color_system=None,
        legacy_windows=False,
        emoji=False,
        markup=False,
        highlight=False,
    )
    # the robot, its links and joints
    console.print(_title(robot))
    console.print("\nLinks", _links(robot, flexible), sep="\n")
    for line in (*_attachment_rows(robot, flexible), *(text for _, text, _ in check_shape_functions(robot, flexible))):
        console.print(line, soft_wrap=False)
    if moving:
        console.print("Joints", _joints(moving), sep="\n")
    # frequencies of each link alone, so that nothing but its own sections is in them
    if any(link.beam is not None for link in robot.links):
        console.print("Natural frequencies in Hz of each flexible link alone, clamped at its base")
        console.print(f"[those of its modes in the model, where they are more than {DIFFERS:.0%} higher]")
        refined = {
            link.name: _refine(link.beam, robot.materials, flexible[link.name])
            for link in robot.bodies
            if link.beam is not None
        }
        console.print(_frequencies(robot, flexible, refined))
        shifts = _shear_shifts(robot, refined)
        if shifts.row_count:
            console.print("What shear does to these frequencies (shear: none leaves it out)")
            console.print(shifts)
    if any(link.finite_elements is not None for link in robot.links):
        console.print("Natural frequencies in Hz of each link of finite elements alone, clamped at its base")
        console.print(_lowest(robot, flexible))
    console.print("Totals", _totals(robot, flexible), sep="\n")
    lines = out.getvalue().replace(UNBROKEN, " ").rstrip().splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _title(robot: Robot) -> str:
    gravity = np.real(robot.gravity)
    return f"{robot.name}: gravity {_vector(gravity)} m/s2" if np.any(gravity) else f"{robot.name}: no gravity"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, collapse_padding=True)


def _links(robot: Robot, flexible: dict[str, Any]) -> Table:
    table = _table()
    for name in ("link", "joined to", "by joint", "kind"):
        table.add_column(name, overflow="fold")
    for name in ("length m", "mass kg"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("modes", no_wrap=True)
    for link in robot.bodies:
        length = modes = ""
        if link.beam is not None:
            length = f"{np.real(link.beam.length):g}"
            counts = flexible[link.name].basis.counts
            modes = " ".join(f"{name[0]}{count}" for name, count in counts.items() if count) + link.beam.wanted
        elif link.finite_elements is not None:
            length, modes = f"{flexible[link.name].length:.4g}", f"{flexible[link.name].count}"
        joint = "(fixed)" if link.joint.nv == 0 else link.joint.name
        table.add_row(link.name, _place(link), joint, _kind(link), length, _number(_mass(link, flexible)), modes)
    return table


def _attachment_rows(robot: Robot, flexible: dict[str, Any]) -> list[str]:
    """Return a line for each link whose functions follow what acts inside its span: how many for what."""
    lines = []
    for link in robot.links:
        places = acting_places(robot, link)
        if link.beam is None or not places or not link.beam.chooses_functions:
            continue
        how = end_conditions(robot, link, links_on_loops(robot))
        plain = link.beam.mode_counts(robot.materials, how)
        parts = []
        where = listed([f"{place.x:g} m" for place in places], "and")
        for name, count in flexible[link.name].basis.counts.items():
            if count > plain[name]:
                tip = 2 if name in ("y", "z") else 1
                natural = plain[name] - tip
                parts.append(f"{name} {count} (tip {tip}, natural {natural}, at {where} {count - plain[name]})")
        if parts:
            lines.append(f"Functions of {link.name} by what acts on it: {', '.join(parts)}")
    return lines


def _place(link: Link) -> str:
    if link.at is None:
        return link.parent
    return f"{link.parent} at {link.at}" if isinstance(link.at, str) else f"{link.parent} at {np.real(link.at):g} m"


def _kind(link: Link) -> str:
    if link.finite_elements is not None:
        return "finite elements"
    if link.beam is None:
        return "rigid"
    lumped = len(link.beam.masses)
    order = {"none": "linear beam", "first": "beam", "exact": "exact beam"}[link.beam.stiffening]
    order += " on its chord" if link.beam.frame == "chord" else ""
    return order + (f", {lumped} mass{'es' if lumped > 1 else ''}" if lumped else "")


def _mass(link: Link, flexible: dict[str, FlexibleLink]) -> float:
    mass = flexible[link.name].mass if link.name in flexible else link.body.mass if link.body is not None else 0.0
    return float(np.real(mass))


def _joints(links: list[Link]) -> Table:
    table = _table()
    for name in ("joint", "type", "axis", "coordinates", "acts in it"):
        table.add_column(name, overflow="fold")
    for link in links:
        joint = link.joint
        axes = "  ".join(_vector(axis) for axis in joint.axes)
        table.add_row(joint.name, joint.type, axes, _coordinates(joint), _actions(joint))
    return table


def _coordinates(joint: Joint) -> str:
    return f"{joint.nv}" if joint.nq == joint.nv else f"{joint.nv} (q has {joint.nq})"


def _actions(joint: Joint) -> str:
    """Return transmission, damping, friction, spring and stops in a few words."""
    parts = [f"{_number(joint.pitch)} m per turn"] if joint.pitch else []
    gear = joint.transmission
    if gear is not None:
        slides = joint.kind.velocity_units == ("m",)
        stiffness = "" if gear.stiffness is None else f"{_number(gear.stiffness)} {'N/m' if slides else 'N m/rad'}"
        stiffness = f"{stiffness} {gear.curve or ''}".strip() or "rigid"
        rotor = f"{_number(gear.rotor_inertia)} {'kg' if slides else 'kg m2'}"
        ratio = "" if gear.gear == 1 else f", 1:{_number(gear.gear)}"
        loop = f", hysteresis {_number(gear.hysteresis)}" if gear.hysteresis else ""
        parts.append(f"gear {stiffness}{ratio}, rotor {rotor}{loop}")
    if np.any(joint.damping):
        parts.append(f"damping {_values(joint.damping)}")
    if joint.friction is not None:
        coulomb, viscous = _values(joint.friction.coulomb), _values(joint.friction.viscous)
        stick = f", stick {_values(joint.friction.stick)}" if np.any(joint.friction.stick) else ""
        parts.append(f"friction: Coulomb {coulomb}{stick}, viscous {viscous}")
    if joint.spring is not None:
        stiffness = _values(joint.spring.stiffness) if np.any(joint.spring.stiffness) else ""
        parts.append(" ".join(["spring", stiffness, str(joint.spring.curve or "")]).replace("  ", " ").rstrip())
    if joint.limits is not None:
        what = "range" if joint.stops is None else "stops at"
        parts.append(f"{what} {_values(joint.limits.lower)} and {_values(joint.limits.upper)}")
    return "; ".join(parts)


def _frequencies(robot: Robot, flexible: dict[str, FlexibleLink], refined: dict[str, BeamLink]) -> Table:
    """Return the lowest frequencies by direction, and the model's where it has too few modes for them."""
    table = _table()
    table.add_column("link", overflow="fold")
    for direction in DIRECTIONS:
        table.add_column(f"bending {direction}" if len(direction) == 1 else direction)
    for link in robot.bodies:
        mechanics = flexible.get(link.name)
        if link.beam is None or not isinstance(mechanics, BeamLink):
            continue
        own = _by_direction(refined[link.name])
        model = _by_direction(mechanics)
        cells = []
        for direction in DIRECTIONS:
            pairs = list(zip(own[direction], model[direction]))[:SHOWN]
            cells.append("  ".join(_frequency(f, m) for f, m in pairs))
        table.add_row(link.name, *cells)
    return table


def _shear_shifts(robot: Robot, refined: dict[str, BeamLink]) -> Table:
    """Return by how many per cent shear lowers each frequency that is shown, where that is resolved."""
    table = _table()
    table.add_column("link", overflow="fold")
    for direction in DIRECTIONS[:2]:
        table.add_column(f"bending {direction}")
    for link in robot.bodies:
        if link.beam is None or not link.beam.sheared:
            continue
        counts = link.beam.mode_counts(robot.materials)
        own = refined[link.name]
        unsheared = link.beam.model_copy(update={"shear": "none"})
        rigid = _refine(unsheared, robot.materials, own, counts)
        cells = dict.fromkeys(DIRECTIONS, "")
        for group in coupled_directions(own.profile):  # modes of directions that move each other count together
            (hz, labels), (without, _) = _in_order(own, group), _in_order(rigid, group)
            shifts = [a / b - 1 for a, b in zip(hz, without)][: len(hz) // RESOLVED]
            for name in group:
                found = [shift for shift, label in zip(shifts, labels) if label == name][: min(SHOWN, counts[name])]
                resolved = takewhile(lambda shift: shift <= 0, found)  # none rises where functions are enough
                cells[name] = "  ".join(f"{100 * shift:+.2g} %" for shift in resolved)
        if any(cells.values()):
            table.add_row(link.name, *(cells[name] for name in DIRECTIONS[:2]))
    return table


def _in_order(beam: BeamLink, group: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return frequencies of a beam's modes in some directions, in rising order, and the direction of each."""
    modes = beam.natural_modes()
    labels = [label.rstrip("0123456789") for label in modes.labels]
    chosen = [k for k, label in enumerate(labels) if label in group]
    return modes.frequencies[chosen], [labels[k] for k in chosen]


def _lowest(robot: Robot, flexible: dict[str, FlexibleLink]) -> Table:
    """Return the lowest frequencies of links of finite elements."""
    table = _table()
    table.show_header = False
    for link in robot.bodies:
        if link.finite_elements is not None:
            hz = flexible[link.name].natural_modes().frequencies[: 2 * SHOWN]
            table.add_row(link.name, "  ".join(_number(f) for f in hz))
    return table


def _frequency(own: float, model: float) -> str:
    return _number(own) + (f"{UNBROKEN}[{_number(model)}]" if model > (1 + DIFFERS) * own else "")


def _refine(
    beam: Beam, materials: dict[str, Material], built: FlexibleLink, counts: dict[str, int] | None = None
) -> BeamLink:
    """Return the same beam with more functions in the directions it has, those of the masses on it among them.

    `built` has its masses; `counts` of functions are those of the beam unless given.
    """
    assert isinstance(built, BeamLink), "links with a beam are beams"
    counts = beam.mode_counts(materials) if counts is None else counts
    modes = {name: min(count + FINER, MOST_MODES) if count else 0 for name, count in counts.items()}
    inside = [lump.x for lump in built.masses if 0 < np.real(lump.x) < np.real(beam.length)]
    if not inside:  # functions of a link are made for what its tip carries
        return beam.model_copy(update={"modes": Modes(**modes), "ends": "auto"}).build(materials)
    along = beam.profile(materials).split(inside)
    return replace(built, section=along, basis=own_basis(along, modes, masses=built.masses))


def _by_direction(beam: BeamLink) -> dict[str, list[float]]:
    """Return frequencies of the natural modes by the direction in which they move most."""
    return {direction: _in_order(beam, [direction])[0].tolist() for direction in DIRECTIONS}


def _totals(robot: Robot, flexible: dict[str, FlexibleLink]) -> Table:
    table = _table()
    table.show_header = False
    joints = sum(link.joint.type != "fixed" for link in robot.links)
    coordinates = sum(link.joint.nv for link in robot.links)
    modes, rotors = sum(link.count for link in flexible.values()), robot.rotor_count  # links are not built again
    states = robot.state_count
    nv = coordinates + modes + rotors + states
    nq = sum(link.joint.nq for link in robot.links) + modes + rotors
    table.add_row("mass", f"{_number(sum(_mass(link, flexible) for link in robot.bodies))} kg")
    table.add_row("links", f"{len(robot.links)} ({len(flexible)} flexible)")
    table.add_row("moving joints", f"{joints}")
    if robot.loops:
        closed = ", ".join(f"{loop.name} ({loop.between[0].link} to {loop.between[1].link})" for loop in robot.loops)
        table.add_row("loops", f"{len(robot.loops)}: {closed}")
    if robot.elements:
        between = ", ".join(f"{part.name} ({part.type})" for part in robot.elements)
        table.add_row("elements", f"{len(robot.elements)}: {between}")
    if robot.actuators:
        driving = ", ".join(f"{part.name} ({part.type})" for part in robot.actuators)
        table.add_row("actuators", f"{len(robot.actuators)}: {driving}")
    if robot.contacts:
        table.add_row("contacts", f"{len(robot.contacts)}: {', '.join(part.name for part in robot.contacts)}")
    parts = [(coordinates, "joint coordinate"), (modes, "mode"), (rotors, "rotor")]
    if states:
        parts.append((states, "actuator state"))
    table.add_row(
        "degrees of freedom",
        f"nv = {nv}: {', '.join(_count_text(*each) for each in parts)}",
    )
    quaternions = "" if nq + states == nv else ", with quaternions"
    table.add_row("configuration", f"nq = {nq}{quaternions}")
    return table


def _count_text(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _number(value: float) -> str:
    value = float(np.real(value))
    if abs(value) < 1e5:
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    mantissa, _, exponent = f"{value:.3e}".partition("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def _values(value: float | tuple[float, ...]) -> str:
    return ", ".join(_number(v) for v in value) if isinstance(value, tuple) else _number(value)


def _vector(vector: tuple[float, ...] | np.ndarray) -> str:
    return "(" + " ".join(f"{np.real(v):.3g}" for v in vector) + ")"
