"""How a run ended."""

from enum import StrEnum


class Ending(StrEnum):
    """Why a run stopped; each is also its own text, as in `run.info.status == "finished"`.

    FINISHED; INTERRUPTED by hand; DIVERGED: the motion grew beyond sense; NOT_CONVERGED: the smallest step allowed does
    not satisfy the equations; NOT_FINITE: a state became infinite or NaN; CONTROLLER_FAILED: the user's function raised
    or returned nonsense; FORMULATION_FAILED: its equations raised an error; OUT_OF_RANGE: a formulation reached the
    limit of what it describes. In all cases what was computed is kept.
    """

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    DIVERGED = "diverged"
    NOT_CONVERGED = "not-converged"
    NOT_FINITE = "not-finite"
    CONTROLLER_FAILED = "controller-failed"
    FORMULATION_FAILED = "formulation-failed"
    OUT_OF_RANGE = "out-of-range"

    @property
    def word(self) -> str:
        """In one word, for headlines."""
        return self.value if self in (Ending.FINISHED, Ending.INTERRUPTED, Ending.DIVERGED) else "failed"
