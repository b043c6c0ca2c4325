"""What connects the conductor's process with that of a model."""

from __future__ import annotations

import os
from multiprocessing import Pipe

from hetwin_core.ensemble.transport.own_process.shared_parts import SharedParts

CALL, STEP = 1, 2
"""What `Link.asked` rises by: a call is in the pipe, or a step in the memory."""


class Link:
    """Two ends that are made before the processes part, and of which each process keeps one.

    Calls and their results go through a pipe, steps and their outputs through shared memory. Two counters say that
    something is there to be read: unlike what is written into a pipe, they do not draw the process that wakes up to the
    processor of the one that wakes it, which has more to do.

    Attributes:
        conductor: the conductor's end of the pipe.
        model: the model's end of the pipe.
        request: input of a step, or the state for another call.
        output: of a step.
        asked: rises when a call or a step is requested.
        stepped: rises when a step is done.
    """

    def __init__(self) -> None:
        self.conductor, self.model = Pipe()
        self.request = SharedParts()
        self.output = SharedParts()
        self.asked = os.eventfd(0)
        self.stepped = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def close(self) -> None:
        """Give the conductor's side up."""
        self.conductor.close()
        os.close(self.asked)
        os.close(self.stepped)
