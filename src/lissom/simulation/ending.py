"""How a run ended."""

from enum import StrEnum


class Ending(StrEnum):
    """Why a run stopped; each is also its own text, as in `run.info.status == "finished"`."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"  # by hand
    DIVERGED = "diverged"  # the motion grew beyond sense
    NOT_CONVERGED = "not-converged"  # the smallest step allowed does not satisfy the equations
    NOT_FINITE = "not-finite"  # a state became infinite or NaN
    CONTROLLER_FAILED = "controller-failed"  # the user's function raised, or returned nonsense
    FORMULATION_FAILED = "formulation-failed"  # its equations raised an error
    OUT_OF_RANGE = "out-of-range"  # a formulation reached the limit of what it describes

    @property
    def word(self) -> str:
        """In one word, for headlines."""
        return self.value if self in (Ending.FINISHED, Ending.INTERRUPTED, Ending.DIVERGED) else "failed"
