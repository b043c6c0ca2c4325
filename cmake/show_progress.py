"""Runs a long command and shows in one line what it is doing, how far it is and how long it has taken.

Usage: show_progress.py WHAT COMMAND...

WHAT is in words, e.g. "installing hetwin". On a terminal the line is written anew in its place; elsewhere there is a
line for each phase, and one at least every few seconds. The output of the command is shown if it fails. It needs
nothing but Python, for it runs before anything is installed.
"""

from __future__ import annotations

import collections
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from typing import IO

PERIOD_S = float(os.environ.get("HETWIN_PROGRESS_PERIOD", "4"))
"""Longest silence where there is no terminal."""
REDRAW_S = 0.2
SHOWN_ON_FAILURE = 60
"""Lines of output that are shown if the command fails."""

PACKAGE = re.compile(r"\s*(?:Collecting|Requirement already satisfied:) ([\w.-]+)")
DOWNLOAD = re.compile(r"\s*Downloading ([\w.]+-[\w.+!]+?)(?:-\S*|\.tar\.\S*)? \(([\d.]+ \w+)\)")
INSTALL = re.compile(r"Installing collected packages: (.*)")
PHASES = (
    (re.compile(r"\s*Installing build dependencies"), 1, "getting the tools for the build"),
    (
        re.compile(r"\s*(Getting requirements|Preparing .*metadata)"),
        2,
        "compiling the ROS interfaces",
    ),
    (re.compile(r"\s*Building (editable|wheel)"), 4, "packing hetwin"),
    (re.compile(r"Resolved \d+ packages"), 2, "compiling the ROS interfaces, downloading packages"),
    (re.compile(r"Prepared \d+ packages"), 5, "copying packages"),
)
"""Lines of pip or uv that begin a phase, its number and its words; uv does what is between 2 and 5 at once."""
OF = 5
"""How many phases there are."""


class Phase:
    """What pip or uv is doing, from the lines that it prints.

    Attributes:
        name: in words; empty as long as nothing is known.
    """

    def __init__(self) -> None:
        self.name = ""
        self._number = 0
        self._known: set[str] = set()

    def read(self, line: str) -> None:
        """Take a line into account."""
        if found := PACKAGE.match(line):
            self._known.add(found[1].lower())
            self._number, self.name = 3, "finding out what is needed"
        elif found := DOWNLOAD.match(line):
            self._number, self.name = 3, f"downloading {found[1]} ({found[2]})"
        elif found := INSTALL.match(line):
            self._number, self.name = 5, f"copying {_counted(found[1].count(', ') + 1)}"
        else:
            known = (self._number, self.name)
            self._number, self.name = next((p[1:] for p in PHASES if p[0].match(line)), known)

    def words(self) -> str:
        """Number and name of the phase, and how many packages are known so far."""
        known = f", {_counted(len(self._known))} so far" if self._known else ""
        return f"step {self._number} of {OF}, {self.name}{known}" if self.name else ""


def _counted(packages: int) -> str:
    return f"{packages} package{'s' if packages != 1 else ''}"


class Line:
    """The line of progress.

    Args:
        what: what is done.
        out: where it is shown.
    """

    def __init__(self, what: str, out: IO[str]) -> None:
        self._what = what
        self._out = out
        self._begun = self._last = time.monotonic()
        self._phase = ""
        self._in_place = out.isatty()

    def show(self, phase: Phase) -> None:
        """Show the phase, if it is new or it is time to."""
        now = time.monotonic()
        if self._in_place:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r\x1b[K{self._text(phase, now)[:width]}")
        elif phase.name.split(" ")[0] != self._phase or now - self._last >= PERIOD_S:
            self._write(self._text(phase, now) + "\n")
        else:
            return
        self._last = now
        self._phase = phase.name.split(" ")[0]

    def end(self, text: str) -> None:
        """Replace the line by a last one."""
        took = time.monotonic() - self._begun
        self._write(
            ("\r\x1b[K" if self._in_place else "") + f"{self._what}: {text} after {_clock(took)}\n"
        )

    def _text(self, phase: Phase, now: float) -> str:
        words = phase.words()
        return f"{self._what}: {words}{', ' if words else ''}{_clock(now - self._begun)}"

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def _read(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    for line in stream:
        lines.put(line.rstrip())
    lines.put(None)


def run(what: str, command: list[str], out: IO[str]) -> int:
    """Run the command; returns its exit code.

    Args:
        what: what it does, in words.
        command: the command and its arguments.
        out: where the progress is shown.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
    last: collections.deque[str] = collections.deque(maxlen=SHOWN_ON_FAILURE)
    phase, shown = Phase(), Line(what, out)
    shown.show(phase)
    over = False
    while not over:
        try:
            line = lines.get(timeout=REDRAW_S)
        except queue.Empty:
            pass
        else:
            over = line is None
            if line is not None:
                last.append(line)
                phase.read(line)
        shown.show(phase)
    code = process.wait()
    shown.end("done" if code == 0 else f"failed with exit code {code}")
    if code:
        print("\n".join(last), file=out)
    return code


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1], sys.argv[2:], sys.stdout))
    except KeyboardInterrupt:
        sys.exit(130)
