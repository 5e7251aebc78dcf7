"""The directive `commands`: every command of lissom with its arguments and options, as its own `--help` has them."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Commands(SphinxDirective):
    """A section per command, in the order of `lissom --help`."""

    def run(self):
        from typer.main import get_command

        from lissom.cli import app

        return [made for name, command in _leaves(get_command(app)) for made in self._one(name, command)]

    def _one(self, name, command):
        section = nodes.section(ids=[nodes.make_id(name)], names=[nodes.fully_normalize_name(name)])
        section += nodes.title("", name)
        for text in (command.help or "").split("\n\n"):
            section += _paragraph(text)
        table = nodes.definition_list()
        for parameter in command.params:
            table += self._parameter(parameter)
        if len(table):
            section += table
        self.state.document.note_explicit_target(section, section)
        return [section]

    def _parameter(self, parameter):
        is_option = parameter.param_type_name == "option"
        what = parameter.metavar or parameter.name.upper()
        names = [*parameter.opts, *parameter.secondary_opts] if is_option else [what]
        value = f" {what}" if is_option and not parameter.is_flag else ""
        term = nodes.term("", "", nodes.literal("", ", ".join(names) + value))
        about = parameter.help or ""
        if is_option and parameter.show_default and parameter.default not in (None, False, ()):
            about += f" Default: {parameter.default}."
        item = nodes.definition_list_item("", term)
        item += nodes.definition("", _paragraph(about))
        return item


def _paragraph(text):
    """Return a paragraph; what stands between backticks is literal."""
    plain_and_literal = " ".join(text.split()).split("`")
    parts = [nodes.literal("", part) if k % 2 else nodes.Text(part) for k, part in enumerate(plain_and_literal)]
    return nodes.paragraph("", "", *parts)


def _leaves(group, before=""):
    """Commands with their whole names, those of groups too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, f"{before}{name} ")
        elif not command.hidden:
            yield f"{before}{name}", command


def setup(app):
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
