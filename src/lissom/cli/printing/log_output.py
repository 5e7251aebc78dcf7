"""What lissom logs, for those who run it by the command: on standard error, or in a file."""

from __future__ import annotations

import logging

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}
LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def log_to(asked: str) -> None:
    """Log to standard error at a level by its name, or everything to the file of that name."""
    level = LEVELS.get(asked.lower())
    try:
        handler = logging.FileHandler(asked, encoding="utf-8") if level is None else logging.StreamHandler()
    except OSError:  # a log that cannot be written is no reason not to work
        handler, level = logging.StreamHandler(), logging.DEBUG
        logging.getLogger("lissom").error("LISSOM_LOG=%s cannot be written; logging goes to standard error", asked)
    handler.setFormatter(logging.Formatter(LINE))
    log = logging.getLogger("lissom")
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if level is None else level)
