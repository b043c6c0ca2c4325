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
BEGIN_S = 60.0
LOGS = "runs/*/log/*.mcap"
LAUNCH_BEGINS = "[INFO] [launch]: Default logging verbosity"
"""What `ros2 launch` prints before it reads a launch file."""


@dataclass(frozen=True)
class Interrupt:
    """A signal to a run.

    Attributes:
        number: SIGINT or SIGTERM.
        after_s: this long after hetwin's first line, or after `ros2 launch` began to read the launch file [s].
        in_run: whether the time counts from the moment at which the run has a log instead.
        to_group: whether all processes of its group get it, as from a terminal.
    """

    number: signal.Signals
    after_s: float
    in_run: bool
    to_group: bool


@dataclass
class Outcome:
    """How an interrupted run ended.

    Attributes:
        code: exit code of the command; negative if the signal itself ended it, None if nothing did.
        ended: what the summary says; empty if nothing was saved.
        text: all that was printed.
        took_s: from the interrupt to the end of the command [s].
        wrong: what should not be so, in words.
    """

    code: int | None
    ended: str
    text: str
    took_s: float
    wrong: list[str] = field(default_factory=list)


def interrupted(
    command: Sequence[str],
    folder: Path,
    interrupt: Interrupt,
    environment: Mapping[str, str],
    code: int,
    *,
    is_launch: bool,
) -> Outcome:
    """Run a command in a process group of its own, interrupt it, and find what is wrong with its end.

    Args:
        command: writes its run below `folder`, where it is started.
        folder: an empty one.
        interrupt: what is sent, when and to whom.
        environment: of the command.
        code: the exit code that is expected.
        is_launch: whether it is `ros2 launch`, which begins by itself before it knows of hetwin.
    """
    tag = f"{os.getpid()}_{time.monotonic_ns()}"
    said = folder / "said.txt"
    with said.open("w") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, MARK: tag},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_for_the_begin(process.pid, said, is_launch=is_launch)
        if interrupt.in_run:
            _wait_for_a_log(folder, process)
        time.sleep(interrupt.after_s)
        begun = time.monotonic()
        has_ended = process.poll() is not None
        if not has_ended:
            send = os.killpg if interrupt.to_group else os.kill
            send(process.pid, interrupt.number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_S)
        outcome = Outcome(process.returncode, "", "", time.monotonic() - begun)
        if has_ended:
            outcome.wrong.append("it had ended before the interrupt")
        if process.returncode is None:
            outcome.wrong.append(f"still running after {END_S:g} s")
        else:
            outcome.wrong += _orphans(tag)
    finally:
        for pid, _ in _alive(tag):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
    outcome.text = said.read_text("utf-8", "replace")
    _judge(outcome, folder, code)
    return outcome


def _wait_for_the_begin(pid: int, said: Path, *, is_launch: bool) -> None:
    """Wait until hetwin's code is at work: before, a signal meets Python's or launch's own beginnings."""
    end = time.monotonic() + BEGIN_S
    while time.monotonic() < end:
        if LAUNCH_BEGINS in said.read_text("utf-8", "replace") if is_launch else _handles(pid):
            return
        time.sleep(0.005)


def _wait_for_a_log(folder: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + BEGIN_S
    while time.monotonic() < end and process.poll() is None and not any(folder.glob(LOGS)):
        time.sleep(0.02)


def _handles(pid: int) -> bool:
    """Whether a process has a handler for SIGTERM, which Python by itself has not."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False


def _judge(outcome: Outcome, folder: Path, code: int) -> None:
    if outcome.code != code:
        outcome.wrong.append(f"exit code {outcome.code} instead of {code}")
    if "Traceback" in outcome.text or "terminate called" in outcome.text:
        outcome.wrong.append("a traceback")
    for log in folder.glob("runs/*/log"):
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
