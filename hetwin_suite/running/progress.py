"""Progress of a run: a bar with simulated time and real-time factor on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as RichProgress

from hetwin_core.ensemble.conductor.reporting.listener import Handover, QuietListener, RunStart
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.words import event_line

LOOK_EVERY_STEPS = 20
BAR_PERIOD_S = 0.1
LINE_PERIOD_S = 2.0


class Display(Protocol):
    """Where progress is shown."""

    def begin(self, duration_s: float) -> None:
        """The run begins; 0 if it is not known how long it lasts."""

    def show(self, simulated_s: float, factor: float | None = None) -> None:
        """Simulated time so far, and how many times real time; None: to be computed."""

    def line(self, text: str) -> None:
        """A line of its own."""


class NoDisplay:
    """Shows nothing."""

    def begin(self, duration_s: float) -> None:
        """Nothing."""

    def show(self, simulated_s: float, factor: float | None = None) -> None:
        """Nothing."""

    def line(self, text: str) -> None:
        """Nothing."""


class Progress:
    """Shows how far a run is, on stderr.

    Args:
        name: what is run.
    """

    def __init__(self, name: str) -> None:
        console = Console(stderr=True)
        self._bar: RichProgress | None = None
        if console.is_terminal:
            self._bar = RichProgress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[time]:7.2f} s"),
                TextColumn("{task.fields[factor]:6.1f} x real time"),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task(name, total=None, time=0.0, factor=0.0)
        self._duration = 0.0
        self._begun = time.monotonic()
        self._next = 0.0

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, duration_s: float) -> None:
        """The run begins; 0 if it is not known how long it lasts."""
        self._duration = duration_s
        self._begun = time.monotonic()
        self._next = self._begun + (BAR_PERIOD_S if self._bar else LINE_PERIOD_S)
        if self._bar is not None:
            self._bar.update(self._task, total=duration_s or None)

    def show(self, simulated_s: float, factor: float | None = None) -> None:
        """Simulated time so far, if it is time to show it."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (BAR_PERIOD_S if self._bar else LINE_PERIOD_S)
        if factor is None:
            factor = simulated_s / max(now - self._begun, 1e-9)
        if self._bar is not None:
            self._bar.update(self._task, completed=simulated_s, time=simulated_s, factor=factor)
            return
        share = f" of {self._duration:.2f} s" if self._duration else " s"
        self.line(f"{simulated_s:8.2f}{share}, {factor:.1f} x real time")

    def line(self, text: str) -> None:
        """A line of its own."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)


class ProgressListener(QuietListener):
    """Shows on a display how a run goes."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def started(self, start: RunStart) -> None:
        """Show that the run begins."""
        self._display.begin((start.duration_ns or 0) / 1e9)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Show the time now and then."""
        if step % LOOK_EVERY_STEPS == 0:
            self._display.show(scene.time_ns / 1e9)

    def event(self, event: Event) -> None:
        """Show what happened."""
        text = event_line(event)
        if text:
            self._display.line(f"{event.time_ns / 1e9:8.3f} s  {text}")

    def handover(self, handover: Handover) -> None:
        """Show which model is responsible now."""
        self._display.line(
            f"{handover.time_ns / 1e9:8.3f} s  {handover.entity}.{handover.attribute}:"
            f" {handover.from_model} -> {handover.to_model} ({handover.cause})"
        )

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Show warnings and errors."""
        if level != "info":
            self._display.line(f"{time_ns / 1e9:8.3f} s  {level}: {source}: {text}")
