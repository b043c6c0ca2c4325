"""A process forked from this one, whose work may hang or crash without taking this one along."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.parting import detach, parting
from hetwin_core.ensemble.supervision.stacks import CALLER, where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending

LOOK_PERIOD_S = 0.05

Send: TypeAlias = Callable[[Any], None]
"""Sends something picklable to the parent while the work goes on; may be called from any thread."""

_MESSAGE, _RESULT, _ERROR = "message", "result", "error"


class ChildDied(HetwinError):
    """The child ended without a result; `code` is its return code, negative for a signal."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(f"its process {ending(code)}")


class WatchedChild:
    """A forked process that sends messages, and whose stacks can be read from outside while it hangs.

    It leaves the terminal's session, so that a Ctrl-C there reaches this process alone; it ends with this process;
    what it prints goes to stderr, since this process may print JSON.

    Args:
        work: what the child does; returns something picklable. SIGINT and SIGTERM end the child unless `work` sets
            handlers of its own.
        name: of the process.
    """

    def __init__(self, work: Callable[[Send], Any], name: str) -> None:
        fork = multiprocessing.get_context("fork")
        self._messages, to_parent = fork.Pipe(duplex=False)
        self._stacks, stacks = os.pipe()
        self._process = fork.Process(target=_child, args=(work, to_parent, stacks), name=name)
        with parting():
            self._process.start()
        to_parent.close()
        os.close(stacks)

    def result(
        self,
        on_message: Callable[[Any], None],
        look: Callable[[], None],
        error_from: Callable[[str], HetwinError],
    ) -> Any:
        """Wait for the result of the work.

        Args:
            on_message: is called with each message of the child.
            look: is called every `LOOK_PERIOD_S`; stops the waiting by raising.
            error_from: makes an error that `work` raised from its text on the wire.

        Raises:
            ChildDied: if the child ends without a result.
            HetwinError: that `work` or `look` raised.
        """
        while True:
            wait([self._messages, self._process.sentinel], LOOK_PERIOD_S)
            has_died = not self._process.is_alive()  # before reading, so that nothing is missed
            for kind, content in self._arrived():
                if kind == _RESULT:
                    return content
                if kind == _ERROR:
                    raise error_from(content)
                on_message(content)
            if has_died:
                raise ChildDied(self._process.exitcode or 0)
            look()

    def interrupt(self) -> None:
        """Send SIGINT."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def place(self, caller: str = CALLER) -> str:
        """Where it hangs, as the end of a sentence; empty if that cannot be seen.

        Args:
            caller: part of the name of the file that calls the model.
        """
        place = where_it_hangs(self._process.pid, self._stacks, caller)
        return f"; it is in {place}" if place else ""

    def end(self, patience_s: float = 0.0) -> None:
        """Let it end by itself for so many seconds, then kill it."""
        self._process.join(patience_s)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._messages.close()
        os.close(self._stacks)

    def _arrived(self) -> Iterator[tuple[str, Any]]:
        try:
            while self._messages.poll():
                yield self._messages.recv()
        except EOFError:
            pass  # it has died, which `result` sees


def _child(work: Callable[[Send], Any], to_parent: Connection, stacks: int) -> None:
    # What the parent had is never collected here: objects of libraries with threads of their own do not survive a fork.
    gc.freeze()
    detach(stacks, signal.SIGTERM)
    lock = threading.Lock()

    def send(kind: str, content: Any) -> None:
        with lock:
            to_parent.send((kind, content))

    try:
        result = work(lambda content: send(_MESSAGE, content))
    except HetwinError as error:
        send(_ERROR, json_codec.error_to_text(error))
    else:
        send(_RESULT, result)
