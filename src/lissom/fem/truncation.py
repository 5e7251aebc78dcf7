"""What a reduction kept of a finite-element model, and how well it stands in for it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lissom.fem.fe_structure import Array

MOTIONS = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True, eq=False)
class Truncation:
    """The account of one reduction.

    Frequencies are in Hz. "Held" modes are those with every interface held: the ones a selection counts. A share
    of mass belongs to a rigid motion of the base, (rotations, translations), and is relative to what moves inside.
    """

    method: str
    unknowns: int
    mass: float
    interfaces: tuple[str, ...]
    held_frequencies: Array = field(default_factory=lambda: np.zeros(0))  # (k,) Hz, kept
    shares: Array = field(default_factory=lambda: np.zeros((0, 6)))  # (k, 6) effective modal mass of each
    next_frequency: float = np.nan  # the lowest held frequency left out
    full_frequencies: Array = field(default_factory=lambda: np.zeros(0))  # (c,) base held, other interfaces free
    reduced_frequencies: Array = field(default_factory=lambda: np.zeros(0))  # (m,) the same of the reduced model

    @property
    def cutoff(self) -> float:
        """Highest frequency among the modes kept, Hz."""
        return float(self.held_frequencies.max(initial=0.0))

    @property
    def errors(self) -> Array:
        """Relative errors (c,) of the reduced model's natural frequencies."""
        return self.reduced_frequencies[: len(self.full_frequencies)] / self.full_frequencies - 1

    def worst(self, below: float) -> float:
        """Return largest error among the natural frequencies below a frequency in Hz."""
        return float(np.abs(self.errors[self.full_frequencies < below]).max(initial=0.0))

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        out = StringIO()
        console = Console(file=out, width=100, color_system=None, highlight=False, markup=False, emoji=False)
        for line in self._heading():
            console.print(line)
        if len(self.shares):
            console.print("\nModes kept with all interfaces held, and the share of the moving mass each carries, %")
            console.print(self._participation())
        elif len(self.held_frequencies):
            console.print(
                "\nModes of the free body kept, Hz: " + ", ".join(f"{hz:.5g}" for hz in self.held_frequencies)
            )
        if len(self.full_frequencies):
            console.print("Natural frequencies with the base held, other interfaces free, Hz")
            console.print(self._comparison())
            half = self.cutoff / 2
            if np.any(self.full_frequencies < half):
                console.print(f"Up to half the cut-off, {half:.5g} Hz, the largest error is {self.worst(half):.2%}.")
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines()) + "\n"

    def _heading(self) -> list[str]:
        ends = ", ".join(self.interfaces)
        size = f"{self.unknowns} unknowns to {len(self.reduced_frequencies)} coordinates"
        lines = [f"{self.method}: {size}; {self.mass:.5g} kg; interfaces {ends}"]
        if self.cutoff:
            following = (
                f"; the first mode left out has {self.next_frequency:.5g} Hz"
                if np.isfinite(self.next_frequency)
                else ""
            )
            lines.append(f"cut-off {self.cutoff:.5g} Hz{following}")
        return lines

    def _participation(self) -> object:
        from rich import box
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in ("mode", "Hz", *MOTIONS[3:], *MOTIONS[:3]):
            table.add_column(name, justify="right")
        order = [3, 4, 5, 0, 1, 2]
        for k, (hz, shares) in enumerate(zip(self.held_frequencies, self.shares), start=1):
            table.add_row(f"{k}", f"{hz:.5g}", *(f"{100 * shares[a]:.1f}" if shares[a] >= 5e-4 else "" for a in order))
        table.add_section()
        table.add_row("all", "", *(f"{100 * self.shares[:, a].sum():.1f}" for a in order))
        return table

    def _comparison(self) -> object:
        from rich import box
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in ("mode", "full model", "reduced", "error"):
            table.add_column(name, justify="right")
        for k, (full, reduced, error) in enumerate(
            zip(self.full_frequencies, self.reduced_frequencies, self.errors), start=1
        ):
            table.add_row(f"{k}", f"{full:.6g}", f"{reduced:.6g}", f"{error:+.3%}")
        return table
