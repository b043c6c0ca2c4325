"""Runs that are interrupted at some moment, and what is wrong with how they ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rosbags.highlevel import AnyReader

MARK = "HETWIN_INTERRUPTED_RUN"
END_S = 60.0
"""A busy machine may take this long to end a run."""
ORPHANS_S = 5.0


@dataclass(frozen=True)
class Interrupt:
    """A signal to a run.

    Attributes:
        number: SIGINT or SIGTERM.
        after_s: this long after the command began [s].
        to_group: whether all processes of its group get it, as from a terminal.
    """

    number: signal.Signals
    after_s: float
    to_group: bool


@dataclass
class Outcome:
    """How an interrupted run ended.

    Attributes:
        code: exit code of the command; negative if the signal itself ended it.
        ended: what the summary says; empty if nothing was saved.
        text: all that was printed.
        took_s: from the interrupt to the end of the command [s].
        wrong: what should not be so, in words.
    """

    code: int
    ended: str
    text: str
    took_s: float
    wrong: list[str] = field(default_factory=list)


def interrupted(
    command: Sequence[str],
    folder: Path,
    interrupt: Interrupt,
    environment: Mapping[str, str],
    codes: Sequence[int],
) -> Outcome:
    """Run a command in a process group of its own, interrupt it, and say what was wrong.

    Args:
        command: writes its run below `folder`, where it is started.
        folder: an empty one.
        interrupt: what is sent, when and to whom.
        environment: of the command.
        codes: exit codes that are right.
    """
    tag = f"{os.getpid()}_{time.monotonic_ns()}"
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, MARK: tag},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        time.sleep(interrupt.after_s)
        begun = time.monotonic()
        if process.poll() is None:
            send = os.killpg if interrupt.to_group else os.kill
            send(process.pid, interrupt.number)
        text = _text(process)
        took = time.monotonic() - begun
        outcome = Outcome(process.returncode, "", text, took)
        outcome.wrong += _orphans(tag)
    finally:
        for pid, _ in _alive(tag):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
    _judge(outcome, folder, codes)
    return outcome


def _text(process: subprocess.Popen[str]) -> str:
    try:
        text, _ = process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
        return f"{text}\n(still running after {END_S:g} s)"
    return text


def _judge(outcome: Outcome, folder: Path, codes: Sequence[int]) -> None:
    if outcome.code not in codes:
        outcome.wrong.append(f"exit code {outcome.code} instead of {codes[0]}")
    if "Traceback" in outcome.text or "terminate called" in outcome.text:
        outcome.wrong.append("a traceback")
    for log in folder.rglob("log"):
        summary = log.parent / "summary.json"
        if not summary.exists():
            outcome.wrong.append("a log without a summary")
            continue
        outcome.ended = json.loads(summary.read_text("utf-8"))["ended"]
        if outcome.ended != "stopped":
            outcome.wrong.append(f"the summary says {outcome.ended!r}")
        outcome.wrong += _unreadable(log)


def _unreadable(log: Path) -> Iterator[str]:
    try:
        with AnyReader([log]) as reader:
            if not any(True for _ in reader.messages()):
                yield "the log is empty"
    except Exception as error:  # a damaged file may raise any error in the reader
        yield f"the log cannot be read: {error}"


def _orphans(tag: str) -> list[str]:
    end = time.monotonic() + ORPHANS_S
    while (left := _alive(tag)) and time.monotonic() < end:
        time.sleep(0.05)
    return [f"left running: {words[:160]}" for _, words in left]


def _alive(tag: str) -> list[tuple[int, str]]:
    """Processes of a run, by the mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            if f"{MARK}={tag}".encode() not in (folder / "environ").read_bytes():
                continue
            if (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                continue
            words = (folder / "cmdline").read_bytes().decode().replace("\0", " ")
            found.append((int(folder.name), words))
    return sorted(found)


def hetwin_command(*arguments: object) -> list[str]:
    """The `hetwin` command, as its script starts it."""
    return [sys.executable, "-m", "hetwin_suite.cli.command", *map(str, arguments)]
