"""The work of the process that runs a local ensemble while its parent watches."""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.conductor.reporting.step_counter import StepCounter
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import (
    BEGUN,
    CALL,
    CODES,
    MAX_MODELS,
    WAITS,
    Heartbeat,
)
from hetwin_core.ensemble.supervision.parting import STDERR
from hetwin_core.ensemble.supervision.watched_child import Send
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Display, ProgressListener
from hetwin_suite.running.request import Ended, RunRequest
from hetwin_suite.view.live.watched_run import Shown, WatchedRun


def run_in_child(
    request: RunRequest, heartbeat: Heartbeat, send: Send, live: WatchedRun | None = None
) -> tuple[dict[str, Any], int]:
    """Run, and return summary and exit code.

    The parent is sent (kind, ...) tuples: ``load`` (name, folder, of each model name, deadline and that of
    `initialize`), ``begin`` (duration in s), ``line`` (text, simulated time in s or None) and ``live`` (a message for
    `WatchedRun.take`).

    Args:
        request: what to run.
        heartbeat: shared with the parent.
        send: sends a message to the parent.
        live: the parent's side of what people see of the run; None if it is not shown.
    """
    faulthandler.enable(STDERR)
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
) -> Ended:
    """See `run_in_child`."""
    deadlines = [(plan.name, plan.deadline, plan.patience) for plan in scenario.models]
    send(("load", scenario.name, out, deadlines))
    listeners: list[RunListener] = [
        StepCounter(heartbeat),
        ProgressListener(_RemoteDisplay(send)),
    ]
    shown = None if live is None else Shown(live, lambda message: send(("live", message)))
    if shown is not None:
        listeners.append(shown)

    def at_hand(conductor: Conductor) -> None:
        if request.beside is not None:
            request.beside(conductor, scenario, request.options)
        if shown is not None:
            shown.attach(conductor)

    row, spend = heartbeat.row(-1), time.sleep if shown is None else shown.idle

    def idle(seconds: float) -> None:
        row[WAITS] += 1
        spend(seconds)

    return run_locally(
        request, scenario, out, *listeners, heartbeat=heartbeat, at_hand=at_hand, idle=idle
    )


@contextmanager
def _loaded(request: RunRequest, heartbeat: Heartbeat) -> Iterator[tuple[Scenario, Path]]:
    """See `RunRequest.loaded`; its beginning is written into the conductor's row, for its deadline."""
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
    """The summary with copies of the views of mappings, which cannot be pickled."""
    return {key: dict(v) if isinstance(v, Mapping) else v for key, v in summary.items()}


class _RemoteDisplay(Display):
    """A display that sends to the parent, which reads from the heartbeat what is done, and the simulated time."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def begin(self, duration_s: float) -> None:
        """The run begins."""
        self._send(("begin", duration_s))

    def line(self, text: str, at_s: float | None = None) -> None:
        """A line of its own."""
        self._send(("line", text, at_s))
