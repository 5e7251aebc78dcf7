"""Pages of data classes: the fields as a table of types, units, meanings and defaults, not as a wall of validators."""

import inspect

from lissom.model.schema.base_model import Description
from lissom.model.schema.signatures import plain

BROAD = 6  # kinds that a field may have, beyond which a page says only how many


def inherited(module, name):
    """The names of a class of a module that pages do not list: pydantic's, and fields, which have a table."""
    kind = getattr(__import__(module, fromlist=[name]), name, None)
    if not (inspect.isclass(kind) and issubclass(kind, Description)):
        return []
    return [*dir(Description), *kind.model_fields, "what", "whole", "error", "form", "chosen_by", "unit"]


def type_words(annotation):
    """A type in words: `number`, `text`, `three numbers`, the names of classes."""
    words = {float: "number", int: "whole number", str: "text", bool: "true or false", type(None): ""}
    if annotation in words:
        return words[annotation]
    if str(annotation).startswith("tuple[float, float, float]"):
        return "[x, y, z]"
    inner = [each for each in getattr(annotation, "__args__", ()) if each is not ...]
    origin = getattr(annotation, "__origin__", None)
    if origin is tuple:
        listed = " or ".join(dict.fromkeys(type_words(each) for each in inner))
        return "list of numbers" if listed == "number" else f"list of {listed}"
    if origin is dict:
        return f"{{name: {type_words(inner[1])}}}"
    if origin is not None and "Literal" in str(origin):
        return " or ".join(f'"{each}"' for each in inner)
    if inner:
        kinds = [text for text in dict.fromkeys(type_words(each) for each in inner) if text]
        return " or ".join(kinds) if len(kinds) <= BROAD else f"one of {len(kinds)} kinds"
    return getattr(annotation, "__name__", str(annotation))


def table(kind):
    """The fields of a class as lines of reStructuredText."""
    from fields import _default, _meaning

    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 18 22 40 20", ""]
    rows = [("field", "type", "meaning", "default")]
    for name, field in kind.model_fields.items():
        rule = next((each for each in field.metadata if hasattr(each, "unit") or hasattr(each, "remedy")), None)
        unit = f" ({rule.unit})" if getattr(rule, "unit", "") else ""
        words = type_words(plain(field.rebuild_annotation()))
        meaning = _meaning(field).removesuffix(f" in {getattr(rule, 'unit', '')}")
        rows.append((f"``{name}``", words + unit, meaning, _default(field)))
    for row in rows:
        for k, cell in enumerate(row):
            text = " ".join(str(cell).split())
            shown = text if text.startswith("``") else text.replace("*", r"\*").replace("|", r"\|").replace("_", r"\_")
            lines.append(f"   {'* -' if k == 0 else '  -'} {shown}".rstrip())
    return [*lines, ""]


def add_table(app, what, name, obj, options, lines):
    """Put the table of its fields below what the docstring of a data class says."""
    if what == "class" and inspect.isclass(obj) and issubclass(obj, Description) and obj.model_fields:
        lines += ["", *table(obj)]


def short_signature(app, what, name, obj, options, signature, returns):
    """Show the fields of a data class by name; types and defaults stand in its table."""
    if what == "class" and inspect.isclass(obj) and issubclass(obj, Description):
        return "(" + ", ".join(obj.model_fields) + ")", None
    return None


def setup(app):
    app.connect("autodoc-process-docstring", add_table)
    app.connect("autodoc-process-signature", short_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
