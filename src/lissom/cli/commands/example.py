"""The command `lissom example`: run a worked example by name."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.printing import shared_options
from lissom.cli.printing.command_wrapper import command
from lissom.errors import LissomError
from lissom.terminal import screen, tell_place


@command
def example(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="Of the example; none lists them.")
    ] = None,
    out: Annotated[Path | None, shared_options.out("Folder for figures; out/example-NAME unless given.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", show_default=False, help="Of measurements, for an example that takes them."),
    ] = None,
) -> None:
    """Run a worked example of the theory: tables on the screen, figures in a folder, and what of the paper they meet.

    Without a name, the examples are listed.
    """
    found = titles()
    if name is None:
        from rich.table import Table

        rows = Table.grid("name", "title", padding=(0, 2))
        for each, title in found.items():
            rows.add_row(f"[bold cyan]{each}[/]", title)
        screen().print(rows)
        return
    name = name.replace("_", "-")
    if name not in found:
        from lissom.messages import did_you_mean, listed

        known = listed(list(found), "and")
        raise LissomError(f"there is no example {name!r}{did_you_mean(name, list(found))}; there are {known}")
    from lissom.cli.printing.run_folder import Folder
    from lissom.reproductions.agreement import PAPERS

    main = import_module(_module(name)).main
    if data is not None and "data" not in signature(main).parameters:
        raise LissomError(f"the example {name} takes no measurements; leave --data out", ("data",), str(data))
    with Folder.claim(out, f"example-{name}") as folder:
        main(folder.path, **({} if data is None else {"data": data}))
    if name in PAPERS:
        screen().print(PAPERS[name].table())
    tell_place("figures and data in ", folder.path)


def titles() -> dict[str, str]:
    """Return the first line of every example's docstring, by name."""
    import lissom.reproductions as package

    names = sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(package.__path__))
    return {name: _title(name) for name in names if name != "agreement"}


def _module(name: str) -> str:
    return f"lissom.reproductions.{name.replace('-', '_')}"


def _title(name: str) -> str:
    """Read from the source: a list of examples imports none of them."""
    import ast
    from importlib.util import find_spec

    spec = find_spec(_module(name))
    assert spec is not None and spec.origin is not None
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")
