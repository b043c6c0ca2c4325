"""Progress of a run: on a terminal a block of a few lines below the scrolling lines, otherwise plain lines."""

from __future__ import annotations

import heapq
import math
import os
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hetwin_core.ensemble.conductor.controls import RealTimeFactor
from hetwin_core.ensemble.conductor.reporting.concerns import NewConcerns, is_concern
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
)
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.words import event_line, shown_line
from hetwin_suite.running.patience import ProgressReminder, to_stderr

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress as RichProgress

    from hetwin_suite.running.terminal_block import Block
    from hetwin_suite.view.live.feed import Feed

UPDATE_STEPS = 20
BAR_PERIOD_S = 0.1
LINE_PERIOD_S = 2.0
BLOCK_RATE_HZ = 8
HOLD_BACK_S = 1.5
"""Simulated time for which lines are held back, so that late events are printed in chronological order [s]."""
_TERMINAL_VARIABLES = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Environment variables with which users declare whether a stream is to be treated as a terminal."""
_ALWAYS_SHOWN = ("warning: ", "absurd: ", "error: ", "shown by ", "shown: ")
"""Prefixes of the lines that a quiet display shows, too."""


class Display:
    """Base class of progress displays; shows nothing.

    Attributes:
        follows: whether the display can show the feed of a run.
    """

    follows: bool = False

    def follow(self, feed: Feed) -> None:
        """Start to show a feed."""

    def begin(self, duration_s: float) -> None:
        """Show that the run begins.

        Args:
            duration_s: duration of the run [s]; 0 if unknown.
        """

    def show(self, simulated_s: float, factor: float | None = None) -> None:
        """Show the simulated time.

        Args:
            simulated_s: simulated time [s].
            factor: real-time factor; None: computed by the display.
        """

    def line(self, text: str, at_s: float | None = None) -> None:
        """Show a line of text, with its simulated time [s] if there is one."""

    def wait(self, doing: str) -> None:
        """Show the present activity, before the run begins or after it has ended."""


class Progress(Display):
    """Shows the progress of a run on stderr.

    Args:
        name: name of the run.
        quiet: print only warnings, errors and the addresses of viewers; a terminal shows the progress bar anyway.
    """

    def __init__(self, name: str, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar = _bar()
        self._block: Block | None = None
        self._screen: Live | None = None
        if self._bar is not None:
            self._task = self._bar.add_task(name, total=None, time=0.0, factor=0.0)
            self._screen, self._block = _screen(self._bar)
        self.follows = self._bar is not None
        self._duration = 0.0
        self._factor = RealTimeFactor()
        self._next = 0.0
        self._repeats = Repeats()
        self._held_lines: list[tuple[float, int, str, bool]] = []
        self._lines = 0
        self._name = name
        self._patience = ProgressReminder(self._print)

    def __enter__(self) -> Self:
        if self._screen is not None:
            self._screen.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release(math.inf)
        self._print_all(self._repeats.flush())
        if self._screen is not None:
            self._screen.stop()

    def follow(self, feed: Feed) -> None:
        """Start to show a feed, if stderr is a terminal."""
        if self._block is not None:
            self._block.feed = feed

    def begin(self, duration_s: float) -> None:
        """See `Display.begin`."""
        self._duration = duration_s
        self._factor.restart_measurement()
        self._factor.at(time.monotonic_ns(), 0)
        self._next = time.monotonic() + (BAR_PERIOD_S if self._bar else LINE_PERIOD_S)
        if self._bar is not None:
            self._bar.update(self._task, total=duration_s or None, description=self._name)

    def show(self, simulated_s: float, factor: float | None = None) -> None:
        """Show the simulated time, at most once per period."""
        self._release(simulated_s - HOLD_BACK_S)
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (BAR_PERIOD_S if self._bar else LINE_PERIOD_S)
        if factor is None:
            factor = self._factor.at(time.monotonic_ns(), round(simulated_s * 1e9)) or 0.0
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=simulated_s,
                description=self._name,
                time=simulated_s,
                factor=factor,
            )
            return
        if self._quiet:
            return
        total = f" of {self._duration:.2f} s" if self._duration else " s"
        text = f"{simulated_s:8.2f}{total}, {factor:.1f} x real time"
        self._hold(text, simulated_s, is_event=False)

    def line(self, text: str, at_s: float | None = None) -> None:
        """Show a line of text; of equal lines in a row only the first is shown, then the number of repetitions."""
        if self._quiet and not text.startswith(_ALWAYS_SHOWN):
            return
        if at_s is None:
            self._print_all(self._repeats.lines(text))
        else:
            self._hold(text, at_s, is_event=True)
            self._release(at_s - HOLD_BACK_S)

    def wait(self, doing: str) -> None:
        """See `Display.wait`."""
        self._release(math.inf)
        if self._bar is not None:
            self._bar.update(self._task, description=f"{self._name}: {doing}")
        elif not self._quiet:
            self._patience.remind(doing)

    def _hold(self, text: str, at_s: float, *, is_event: bool) -> None:
        self._lines += 1
        heapq.heappush(self._held_lines, (at_s, self._lines, text, is_event))

    def _release(self, until_s: float) -> None:
        """Print held lines up to a simulated time [s]."""
        while self._held_lines and self._held_lines[0][0] <= until_s:
            at_s, _, text, is_event = heapq.heappop(self._held_lines)
            if is_event:
                self._print_all(self._repeats.lines(text, at_s))
            else:
                self._print_all(self._repeats.flush())
                self._print(text)

    def _print_all(self, lines: Sequence[str]) -> None:
        for text in lines:
            self._print(text)

    def _print(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            to_stderr(text)
            self._patience.restart()


def _bar() -> RichProgress | None:
    """Return the progress bar; None if stderr is not a terminal, without importing rich."""
    if not sys.stderr.isatty() and not any(name in os.environ for name in _TERMINAL_VARIABLES):
        return None
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    console = Console(stderr=True)
    if not console.is_terminal:
        return None
    return RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[time]:7.2f} s"),
        TextColumn("{task.fields[factor]:6.1f} x real time"),
        console=console,
        transient=True,
    )


def _screen(bar: RichProgress) -> tuple[Live, Block]:
    """Return the renderer of the bar and the block below it."""
    from rich.live import Live

    from hetwin_suite.running.terminal_block import Block

    block = Block(bar)
    return Live(block, console=bar.console, transient=True, refresh_per_second=BLOCK_RATE_HZ), block


class Repeats:
    """Replaces the repetitions of a line by a single line with their number."""

    def __init__(self) -> None:
        self._text = ""
        self._repetitions = 0
        self._last_s: float | None = None

    def lines(self, text: str, at_s: float | None = None) -> list[str]:
        """Return the lines to show for a new line: none if it repeats the last one.

        Args:
            text: text of the line.
            at_s: simulated time of the line [s]; not compared.
        """
        if text == self._text:
            self._repetitions += 1
            self._last_s = at_s
            return []
        shown = [*self.flush(), _at(text, at_s)]
        self._text = text
        return shown

    def flush(self) -> list[str]:
        """Return the line with the number of repetitions, if there are any, and start over."""
        more, self._repetitions, self._text = self._repetitions, 0, ""
        return [_at(f"({more} more of the same)", self._last_s)] if more else []


def _at(text: str, at_s: float | None) -> str:
    return text if at_s is None else f"{at_s:8.3f} s  {text}"


class ProgressListener(RunListener):
    """Shows the progress and the events of a run on a display."""

    stepped_every = UPDATE_STEPS
    needs_each_state = False

    def __init__(self, display: Display) -> None:
        self._display = display
        self._concerns = NewConcerns()

    def started(self, start: RunStart) -> None:
        """Show that the run begins, and the viewers of its world."""
        self._display.begin((start.duration_ns or 0) / 1e9)
        if start.shown:
            self._display.line(shown_line(start.shown), 0.0)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Show the simulated time, every `UPDATE_STEPS` steps."""
        self._display.show(scene.time_ns / 1e9)

    def event(self, event: Event) -> None:
        """Show an event."""
        if is_concern(event) and not self._concerns.is_new(event):
            return
        text = event_line(event)
        if text:
            self._display.line(text, event.time_ns / 1e9)

    def handover(self, handover: Handover) -> None:
        """Show the handover and its cause."""
        self._display.line(
            f"{handover.entity}.{handover.attribute}:"
            f" {handover.from_model} -> {handover.to_model} ({handover.cause})",
            handover.time_ns / 1e9,
        )

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Show warnings and errors."""
        if level != "info":
            self._display.line(f"{level}: {source}: {text}", time_ns / 1e9)
