"""A run with all models in one child process, supervised by this process.

A model that hangs, in Python or in C, cannot be interrupted in its own process. Therefore the run is a child process
that records the call in progress in shared memory, and this process checks the deadlines. If a call misses its
deadline, the child is killed. After its death the log is closed, and the error names the model.
"""

from __future__ import annotations

import faulthandler
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, StepCounter
from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import (
    BEGUN,
    CALL,
    CODES,
    MAX_MODELS,
    STEP,
    TIME,
    WAITS,
    Call,
    Heartbeat,
)
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_core.ensemble.supervision.watched import STDERR, ChildDied, Send, WatchedChild
from hetwin_core.episodes.run_folder import LOG, read_summary
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Display, ProgressListener
from hetwin_suite.running.request import FAILED, FinishedRun, RunRequest

if TYPE_CHECKING:
    from hetwin_suite.view.live.watched_run import WatchedRun

GRACE_S = 0.1
"""Time after a deadline in which the child may still report the late call itself [s]."""
LOAD_DEADLINE_S = 60.0
CONDUCTOR_DEADLINE_S = 60.0
"""Maximum time without progress while no call is in progress, e.g. because of a slow disk [s]."""
END_S = 2.0
"""Time in which the child may exit after its result [s]."""
OWN_SIGNALS = {signal.SIGINT, signal.SIGKILL}
"""Signals that `_Supervision` sends to the child at the first and at the second interrupt."""
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL}


def run_watched(
    request: RunRequest, display: Display, live: WatchedRun | None = None
) -> FinishedRun:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    Args:
        request: the run.
        display: where progress is shown.
        live: view of the run; None: the display's own, if it follows runs.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        RunFailed: if the run fails before its folder exists.
        Interrupted: if the run is interrupted before it begins.
    """
    if live is None and display.follows:
        from hetwin_suite.view.live.watched_run import WatchedRun

        live = WatchedRun()
    if live is not None:
        display.follow(live)
    with Interrupts() as interrupts:
        interrupts.raise_if_any()
        return _Supervision(request, display, interrupts, live).run()


class _Supervision:
    """The child process, its deadlines and its result."""

    def __init__(
        self,
        request: RunRequest,
        display: Display,
        interrupts: Interrupts,
        live: WatchedRun | None,
    ) -> None:
        self._display = display
        self._live = live
        self._interrupts = interrupts
        self._forwarded = 0
        self._heartbeat = heartbeat = Heartbeat()
        self._started = time.monotonic()
        self._name = request.scenario
        self._out: Path | None = None
        self._models: list[tuple[str, float, float]] = []
        self._progress, self._progress_s = (0, 0), time.monotonic()
        self._killed_by_us = False
        self._child = WatchedChild(
            lambda send: run_in_child(request, heartbeat, send, live), name="hetwin run"
        )

    def run(self) -> FinishedRun:
        """Supervise the child until it ends; see `run_watched`."""
        patience = 0.0
        try:
            summary, code = self._child.result(self._handle, self._look, self._error)
            patience = END_S
        except ChildDied as death:
            self._killed_by_us = -death.code in OWN_SIGNALS
            failure = self._death(death)
        except RunFailed as error:
            failure = error
        else:
            assert self._out is not None  # the child sends it before its result
            code = self._interrupts.code or code  # the child gets SIGINT for any signal
            return FinishedRun(summary, code, self._out, self._interrupts.first)
        finally:
            self._child.end(patience)
        return self._failed(failure)

    def _handle(self, message: tuple[Any, ...]) -> None:
        kind, *content = message
        if kind == "load":
            self._name, self._out, self._models = content
        elif kind == "begin":
            self._display.begin(*content)
        elif kind == "live":
            assert self._live is not None
            self._live.take(*content)
        else:
            self._display.line(*content)

    def _look(self) -> None:
        self._forward()
        self._check_deadlines()
        if self._is_held():
            return
        if self._heartbeat.row(-1)[STEP]:
            self._display.show(self._time_ns / 1e9)
        else:
            self._display.wait(self._doing())

    def _is_held(self) -> bool:
        if self._live is None:
            return False
        from hetwin_suite.view.live.feed import Phase

        now = self._live.now()
        return now is not None and now.phase is Phase.PAUSED

    def _doing(self) -> str:
        """Return the current activity before the first step."""
        for call in self._heartbeat.under_way(len(self._models)):
            if call.index < 0:
                return "reading the scenario"
            return f"{self._model(call)}: {call.call}"
        return "preparing the run"

    def _forward(self) -> None:
        """Forward an interrupt: the first ends the run at a barrier; the second, or one before the start, kills it."""
        count = self._interrupts.count
        if count == self._forwarded:
            return
        self._forwarded = count
        has_begun = self._out is not None and (self._out / LOG).exists()
        if count > 1 or not has_begun:
            self._child.kill()
        else:
            self._child.interrupt()

    def _error(self, text: str) -> HetwinError:
        return json_codec.error_from_text(text, "conductor", "run", self._time_ns)

    # ------------------------------------------------------------------ failures

    def _check_deadlines(self) -> None:
        """Check the deadlines of calls, and the progress of the conductor between calls.

        Raises:
            RunFailed: if one is exceeded.
        """
        now = time.monotonic_ns()
        calls = self._heartbeat.under_way(len(self._models))
        for call in calls:
            deadline = self._deadline(call)
            if now - call.begun_ns > (deadline + GRACE_S) * 1e9:
                reason = f"no answer within its deadline of {deadline:g} s{self._child.place()}"
                raise RunFailed(self._model(call), call.call, call.time_ns, reason)
        row = self._heartbeat.row(-1)
        progress = (row[STEP], row[WAITS])
        if calls or progress != self._progress:
            self._progress, self._progress_s = progress, time.monotonic()
        elif time.monotonic() - self._progress_s > CONDUCTOR_DEADLINE_S:
            reason = f"nothing moves for {CONDUCTOR_DEADLINE_S:g} s, and no model is in a call"
            raise RunFailed("conductor", "run", self._time_ns, reason + self._child.place())

    def _deadline(self, call: Call) -> float:
        if call.index < 0:
            return LOAD_DEADLINE_S
        _, deadline, patience = self._models[call.index]
        return patience if call.call == "initialize" else deadline

    def _model(self, call: Call) -> str:
        return "conductor" if call.index < 0 else self._models[call.index][0]

    def _death(self, death: ChildDied) -> RunFailed:
        """Return the failure for the child's death, which names the model's call in progress."""
        calls = self._heartbeat.under_way(len(self._models))
        if calls and -death.code in CRASHES:
            return RunFailed(self._model(calls[0]), calls[0].call, calls[0].time_ns, str(death))
        during = "".join(f", during {c.call} of {self._model(c)}" for c in calls[:1])
        return RunFailed("conductor", "process", self._time_ns, str(death) + during)

    def _failed(self, error: RunFailed) -> FinishedRun:
        """Close the log of a failed child, and return its result."""
        first = self._interrupts.first
        if self._out is None or (first is not None and not self._out.exists()):
            self._interrupts.raise_if_any()
            raise error
        summary = read_summary(self._out)  # exists if the child died after the run had ended
        if summary is None:
            from hetwin_core.episodes.failed_run import finish_failed_run  # a slow import

            wall = time.monotonic() - self._started
            interrupted = first is not None and self._killed_by_us
            finished = finish_failed_run(
                self._out, self._name, error, "local", wall, interrupted=interrupted
            )
            summary = asdict(finished)
        elif summary["error"] is None and first is None:
            from hetwin_core.episodes.failed_run import fail_finished_run

            summary = fail_finished_run(self._out, summary, error)
        return FinishedRun(summary, self._interrupts.code or FAILED, self._out, first)

    @property
    def _time_ns(self) -> int:
        return self._heartbeat.row(-1)[TIME]


def run_in_child(
    request: RunRequest, heartbeat: Heartbeat, send: Send, live: WatchedRun | None = None
) -> tuple[dict[str, Any], int]:
    """Run in the child process; returns summary and exit code.

    It sends tuples (kind, ...) to the parent: ``load`` (name, folder, and for each model its name, its deadline and
    that of `initialize`), ``begin`` (duration in s), ``line`` (text, simulated time in s or None) and ``live`` (a
    message for `WatchedRun.take`).

    Args:
        request: the run.
        heartbeat: heartbeat in memory shared with the parent.
        send: sends a message to the parent.
        live: the parent's view of the run; None if the run is not shown.
    """
    faulthandler.enable(STDERR, all_threads=False)  # Gazebo's many threads would fill the screen
    with _loaded(request, heartbeat) as (scenario, out):
        ended = _run(request, scenario, out, heartbeat, send, live)
    return _picklable(ended.summary), ended.code


def _run(
    request: RunRequest,
    scenario: Scenario,
    out: Path,
    heartbeat: Heartbeat,
    send: Send,
    live: WatchedRun | None,
) -> FinishedRun:
    """See `run_in_child`."""
    deadlines = [(plan.name, plan.deadline, plan.patience) for plan in scenario.models]
    send(("load", scenario.name, out, deadlines))
    listeners: list[RunListener] = [
        StepCounter(heartbeat),
        ProgressListener(_RemoteDisplay(send)),
    ]
    shown = None
    if live is not None:
        from hetwin_suite.view.live.watched_run import RunReporter

        shown = RunReporter(live, lambda message: send(("live", message)))
        listeners.append(shown)

    def extend(conductor: Conductor) -> None:
        if shown is not None:
            shown.attach(conductor)

    row, spend = heartbeat.row(-1), time.sleep if shown is None else shown.idle

    def idle(seconds: float) -> None:
        row[WAITS] += 1
        spend(seconds)

    return run_locally(
        request, scenario, out, *listeners, heartbeat=heartbeat, on_conductor=extend, idle=idle
    )


@contextmanager
def _loaded(request: RunRequest, heartbeat: Heartbeat) -> Iterator[tuple[Scenario, Path]]:
    """See `RunRequest.loaded`; its start is recorded in the conductor's row of the heartbeat, for the deadline."""
    row = heartbeat.row(-1)
    row[CALL] = CODES["load"]
    row[BEGUN] = time.monotonic_ns()
    with request.loaded() as (scenario, out):
        if len(scenario.models) > MAX_MODELS:
            raise BadInput(
                "these are more models than one process can watch",
                file=scenario.path,
                where="models",
                found=len(scenario.models),
                expected=f"at most {MAX_MODELS}",
            )
        row[BEGUN] = 0
        yield scenario, out


def _picklable(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Copy mapping proxies in the summary to dicts, as proxies cannot be pickled."""
    return {key: dict(v) if isinstance(v, Mapping) else v for key, v in summary.items()}


class _RemoteDisplay(Display):
    """Display in the child that sends to the parent, which reads activity and simulated time from the heartbeat."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def begin(self, duration_s: float) -> None:
        """Send the start of the run."""
        self._send(("begin", duration_s))

    def line(self, text: str, at_s: float | None = None) -> None:
        """Send a line."""
        self._send(("line", text, at_s))
