"""The process beside the twin, as the twin sees it."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite._study.foretelling.asked import Question
from hetwin_suite._study.foretelling.foreteller import serve, without_source

READY_S = 30.0


def foreteller(
    scenario: Scenario, options: RunOptions, namespace: str
) -> Callable[[Question], None]:
    """Start the process that predicts, which ends with this one; returns what takes questions, without waiting.

    It returns when the process is ready, so that its start slows no twin that already follows its robot.

    Args:
        scenario: of the run.
        options: what its start says.
        namespace: of the topic of the answers.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(
        target=serve,
        args=(
            theirs,
            scenario.path,
            scenario.variant,
            without_source(scenario, options),
            namespace,
        ),
        name="foreteller",
        daemon=True,
    )
    process.start()
    theirs.close()
    with suppress(EOFError, OSError):
        if ours.poll(READY_S):
            ours.recv_bytes()
    return _Newest(ours).put


class _Newest:
    """Sends the newest question whenever the other side takes one; a newer one covers those before it.

    In a thread, for the other side reads only between two predictions, and a question is larger than what a pipe holds.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._question: Question | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._send, name="to_foreteller", daemon=True).start()

    def put(self, question: Question) -> None:
        with self._changed:
            self._question = question
            self._changed.notify()

    def _send(self) -> None:
        with suppress(EOFError, OSError):  # the process has ended; it has said why
            while True:
                self._pipe.recv_bytes()  # it asks
                self._pipe.send(self._take())

    def _take(self) -> Question:
        with self._changed:
            self._changed.wait_for(lambda: self._question is not None)
            question, self._question = self._question, None
        assert question is not None
        return question
