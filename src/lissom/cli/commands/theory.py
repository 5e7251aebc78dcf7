"""lissom theory: the stacked screw system of a robot, to look at and to check, and the equations of the papers."""

from __future__ import annotations

import json
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing import shared_options
from lissom.cli.printing.command_wrapper import assignment, command, examples, fail
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings, asked
from lissom.files import make_folder, write_whole
from lissom.progress import Progress
from lissom.terminal import screen, tell_place

if TYPE_CHECKING:
    import numpy as np

    from lissom.theory.screw_pde import Report, ScrewPDE

theory = typer.Typer(no_args_is_help=True, help="The published formulations, from inside.", rich_markup_mode="rich")


def _system(robot: str, settings: list[str] | None) -> tuple[ScrewPDE, np.ndarray, np.ndarray]:
    """Return the formulation of a robot, and the state where its scenario starts, else at zero.

    Springs, ropes and contacts are left out, and told: they enter no matrix of the system, only its right-hand side.
    """
    from lissom.cli.builtin_entries import robot_of
    from lissom.simulation.initial_state import start_state
    from lissom.theory.connections.tree_models import without_forces
    from lissom.theory.screw_pde import ScrewPDE

    changed, scenario = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    model = changed.compile()
    start = start_state(model, None) if scenario is None else scenario.with_value("robot", changed).prepare().start
    acting = [element.name for element in model.robot.elements if element.held() is None]
    acting += [contact.name for contact in model.robot.contacts]
    if acting:
        text = f"left out: {', '.join(acting)}: forces enter no matrix of the system, stiff ones limit steps further"
        screen(error=True).print(text, markup=False)
    return ScrewPDE(without_forces(model)), *start


@theory.command(epilog=examples(("lissom theory structure ella", "a picture in out/ella, blocks on the screen")))
@command
def structure(
    robot: Anything,
    out: Annotated[
        Path | None, shared_options.out("File for the picture; out/NAME/structure.png unless given.")
    ] = None,
    settings: Settings = None,
) -> None:
    """Show the blocks of the stacked system of a robot: rows of links and joints, wrenches among the unknowns."""
    import numpy as np
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from lissom.view.figures.models.structure_figure import structure_figure

    if out is not None:
        make_folder(out.parent)
    with Progress("evaluating the system (compiled once per machine)"):
        formulation, q, v = _system(robot, settings)
        system = formulation.system(q, v, np.zeros(formulation.model.nv))
    title = f"Stacked system of {formulation.model.robot.name}"
    table = Table(box=box.SIMPLE_HEAD, title=escape(title), title_justify="left")
    table.add_column("rows")
    table.add_column("number", justify="right")
    table.add_column("entries in the columns of")
    for row in system.rows:
        filled = [column.name for column in system.columns if np.any(system.block(row.name, column.name))]
        table.add_row(row.name, str(row.stop - row.start), ", ".join(filled))
    path = out or Path("out") / formulation.model.robot.name / "structure.png"
    make_folder(path.parent)
    content = BytesIO()
    figure = structure_figure(system, title)
    figure.savefig(content, format=path.suffix.removeprefix(".") or "png", dpi=140)
    write_whole(path, content.getvalue())
    screen().print(table)
    tell_place("picture in ", path)


@theory.command(epilog=examples(("lissom theory check ella", "rank, conditioning, definiteness, index, step limits")))
@command
def check(robot: Anything, settings: Settings = None, as_json: Json = False) -> None:
    """Is the stacked system of a robot well posed? If not, the cause, and exit code 1."""
    from lissom.theory.screw_pde import check as wellposed

    with Progress("evaluating the system (compiled once per machine)"):
        formulation, q, v = _system(robot, settings)
        report = wellposed(formulation, q, v)
    if as_json:
        typer.echo(json.dumps(_plain(asdict(report)), indent=2))
    else:
        _show(report, formulation.model.robot.name)
    if report.causes:
        fail("; ".join(report.causes))


@theory.command(
    epilog=examples(
        ("lissom theory equations 003", "every numbered equation, the function that computes it, the test"),
        ("lissom theory equations 003 --number 44", "one of them"),
    )
)
@command
def equations(
    paper: Annotated[str, typer.Argument(metavar="PAPER", show_default=False, help="Key of a paper: 000 to 004.")],
    number: Annotated[int | None, asked("--number", "N", "This equation alone.")] = None,
    as_json: Json = False,
) -> None:
    """Show which function computes which numbered equation of a paper, how it is tested, or why it is left out."""
    from rich.markup import escape
    from rich.table import Table

    from lissom.theory.equation_tables import equation_table, read_paper

    printed = read_paper(paper)
    rows = equation_table(paper) if number is None else (equation_table(paper)[printed.index(number)],)
    if as_json:
        plain = [asdict(row.equation) | {"computed_by": [mark.place for mark in row.marks]} for row in rows]
        typer.echo(json.dumps(plain, indent=2))
        return
    table = Table(
        box=None, show_header=False, title=escape(f"{printed.authors}: {printed.title}"), title_justify="left"
    )
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for equation, marks in rows:
        shown = [*equation.test.split(), *filter(None, [equation.why_not])]
        below = [f"[cyan]{escape(mark.place)}[/]" for mark in marks] + [f"[dim]{escape(text)}[/]" for text in shown]
        table.add_row(f"({equation.number})", "\n".join([escape(equation.says), *below]))
    screen().print(table)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return None
    return value


def _show(report: Report, name: str) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    verdict = "[green]well posed[/]" if report.well_posed else "[red]not well posed[/]"
    table = Table(box=box.SIMPLE_HEAD, title=f"Stacked system of {escape(name)}: {verdict}", title_justify="left")
    for column in ("property", "value", "meaning"):
        table.add_column(column)
    rank = "regular: one solution" if report.rank == report.size else "singular"
    table.add_row("rank", f"{report.rank} of {report.size}", f"{rank}; {report.entries} entries")
    table.add_row("condition", f"{report.condition:.2g}", "of the scaled matrix: digits lost in a solve")
    definite = "positive definite" if report.definite else "not positive definite"
    table.add_row(
        "block (78)", f"{report.smallest:.2g}", f"{definite}; smallest scaled eigenvalue, in {report.weakest}"
    )
    index = "none" if report.index is None else str(report.index)
    table.add_row("index", index, f"as stacked; {report.position_index} with constraints on positions")
    at = report.residual
    table.add_row("residuals", f"{at.position:.1e}, {at.velocity:.1e}", "of joints: m or rad, and per second")
    if report.steps is not None:
        steps = report.steps
        table.add_row("step (89)", _milliseconds(steps.printed), "as printed: stiffest link alone, clamped-free")
        table.add_row("step, central", _milliseconds(steps.central), "2/omega_max of the assembled arm")
        table.add_row("step, Euler", _milliseconds(steps.euler), "forward Euler on the assembled arm")
        table.add_row("step, RK4", _milliseconds(steps.runge_kutta), "classical Runge-Kutta")
    screen().print(table)


def _milliseconds(step: float) -> str:
    if step == 0:
        return "none"
    return "any" if step == float("inf") else f"{1e3 * step:.3g} ms"
