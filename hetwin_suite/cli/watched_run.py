"""A run with all models in one child process, which this one watches.

A model that hangs, in Python or in C, cannot be interrupted in its own process. So the run is a child that writes
which call is under way into shared memory; here the deadlines are kept. A child that is late or dies is named and
killed, and its log is finished.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.supervision.heartbeat import STEP, TIME, Call, Heartbeat
from hetwin_core.ensemble.supervision.stacks import where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending
from hetwin_core.projection.failed_run import finish_failed_run
from hetwin_core.projection.run_folder import read_summary
from hetwin_suite.cli.progress import Progress
from hetwin_suite.cli.watched_child import Order
from hetwin_suite.cli.watched_child import main as child_main

LOOK_PERIOD_S = 0.05
GRACE_S = 0.1
"""A call that comes back this late is still told by the child itself."""
LOAD_DEADLINE_S = 60.0
CONDUCTOR_DEADLINE_S = 60.0
"""A run may stand still this long without a call under way, e.g. while a disk is slow."""
END_S = 2.0
INTERRUPTED = 130
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL}
TERMINATING = (signal.SIGINT, signal.SIGTERM)


def run_watched(order: Order) -> tuple[Mapping[str, Any], int, Path]:
    """Run, and answer summary, exit code and folder; SIGINT and SIGTERM end the run at its next barrier.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        RunFailed: if it fails before it has a folder.
        KeyboardInterrupt: if it is interrupted before it begins.
    """
    watch = _Watch(order)
    try:
        with Progress(Path(order.scenario).stem) as progress:
            return watch.to_the_end(progress)
    finally:
        watch.end()


class _Watch:
    """The child and what is known of it."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._heartbeat = Heartbeat()
        self._signals = self._forwarded = 0
        self._begun = time.monotonic()
        self._name = order.scenario
        self._out: Path | None = None
        self._models: list[tuple[str, float, float]] = []
        self._outcome: tuple[Any, ...] | None = None
        self._step, self._step_seen = 0, time.monotonic()
        fork = multiprocessing.get_context("fork")
        self._messages, to_parent = fork.Pipe(duplex=False)
        self._traces, traces = os.pipe()
        self._process = fork.Process(
            target=child_main, args=(order, self._heartbeat, to_parent, traces), name="hetwin run"
        )
        with _held_back(TERMINATING):  # until both have handlers of their own
            self._process.start()
            self._before = {s: signal.signal(s, self._interrupt) for s in TERMINATING}
        to_parent.close()
        os.close(traces)

    def to_the_end(self, progress: Progress) -> tuple[Mapping[str, Any], int, Path]:
        """See `run_watched`."""
        failure: RunFailed | None = None
        while failure is None and self._outcome is None and self._process.is_alive():
            wait([self._messages, self._process.sentinel], LOOK_PERIOD_S)
            self._read(progress)
            self._forward()
            failure = self._late()
            if self._heartbeat.row(-1)[STEP]:
                progress.show(self._time_ns / 1e9)
        if failure is None:  # what a child says that was found hanging comes too late
            self._read(progress)
        if self._outcome is None and failure is None:
            failure = self._death()
        self.end()
        if self._outcome is not None:
            return self._answer(self._outcome)
        assert failure is not None
        return self._failed(failure)

    def end(self) -> None:
        """Give signals back, and see that the child is gone."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
        self._process.join(END_S if self._outcome is not None else 0.0)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()

    def _interrupt(self, _number: int, _frame: object) -> None:
        self._signals += 1

    def _forward(self) -> None:
        """The first signal ends the run in order, the second at once."""
        if self._signals == self._forwarded:
            return
        self._forwarded = self._signals
        if self._signals > 1:
            self._process.kill()
        elif self._process.pid is not None:
            os.kill(self._process.pid, signal.SIGINT)

    # ------------------------------------------------------------------ messages

    def _read(self, progress: Progress) -> None:
        try:
            while self._outcome is None and self._messages.poll():
                self._hear(self._messages.recv(), progress)
        except EOFError:
            pass  # it has died; whoever asks sees that it is not alive

    def _hear(self, message: tuple[Any, ...], progress: Progress) -> None:
        kind, *content = message
        if kind == "load":
            self._name, self._out, self._models = content
        elif kind == "begin":
            progress.begin(*content)
        elif kind == "line":
            progress.line(*content)
        else:
            self._outcome = message

    # ------------------------------------------------------------------ failures

    def _late(self) -> RunFailed | None:
        """The failure if a call, or the conductor between two calls, takes too long."""
        now = time.monotonic_ns()
        calls = self._heartbeat.under_way(len(self._models))
        for call in calls:
            deadline = self._deadline(call)
            if now - call.begun_ns > (deadline + GRACE_S) * 1e9:
                return self._hangs(call, deadline)
        step = self._heartbeat.row(-1)[STEP]
        if calls or step != self._step:
            self._step, self._step_seen = step, time.monotonic()
        elif time.monotonic() - self._step_seen > CONDUCTOR_DEADLINE_S:
            reason = f"nothing moves for {CONDUCTOR_DEADLINE_S:g} s, and no model is in a call"
            return RunFailed("conductor", "run", self._time_ns, reason + self._place())
        return None

    def _deadline(self, call: Call) -> float:
        if call.index < 0:
            return LOAD_DEADLINE_S
        _, deadline, patience = self._models[call.index]
        return patience if call.call == "initialize" else deadline

    def _hangs(self, call: Call, deadline: float) -> RunFailed:
        reason = f"no answer within its deadline of {deadline:g} s{self._place()}"
        return RunFailed(self._model(call), call.call, call.time_ns, reason)

    def _model(self, call: Call) -> str:
        return "conductor" if call.index < 0 else self._models[call.index][0]

    def _place(self) -> str:
        """Where the child hangs, as the end of a sentence; empty if it does not say."""
        place = where_it_hangs(self._process.pid, self._traces)
        return f"; it is in {place}" if place else ""

    def _death(self) -> RunFailed:
        """Why the child died, and in whose call."""
        self._process.join()
        code = self._process.exitcode or 0
        calls = self._heartbeat.under_way(len(self._models))
        how = f"its process {ending(code)}"
        if calls and -code in CRASHES:
            return RunFailed(self._model(calls[0]), calls[0].call, calls[0].time_ns, how)
        during = "".join(f", during {c.call} of {self._model(c)}" for c in calls[:1])
        return RunFailed("conductor", "process", self._time_ns, how + during)

    @property
    def _time_ns(self) -> int:
        return self._heartbeat.row(-1)[TIME]

    # ------------------------------------------------------------------ outcomes

    def _answer(self, outcome: tuple[Any, ...]) -> tuple[Mapping[str, Any], int, Path]:
        kind, content, *rest = outcome
        if kind == "summary":
            assert self._out is not None  # it is told before
            return content, rest[0], self._out
        error = json_codec.error_from_text(content, "conductor", "run", self._time_ns)
        if isinstance(error, RunFailed):
            return self._failed(error)
        raise error

    def _failed(self, error: RunFailed) -> tuple[Mapping[str, Any], int, Path]:
        """Finish what the child left."""
        if self._out is None or (self._signals and not self._out.exists()):
            if self._signals:
                raise KeyboardInterrupt
            raise error
        code = INTERRUPTED if self._signals else 1
        written = read_summary(self._out)
        if written is not None:  # it died after the run was over
            return written, code, self._out
        wall = time.monotonic() - self._begun
        summary = finish_failed_run(self._out, self._name, error, "local", wall)
        return asdict(summary), code, self._out


@contextmanager
def _held_back(signals: tuple[signal.Signals, ...]) -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
