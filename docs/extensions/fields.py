"""Tables of the fields of files, made from the classes that check them.

`{fields} lissom.control.schema.reference_schema.Quintic` gives one block: what its docstring says, and a row per field.
`{sensor-kinds}` gives every kind of sensor with what it reads.
`{integrators}` gives every integrator with its order, its steps and its purpose.
`{units}` gives the units that numbers may be written in.
`{joint-coordinates}` gives the coordinates of every kind of joint, as `start` takes them.
"""

from importlib import import_module

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def described(path):
    """The class of a block by its path."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def rows(part):
    """(field, meaning, default) of every field of a block, in the order of its class, `type` left out."""
    from lissom.model.schema.validation_errors import file_fields

    return [(name, _meaning(field), _default(field)) for name, field in file_fields(part).items() if name != "type"]


def coordinates():
    """(kind, in q, in v) of every kind of joint that moves, with the names that its coordinates have."""
    from lissom.model.description.joint_kinds import KINDS

    return [
        (name, _named(kind.position_names, kind.position_units), _named(kind.velocity_names, kind.velocity_units, "/s"))
        for name, kind in KINDS.items()
        if kind.position_units
    ]


def sensors():
    """(type, what it reads, unit) of every kind of sensor."""
    from lissom.model.description.sensor import KINDS

    return [
        (kind.form.partition(":")[2], " ".join(kind.__doc__.split()), str(kind.unit or "1, or 1/m")) for kind in KINDS
    ]


def integrators():
    """(method, order and steps, purpose) of every integrator."""
    from lissom.simulation.integrators import integrators as records

    needed = {one.name: f"; extra {one.package.extra}" if one.package else "" for one in records()}
    return [(one.name, f"{one.order}, {_steps(one)}", one.purpose + needed[one.name]) for one in records()]


def _steps(one):
    if one.own_steps:
        return "steps of its own"
    return "fixed steps" if one.fixed_only else "controlled or fixed steps"


def units():
    """(quantity, SI unit, other ways to write it) of every kind of unit."""
    from lissom.model.schema.units import UNITS

    kinds = {
        "length": "m", "mass": "kg", "time": "s", "angle": "rad", "angular speed": "rpm", "frequency": "Hz",
        "force": "N", "pressure, modulus": "Pa", "volume": "l", "power": "W", "current": "A", "voltage": "V",
        "resistance": "ohm", "inductance": "H",
    }  # fmt: skip
    rows = []
    for meaning, name in kinds.items():
        alike = [each for each, unit in UNITS.items() if unit.kind == UNITS[name].kind]
        rows.append((meaning, {"rpm": "rad/s", "l": "m3"}.get(name, name), ", ".join(f"`{each}`" for each in alike)))
    assert sum(row[2].count("`") for row in rows) == 2 * len(UNITS)
    return rows


def _named(names, units, per=""):
    shown = [f"{name or 'value'} ({unit}{per})" if unit != "1" else name for name, unit in zip(names, units)]
    return ", ".join(shown)


def _meaning(field):
    for rule in field.metadata:
        if hasattr(rule, "remedy"):
            text = rule.remedy
            for word in ("give ", "choose ", "say ", "write "):
                text = text.removeprefix(word)
            return text
    return field.description or ""


def _default(field):
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


class Fields(SphinxDirective):
    """A table of the fields of one block."""

    required_arguments = 1

    def run(self):
        part = described(self.arguments[0])
        about = " ".join((part.__doc__ or "").split())
        return [
            nodes.paragraph("", "", *inline(about.replace("``", "`"))),
            table(("field", "meaning", "default"), rows(part)),
        ]


class Units(SphinxDirective):
    """A table of the units that are known."""

    def run(self):
        return [table(("quantity", "in SI", "written as"), units(), code=False)]


class JointCoordinates(SphinxDirective):
    """A table of the coordinates of joints."""

    def run(self):
        return [table(("joint", "at the start, in this order", "its rates"), coordinates())]


class SensorKinds(SphinxDirective):
    """A table of the kinds of sensors."""

    def run(self):
        return [table(("type", "what it reads", "unit"), sensors())]


class Integrators(SphinxDirective):
    """A table of the integrators."""

    def run(self):
        return [table(("method", "order and steps", "for"), integrators())]


def table(head, body, code=True):
    """A table, whose first column is code unless it is not."""
    group = nodes.tgroup(cols=len(head))
    for width in (15, 60, 25):
        group += nodes.colspec(colwidth=width)
    group += nodes.thead("", _row(head, code=False))
    group += nodes.tbody("", *(_row(each, code) for each in body))
    return nodes.table("", group)


def _row(cells, code=True):
    row = nodes.row()
    for k, text in enumerate(cells):
        inner = [nodes.literal("", text)] if code and k == 0 else inline(text)
        row += nodes.entry("", nodes.paragraph("", "", *inner))
    return row


def inline(text):
    """Text whose parts between backticks are code."""
    parts = text.split("`")
    return [nodes.literal("", part) if k % 2 else nodes.Text(part) for k, part in enumerate(parts) if part]


def setup(app):
    app.add_directive("fields", Fields)
    app.add_directive("integrators", Integrators)
    app.add_directive("units", Units)
    app.add_directive("joint-coordinates", JointCoordinates)
    app.add_directive("sensor-kinds", SensorKinds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
