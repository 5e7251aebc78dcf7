"""What all commands share: errors in plain words, exit codes, options that name a value."""

from __future__ import annotations

import errno
import functools
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec

import typer

from lissom.cli.printing.guarded_output import guard_output
from lissom.errors import LissomError

FAILED = 1
INTERRUPTED = 130

Arguments = ParamSpec("Arguments")


def command(function: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Turn a function into a command whose user errors are one message and exit code 1, its warnings a line each, once.

    It goes on where nobody reads what it prints; output that is lost for another reason is an error at its end.
    """

    @functools.wraps(function)
    def safe(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        told: set[str] = set()

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            """Print a warning once, however many runs of this command it is about."""
            if str(message) not in told:
                told.add(str(message))
                say(f"warning: {message}", "yellow")

        with guard_output() as out:
            try:
                with warnings.catch_warnings():
                    warnings.showwarning = show
                    function(*args, **kwargs)
            except LissomError as error:
                fail(str(error))
            except MemoryError:
                fail("not enough memory; ask for less at once, such as a lower rate or fewer runs")
            except KeyboardInterrupt:
                say("interrupted", "yellow")
                raise typer.Exit(INTERRUPTED) from None
            out.flush()
            if out.failure is not None and out.failure.errno != errno.EPIPE:
                fail(f"printed output is lost: {(out.failure.strerror or str(out.failure)).lower()}")

    return safe


def fail(text: str) -> NoReturn:
    """Print an error and leave with exit code 1."""
    say(f"error: {text}", "red")
    raise typer.Exit(FAILED)


def say(text: str, colour: str) -> None:
    """Print a message on standard error, as it is: it may hold brackets."""
    typer.secho(text, err=True, fg=colour)


def assignment(text: str, example: str) -> tuple[str, Any]:
    """Return path and value of an option such as links.upper.beam.length=1.2; the value is read as YAML."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise typer.BadParameter(f"{text!r} is not of the form path=value; write it like {example}")
    from lissom.model.io.yaml_reader import read

    node = read(value, text)
    return path.strip(), None if node is None else node.value


def examples(*pairs: tuple[str, str]) -> str:
    """Return the end of a help page: commands to copy, each with what it does."""
    lines = [f"[dim]# {why}[/]\n[cyan]{line}[/]" if why else f"[cyan]{line}[/]" for line, why in pairs]
    return "\n".join(["[bold]Examples[/]", *lines])
