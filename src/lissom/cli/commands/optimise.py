"""lissom optimise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import command
from lissom.cli.printing.run_folder import Folder
from lissom.cli.printing.shared_options import Json, check_name, out
from lissom.terminal import screen


@command
def optimise(
    task: Annotated[
        Path, typer.Argument(metavar="TASK.yaml", parser=check_name, show_default=False, help="What shall become best.")
    ],
    folder: Annotated[Path | None, out("Folder for the results, out/NAME unless given.")] = None,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Simulate the result on the whole robot, beside the smooth one.")
    ] = True,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw before and after.")] = True,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Find the best motion of a robot, its lightest sections, or the rigid arm of least curvature, within limits.

    A motion: least vibration, time, effort or energy. Writes motion.csv (joints and torques over time) and
    scenario.yaml, which lissom run takes.

    Sections: the sizes of the lightest robot that keeps frequencies, deflections and stresses. Writes robot.yaml.

    A rigid arm: masses and lengths of least curvature of the inertia matrix, or of least energy. Writes robot.yaml.

    Exit codes: 0 done, 1 an error or no solution, 2 wrong usage, 130 interrupted.
    """
    from lissom.optimise import BestArm, OptimalMotion, Verification, load

    asked = load(task)
    with Folder.claim(folder, asked.name) as place:
        best = asked.solve(progress=not quiet)
        if isinstance(best, OptimalMotion):
            best.save(place.path)
            figure, hint = "motion.png", f"simulate them: lissom run {place.path / 'scenario.yaml'}"
        else:
            best.save(place.path / "robot.yaml")
            figure, hint = "sizing.png", f"the robot: {place.path / 'robot.yaml'}"
        seen = best.verify() if check and not isinstance(best, BestArm) else None
        if figures and not isinstance(best, BestArm):
            import matplotlib

            matplotlib.use("Agg")
            place.picture(figure, best.plot())
            if isinstance(seen, Verification):
                place.picture("check.png", seen.plot())
    if as_json:
        _print_json(best.to_dict() | ({} if seen is None else {"simulated": seen.to_dict()}))
    elif not quiet:
        console = screen()
        console.print(best.table())
        if seen is not None:
            console.print(seen.table())
        console.print(f"results in {place.path}; {hint}")


def _print_json(data: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(data, indent=2))
