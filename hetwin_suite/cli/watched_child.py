"""The process that runs a local ensemble while its parent watches."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.conductor.listener import Handover, RunStart, RunSummary
from hetwin_core.ensemble.conductor.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.supervision.heartbeat import (
    BEGUN,
    CALL,
    CODES,
    MAX_MODELS,
    STEP,
    TIME,
    Heartbeat,
)
from hetwin_core.projection.new_run import new_run_folder
from hetwin_core.projection.run_folder import check_free
from hetwin_suite.cli.local_run import run_locally
from hetwin_suite.cli.progress import ProgressListener

STDOUT, STDERR = 1, 2
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Order:
    """What the command line asks for; `out` None: a new folder below ``runs``."""

    scenario: str
    options: RunOptions
    out: Path | None


def main(order: Order, heartbeat: Heartbeat, to_parent: Connection, traces: int) -> None:
    """Carry out the order; what happens is sent to the parent as (kind, ...) tuples.

    ``load`` (name, folder, of each model name, deadline and that of `initialize`), ``begin`` (duration in s),
    ``line`` (text), and at the end ``summary`` (summary, exit code) or ``error`` (its text on the wire).

    Args:
        order: what to run.
        heartbeat: shared with the parent.
        to_parent: where messages go.
        traces: file descriptor for the stacks of all threads at SIGUSR1.
    """
    _become_a_child(traces)
    try:
        scenario, out = _load(order, heartbeat)
        deadlines = [(plan.name, plan.deadline, plan.patience) for plan in scenario.models]
        to_parent.send(("load", scenario.name, out, deadlines))
        summary, code = run_locally(
            scenario,
            order.options,
            out,
            _Pulse(heartbeat),
            ProgressListener(_Messages(to_parent)),
            heartbeat=heartbeat,
        )
        to_parent.send(("summary", _sendable(summary), code))
    except HetwinError as error:
        to_parent.send(("error", json_codec.error_to_text(error)))


def _become_a_child(traces: int) -> None:
    """Leave the parent's terminal and its handlers; end with the parent."""
    os.setsid()  # a Ctrl-C at the terminal reaches the parent alone, which ends the run in order
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)  # until there is a run to end in order
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.dup2(STDERR, STDOUT)  # the parent's output may be JSON
    sys.stdout = sys.stderr = os.fdopen(STDERR, "w", buffering=1, closefd=False)
    faulthandler.enable(STDERR)
    faulthandler.register(signal.SIGUSR1, traces, all_threads=True)


def _end_at_once(_number: int, _frame: object) -> NoReturn:
    os._exit(130)


def _load(order: Order, heartbeat: Heartbeat) -> tuple[Scenario, Path]:
    row = heartbeat.row(-1)
    row[CALL] = CODES["load"]
    row[BEGUN] = time.monotonic_ns()
    scenario = load_scenario(find_scenario(order.scenario))
    out = order.out or new_run_folder(Path("runs"), scenario.name)
    check_free(out)
    if len(scenario.models) > MAX_MODELS:
        raise BadInput(
            "these are more models than one process can watch",
            file=scenario.path,
            where="models",
            found=len(scenario.models),
            expected=f"at most {MAX_MODELS}",
        )
    row[BEGUN] = 0
    return scenario, out


def _sendable(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Without views of mappings, which cannot be sent."""
    return {key: dict(v) if isinstance(v, Mapping) else v for key, v in summary.items()}


class _Pulse:
    """Writes how far the run is into the conductor's row."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._row = heartbeat.row(-1)

    def started(self, start: RunStart) -> None:
        """Nothing."""

    def stepped(self, step: int, scene: Snapshot) -> None:
        """A step is done."""
        row = self._row
        row[TIME] = scene.time_ns
        row[STEP] = step

    def event(self, event: Event) -> None:
        """Nothing."""

    def handover(self, handover: Handover) -> None:
        """Nothing."""

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Nothing."""

    def ended(self, summary: RunSummary) -> None:
        """Nothing."""


class _Messages:
    """A display that tells the parent; simulated time it reads itself."""

    def __init__(self, to_parent: Connection) -> None:
        self._to_parent = to_parent

    def begin(self, duration_s: float) -> None:
        """The run begins."""
        self._to_parent.send(("begin", duration_s))

    def show(self, simulated_s: float) -> None:
        """Nothing."""

    def line(self, text: str) -> None:
        """A line of its own."""
        self._to_parent.send(("line", text))
