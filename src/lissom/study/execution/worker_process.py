"""A process that works for another: jobs come in on standard input, answers go out on standard output.

It ends with the process that started it, however that one ends: then its input is closed.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from typing import IO, Any

SIZE = 8  # bytes that say how long a message is


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(SIZE, "big") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message; EOFError where the other side is gone."""
    size = int.from_bytes(_exactly(stream, SIZE), "big")
    return pickle.loads(_exactly(stream, size))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main() -> None:
    """Do what is asked until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what jobs print must not get between the answers
    function: Any = None
    while True:
        try:
            kind, content = receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            if kind == "job":
                function = content
                continue
            answer = (True, function(content))
        except Exception as error:  # every one is told to who asked
            answer = (False, _portable(error))
        try:
            send(answers, answer)
        except BrokenPipeError:
            return


def _portable(error: Exception) -> Exception:
    """Return the error, or its text where it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
