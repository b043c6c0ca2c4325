"""Watched processes, whose work may hang or crash: forked from this one, or others."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import multiprocessing
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeAlias

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.heartbeat import CALLER, where_it_hangs
from hetwin_core.ensemble.supervision.interrupts import TERMINATING, unblock_signals

STDOUT, STDERR = 1, 2
PR_SET_PDEATHSIG = 1
_PRCTL = ctypes.CDLL(None).prctl


@contextmanager
def blocking_signals() -> Iterator[None]:
    """Block SIGINT, SIGTERM and SIGHUP while a process is forked, until it has called `detach`."""
    former_mask = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former_mask)


def detach(stacks: int, at_parents_end: signal.Signals) -> None:
    """Leave the parent's terminal, output and handlers; called in the forked process.

    Args:
        stacks: file descriptor to which SIGUSR1 writes the stacks of all threads.
        at_parents_end: signal that this process receives when the thread that forked it ends.
    """
    os.setsid()
    for number in TERMINATING:
        signal.signal(number, signal.SIG_DFL)
    unblock_signals()
    _PRCTL(PR_SET_PDEATHSIG, at_parents_end)
    os.dup2(STDERR, STDOUT)
    sys.stdout = sys.stderr = os.fdopen(STDERR, "w", buffering=1, closefd=False)
    faulthandler.register(signal.SIGUSR1, stacks, all_threads=True)


def end_with_parent() -> None:
    """End this process at once when the thread that started it ends, and leave SIGINT to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)


class WatchedProcess:
    """A process, not necessarily a child of this one.

    Args:
        host: host of the process; one on another machine is not watched.
        pid: id of the process.
        place: PID namespace of the id, as returned by `here`, because a container may share its host's name. Empty:
            any namespace on the host.
    """

    def __init__(self, host: str, pid: int, place: str = "") -> None:
        self._pid = pid
        self._handle: int | None = None
        if place == here() if place else host == socket.gethostname():
            with suppress(OSError):
                self._handle = os.pidfd_open(pid)

    @property
    def is_here(self) -> bool:
        """Whether it can be watched and killed."""
        return self._handle is not None

    @property
    def shares_group(self) -> bool:
        """Whether it is in this process's group, so that signals to the group reach both."""
        try:
            return self.is_here and os.getpgid(self._pid) == os.getpgid(0)
        except ProcessLookupError:
            return False

    def has_ended(self, within_s: float = 0.0) -> bool:
        """Whether it is known to have ended, or ends within some seconds."""
        return self._handle is not None and bool(select.select([self._handle], [], [], within_s)[0])

    @property
    def failed(self) -> bool:
        """Whether it is known to have ended with a nonzero code."""
        return self.has_ended() and bool(self._status())

    def how_it_ended(self) -> str:
        """Describe how it ended, as the end of a sentence."""
        status = self._status()
        if status is None:
            return f"its process ({self._pid}) has ended"
        if status & 0x7F:
            return f"its process was killed by {signal.Signals(status & 0x7F).name}"
        return f"its process ended with code {status >> 8}"

    def _status(self) -> int | None:
        """The wait status of a process that has ended and was not waited for; None if unknown."""
        with suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
            if fields[0] == "Z":
                return int(fields[-1])
        return None

    def kill(self) -> None:
        """Kill the process."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def close(self) -> None:
        """Stop watching."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@cache
def here() -> str:
    """Identifier of the machine's boot and the PID namespace, in which process ids are unique; empty if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def ending(code: int) -> str:
    """How a process ended, from its return code, e.g. ``was killed by SIGSEGV``."""
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def ended_child(pid: int) -> int | None:
    """Return code of a child that has ended, None if it has not.

    The child is not reaped, so that others can still read how it ended.

    Raises:
        ChildProcessError: if it was reaped already.
    """
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


POLL_PERIOD_S = 0.05

Send: TypeAlias = Callable[[Any], None]
"""Sends a picklable object to the parent during the work; may be called from any thread."""

_MESSAGE, _RESULT, _ERROR = "message", "result", "error"


class ChildDied(HetwinError):
    """The child ended without a result; `code` is its return code, negative for a signal."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(f"its process {ending(code)}")


class WatchedChild:
    """A forked process that sends messages, and whose stacks can be read from outside while it hangs.

    It leaves the terminal's session, so that Ctrl-C there reaches this process alone. It ends with this process.
    Its output goes to stderr, because this process may print JSON.

    Args:
        work: the child's function; returns a picklable object. SIGINT and SIGTERM end the child unless `work` sets
            its own handlers.
        name: name of the process.
    """

    def __init__(self, work: Callable[[Send], Any], name: str) -> None:
        fork = multiprocessing.get_context("fork")
        self._messages, to_parent = fork.Pipe(duplex=False)
        self._stacks, stacks = os.pipe()
        self._process = fork.Process(target=_child, args=(work, to_parent, stacks), name=name)
        with blocking_signals():
            self._process.start()
        to_parent.close()
        os.close(stacks)

    def result(
        self,
        on_message: Callable[[Any], None],
        check: Callable[[], None],
        error_from: Callable[[str], HetwinError],
    ) -> Any:
        """Wait for the result of the work.

        Args:
            on_message: called with each message of the child.
            check: called every `POLL_PERIOD_S`; ends the waiting by raising.
            error_from: converts the text of an error that `work` has raised.

        Raises:
            ChildDied: if the child ends without a result.
            HetwinError: raised by `work` or `check`.
        """
        while True:
            wait([self._messages, self._process.sentinel], POLL_PERIOD_S)
            # checked before reading, so that no message is missed
            has_died = not self._process.is_alive()
            for kind, content in self._received():
                if kind == _RESULT:
                    return content
                if kind == _ERROR:
                    raise error_from(content)
                on_message(content)
            if has_died:
                raise ChildDied(self._process.exitcode or 0)
            check()

    def interrupt(self) -> None:
        """Send SIGINT."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    def place(self, caller: str = CALLER) -> str:
        """The location where it hangs, as the end of a sentence; empty if unknown.

        Args:
            caller: part of the name of the file that calls the model.
        """
        place = where_it_hangs(self._process.pid, self._stacks, caller)
        return f"; it is in {place}" if place else ""

    def end(self, patience_s: float = 0.0) -> None:
        """Give it some seconds to end by itself, then kill it."""
        self._process.join(patience_s)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._messages.close()
        os.close(self._stacks)

    def _received(self) -> Iterator[tuple[str, Any]]:
        try:
            while self._messages.poll():
                yield self._messages.recv()
        except EOFError:
            pass  # it has died, which `result` detects


def _child(work: Callable[[Send], Any], to_parent: Connection, stacks: int) -> None:
    # The parent's objects must not be collected here: those of libraries with threads do not survive a fork.
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


class WorkFailed(HetwinError):
    """The child hung or died; the text explains how, and where."""


def in_a_child(
    work: Callable[[Send], Any],
    on_message: Callable[[Any], None],
    progress: Callable[[], object],
    patience_s: float,
    caller: str,
    doing: Callable[[], str] = lambda: "",
    while_waiting: Callable[[], None] = lambda: None,
) -> Any:
    """Do work in a child process, and return its result.

    Args:
        work: the child's function; its result must be picklable.
        on_message: called with each message of the child.
        progress: returns a value that changes whenever the child makes progress.
        patience_s: maximum time without progress [s].
        caller: part of the names of the files that call models, to locate a hanging call.
        doing: returns the child's current activity, as the beginning of an error.
        while_waiting: called repeatedly while the child works.

    Raises:
        WorkFailed: if the child hangs or dies.
        HetwinError: raised by the work.
    """
    child = WatchedChild(work, "hetwin check")
    last_progress, progress_time = progress(), time.monotonic()

    def check() -> None:
        nonlocal last_progress, progress_time
        while_waiting()
        current = progress()
        if current != last_progress:
            last_progress, progress_time = current, time.monotonic()
        elif time.monotonic() - progress_time > patience_s:
            activity = doing()  # a signal may end the hanging call
            place = child.place(caller)
            raise WorkFailed(f"{activity}no answer within {patience_s:g} s{place}")

    try:
        return child.result(on_message, check, _error)
    except ChildDied as death:
        raise WorkFailed(f"{doing()}{death}") from None
    finally:
        child.end()


def _error(text: str) -> HetwinError:
    return json_codec.error_from_text(text, "model", "check", 0)
