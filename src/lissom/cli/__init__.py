"""The `lissom` command: run, modes, compare, view, check, list, describe, export, example, build, cite.

Each command imports what it needs when it is called, so that `lissom --help` answers at once.
"""

from typing import Annotated

import typer

from lissom.cli.compare import compare
from lissom.cli.example import example
from lissom.cli.export import export
from lissom.cli.machine import build
from lissom.cli.modes import modes
from lissom.cli.output import keep_standard_streams
from lissom.cli.robots import check, cite, describe, list_all
from lissom.cli.run import run
from lissom.cli.shell import examples
from lissom.cli.theory import theory
from lissom.cli.view import view
from lissom.version import __version__

app = typer.Typer(
    name="lissom",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        ("lissom list", "the robots and scenarios that come with lissom"),
        ("lissom run ella", "simulate an arm: summary, data and figures"),
        ("lissom run my_arm.yaml --set links.upper.beam.length=1.2", "your own, with one value changed"),
        ("lissom modes ella --pose elbow=1.57", "natural frequencies at a pose"),
        ("lissom view ella", "see it bend, in the browser"),
        ("lissom check my_arm.yaml", "is my file right, and if not, where?"),
    ),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lissom {__version__}")
        raise typer.Exit


@app.callback()
def _lissom(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Dynamics of robot arms whose links and joints bend.

    A robot file in; a simulated motion with every joint's force and every link's deflection out.
    """


app.command(
    epilog=examples(
        ("lissom run ella", "a scenario that comes with lissom; results go to out/ella"),
        ("lissom run scenarios/lift.yaml --out lift", "your scenario, results in the folder lift"),
        ("lissom run my_arm.yaml --duration 1", "a robot alone: it falls freely for 1 s"),
        ("lissom run ella --set links.upper.beam.length=1.2 --set control.gains.elbow.p=900", "other values"),
        ("lissom run ella --report --animation ella.mp4", "with a page that opens anywhere, and a film"),
        ("lissom run ella --json --quiet | jq .energy.relative", "for machines"),
    )
)(run)
app.command(
    epilog=examples(
        ("lissom modes ella", "joints locked, arm stretched out"),
        ("lissom modes ella --pose shoulder=0.5 --pose elbow=1.57 --sag", "at a pose, bent by its weight"),
        ("lissom modes canadarm2 --motors --number 5", "elastic joints give way, five modes"),
        ("lissom modes satellite-two-arm --free", "joints and base free"),
    )
)(modes)
app.command(
    epilog=examples(
        ("lissom compare dual-screw-arm", "all formulations that cover the arm"),
        ("lissom compare ella --with dual_screw --duration 1", "one of them, for 1 s"),
        ("lissom compare my_arm.yaml --list", "which formulations cover my arm, and why not the others"),
    )
)(compare)
app.command(
    epilog=examples(
        ("lissom view ella", "run a scenario and play it; or move the arm by hand, or watch its modes"),
        ("lissom view out/ella", "a recorded run; a folder of runs lets you choose"),
        ("lissom view canadarm2 --modes", "begin with the natural modes"),
        ("lissom view ella --host 0.0.0.0 --remote", "let others on the network see and steer it"),
    )
)(view)
app.command(
    epilog=examples(
        ("lissom check my_arm.yaml", "one file"),
        ("lissom check arms/*.yaml scenarios/*.yaml && echo all good", "many; exit code 1 if any is wrong"),
    )
)(check)
app.command("list", epilog=examples(("lissom list", "then: lissom run ella, lissom describe ella")))(list_all)
app.command(
    epilog=examples(
        ("lissom describe ella", "a robot that comes with lissom"),
        ("lissom describe arms/my_arm.yaml", "your own"),
        ("lissom describe ella --set links.upper.beam.length=1.2", "with another value"),
    )
)(describe)
app.command(
    epilog=examples(
        ("lissom export out/ella motion.csv", "every quantity, one row per time"),
        ("lissom export out/ella/trajectory.nc motion.parquet", "as Parquet (needs pyarrow)"),
    )
)(export)
app.command(
    epilog=examples(
        ("lissom example", "what there is"),
        ("lissom example optimal-motion", "the motion of least energy between two poses"),
    )
)(example)
app.command(epilog=examples(("lissom build", "then no command waits for a compiler")))(build)
app.command(epilog=examples(("lissom cite --bibtex >> references.bib", "")))(cite)

app.add_typer(theory, name="theory")


def main() -> None:
    """Entry point of the `lissom` command."""
    keep_standard_streams()
    app(prog_name="lissom")
