"""Python started with this folder in PYTHONPATH: lissom finds a system without locks, forks, owners, limits, signals.

Only `lissom.operating_system` asks for these, as a test makes sure; features of the processor remain.
"""

import os
import signal
import sys
from types import SimpleNamespace

from lissom import operating_system

HIDDEN = ("fcntl", "resource", "pwd", "grp", "termios")
LACKING = ("fork", "waitpid", "getuid", "sched_getaffinity", "sysconf")

for name in HIDDEN:
    sys.modules[name] = None
operating_system.SYSTEM = "bare"
operating_system.os = SimpleNamespace(**{name: getattr(os, name) for name in dir(os) if name not in LACKING})
operating_system.signal = SimpleNamespace(SIGINT=signal.SIGINT, SIGTERM=signal.SIGTERM)
