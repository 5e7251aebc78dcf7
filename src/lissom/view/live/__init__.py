"""The live page: an arm in the browser, moved by a recorded run, by hand, or along its natural modes.

The live page is for one person on one machine: the server listens on this machine alone unless told otherwise.
"""

from __future__ import annotations

import logging

# What goes wrong on the page is said on the page, never in the user's terminal; a program that wants the details adds a
# handler.
LOG = logging.getLogger(__name__)
LOG.addHandler(logging.NullHandler())
LOG.propagate = False

GRIP = "/grip"  # the ball at the tip that a visitor may drag
