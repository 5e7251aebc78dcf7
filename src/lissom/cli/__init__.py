"""The `lissom` command: run, modes, sweep, optimise, compare, view, check, list, describe, export and others.

Only the module of the command that is called is imported, and each imports what it needs when it is called, so that
commands answer at once.
"""

import atexit
import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer

from lissom.cli.printing.command_wrapper import examples
from lissom.cli.printing.guarded_output import keep_standard_streams
from lissom.version import __version__

# New objects before Python looks for unused ones. With this and `gc.freeze`, `lissom check ella` computes for 0.64 s
# instead of 0.79 s, `lissom run ella` for 3.1 s instead of 3.8 s.
GARBAGE = 100_000
LOGGING = "LISSOM_LOG"  # the variable that asks for a log: a level, or a file
COMPLETING = "_LISSOM_COMPLETE"  # the variable by which a shell asks for words, set by its own script


class Command(NamedTuple):
    """Where a command, or a group of them, is, and the examples at the end of its help: (line, what it does)."""

    place: str
    examples: list[tuple[str, str]]


COMMANDS = {
    "run": Command(
        "lissom.cli.commands.run:run",
        [
            ("lissom run ella", "a scenario that comes with lissom; results go to out/ella"),
            ("lissom run scenarios/lift.yaml --out lift", "your scenario, results in the folder lift"),
            ("lissom run my_arm.yaml --duration 1", "a robot alone: it falls freely for 1 s"),
            ("lissom run ella --set links.upper.beam.length=1.2 --set control.gains.elbow.p=900", "other values"),
            ("lissom run ella --report --animation ella.mp4", "with a page that opens anywhere, and a film"),
            ("lissom run ella --json --quiet | jq .energy.relative", "for machines"),
        ],
    ),
    "report": Command(
        "lissom.cli.commands.report:report",
        [
            ("lissom report out/ella", "the page of a saved run, out/ella/report.html"),
            ("lissom report out/lift --out lift.pdf --units kN,mm,deg --title 'Lift of 2 t'", "a PDF"),
            ("lissom report out/lift --beside rigid=out/lift-2 --beside measured=bench.csv", "others in its charts"),
        ],
    ),
    "modes": Command(
        "lissom.cli.commands.analysis.modes:modes",
        [
            ("lissom modes ella", "joints locked, arm stretched out"),
            ("lissom modes ella --pose shoulder=0.5 --pose elbow='90 deg' --sag", "at a pose, bent by its weight"),
            ("lissom modes ella --lock shoulder --lock elbow", "some joints locked, the others free"),
            ("lissom modes canadarm2 --motors --number 5", "elastic joints give way, five modes"),
            ("lissom modes satellite-two-arm --free", "joints and base free"),
            ("lissom modes spinup-beam --buckling --load blade=-1,0,0", "forces along the blade that buckle it"),
        ],
    ),
    "campbell": Command(
        "lissom.cli.commands.analysis.campbell:campbell",
        [
            ("lissom campbell spinup-beam --to 6", "0 to 6 rad/s; out/spinup-beam/campbell.png"),
            ("lissom campbell spinup-beam --joint shaft --to 6 --steps 31 -n 4", "four modes, finer"),
        ],
    ),
    "bode": Command(
        "lissom.cli.commands.analysis.bode:bode",
        [
            ("lissom bode ella --input elbow --output forearm.tip.y", "Bode diagram, resonances; out/ella/bode.png"),
            ("lissom bode ella --input elbow --output elbow.rate --kind nyquist", "in the complex plane"),
            ("lissom bode ella --input elbow --loop", "margins of the scenario's controller"),
            ("lissom bode ella --pose elbow='90 deg' --kind root-locus", "poles as a gain on the elbow grows"),
        ],
    ),
    "pose": Command(
        "lissom.cli.commands.pose:pose",
        [
            ("lissom pose luffing-crane --pose pin='30 deg'", "how long the cylinder is there"),
            ("lissom pose luffing-crane --pose lift=3.8", "the angle that a length gives"),
            ("lissom pose luffing-crane --at boom='[., ., 9]'", "both, for a tip 9 m up"),
            ("lissom pose ella --at forearm='[1, 0.5, .]' --sag", "the bent tip is there"),
            ("lissom pose rigid-7-axis --at link7='[0.4, 0.2, 0.6]' --json", "inverse kinematics, for machines"),
        ],
    ),
    "sweep": Command(
        "lissom.cli.commands.sweep:sweep",
        [
            ("lissom sweep payloads.yaml", "all runs of a study, on all cores; results go to out/payloads.zarr"),
            ("lissom sweep payloads.yaml --cluster tcp://head:8786", "the same on a Dask cluster"),
        ],
    ),
    "optimise": Command(
        "lissom.cli.commands.optimise:optimise",
        [
            ("lissom optimise lift.yaml", "the best motion of a task; results go to out/lift"),
            ("lissom run out/lift/scenario.yaml", "that motion, simulated like any other"),
        ],
    ),
    "identify": Command(
        "lissom.cli.commands.identify:identify",
        [
            ("lissom identify fit.yaml", "values with intervals; the new robot file goes to out/fit-NAME"),
            ("lissom identify fit.yaml --json | jq .parameters", "for machines"),
        ],
    ),
    "compare": Command(
        "lissom.cli.commands.compare:compare",
        [
            ("lissom compare dual-screw-arm", "all formulations that cover the arm"),
            ("lissom compare ella --with dual_screw --duration 1", "one of them, for 1 s"),
            ("lissom compare my_arm.yaml --list", "which formulations cover my arm, and why not the others"),
        ],
    ),
    "view": Command(
        "lissom.cli.commands.view:view",
        [
            ("lissom view ella", "run a scenario and play it; or move the arm by hand, or watch its modes"),
            ("lissom view out/ella", "a recorded run; a folder of runs lets you choose"),
            ("lissom view canadarm2 --modes", "begin with the natural modes"),
            ("lissom view ella --host 0.0.0.0 --remote", "let others on the network see and steer it"),
        ],
    ),
    "check": Command(
        "lissom.cli.commands.robots:check",
        [
            ("lissom check my_arm.yaml", "one file"),
            ("lissom check arms/*.yaml scenarios/*.yaml && echo all good", "many; exit code 1 if any is wrong"),
        ],
    ),
    "list": Command(
        "lissom.cli.commands.robots:list_all", [("lissom list", "then: lissom run ella, lissom describe ella")]
    ),
    "new": Command(
        "lissom.cli.commands.files:new",
        [
            ("lissom new my-arm", "asks three questions, then writes my-arm.yaml and my-arm-run.yaml"),
            ("lissom new boom --links 1 --bend --drive none", "asks nothing"),
        ],
    ),
    "schema": Command(
        "lissom.cli.commands.files:schema",
        [
            ("lissom schema", "schemas of all files in the folder schemas, for editors"),
            ("lissom schema robot", "that of robot files, on the screen"),
        ],
    ),
    "describe": Command(
        "lissom.cli.commands.robots:describe",
        [
            ("lissom describe ella", "a robot that comes with lissom"),
            ("lissom describe arms/my_arm.yaml", "your own"),
            ("lissom describe ella --set links.upper.beam.length=1.2", "with another value"),
        ],
    ),
    "export": Command(
        "lissom.cli.commands.export:export",
        [
            ("lissom export out/ella --out motion.csv", "every quantity of a run, one row per time"),
            (
                "lissom export out/ella --to xlsx --in kN,mm,deg --column wrench.elbow",
                "some, for Excel",
            ),
            ("lissom export out/ella/trajectory.nc --to parquet", "as Parquet (needs pyarrow)"),
            ("lissom export ella --to c --out ella-c", "the robot's dynamics as C code, with a test"),
            ("lissom export ella --to c --functions inverse_dynamics,gravity", "only what a controller needs"),
            ("lissom export ella --to c --point upper@0.5 --wrench forearm", "with points and loads of your own"),
            ("lissom export pick.yaml --to c --controller --out pid", "a scenario's sampled controller as C code"),
            ("lissom export ella --to fmu --fmi 3.0", "the scenario as a block for other simulators: ella.fmu"),
        ],
    ),
    "example": Command(
        "lissom.cli.commands.example:example",
        [
            ("lissom example", "what there is"),
            ("lissom example optimal-motion", "the motion of least energy between two poses"),
        ],
    ),
    "build": Command(
        "lissom.cli.commands.build:build", [("lissom build", "after that, no command waits for a compiler")]
    ),
    "cite": Command("lissom.cli.commands.robots:cite", [("lissom cite --bibtex >> references.bib", "")]),
    "theory": Command("lissom.cli.commands.theory:theory", []),
}

EXAMPLES = (
    ("lissom list", "the robots and scenarios that come with lissom"),
    ("lissom run ella", "simulate an arm: summary, data and figures"),
    ("lissom run my_arm.yaml --set links.upper.beam.length=1.2", "your own, with one value changed"),
    ("lissom modes ella --pose elbow=1.57", "natural frequencies at a pose"),
    ("lissom view ella", "see it bend, in the browser"),
    ("lissom check my_arm.yaml", "check a file: is it right, and if not, where?"),
)


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the application with the commands of these names."""
    app = typer.Typer(
        name="lissom",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=examples(*EXAMPLES),
    )
    app.callback()(_lissom)
    for name in names:
        module, _, function = COMMANDS[name].place.partition(":")
        found = getattr(import_module(module), function)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name, epilog=examples(*COMMANDS[name].examples))(found)
    return app


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return make_app()


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lissom {__version__}")
        raise typer.Exit


def _lissom(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Dynamics of robot arms whose links and joints bend.

    A robot file in; a simulated motion with every joint's force and every link's deflection out.
    """


def main() -> None:
    """Entry point of the `lissom` command."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # else Python looks through all objects again at the end
    keep_standard_streams()
    if LOGGING in os.environ:
        from lissom.cli.printing.log_output import log_to

        log_to(os.environ[LOGGING])
    called = [word for word in _completed() or sys.argv[1:2] if word in COMMANDS]
    make_app(called or COMMANDS)(prog_name="lissom")


def _completed() -> list[str]:
    """Return the command that a shell is asking the rest of, on Tab; nothing where it asks for a command."""
    if COMPLETING not in os.environ:
        return []
    words = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    line = words.split()
    return line[1:2] if len(line) > 2 or words.endswith((" ", "\n")) else list(COMMANDS)
