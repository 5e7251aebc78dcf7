"""The errors that lissom raises on purpose: each message names the place, the value and a remedy."""


class LissomError(ValueError):
    """Base of every error that a user of lissom can cause and repair."""


class RobotError(LissomError):
    """A robot description that cannot become a model."""


class ScenarioError(LissomError):
    """A scenario that cannot be run."""
