"""The faults that are injected into hetwin, and the expected errors."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

DEADLINE_S = 3.0
"""Deadline of the failing model in the scenario."""
CLOSING_S = 5.0
"""Time for closing the log, ending all processes and writing the summary."""
FROM_THE_START_S = 60.0
"""Time for a whole run whose fault has no defined moment."""

SCENARIO = """
scenario: faults
rate: 100
models:
  world: {{type: "faulty:World", main: true, parameters: {{until: {until}, pace: {pace}}}}}
  tank:
    type: "faulty:Faulty"
    deadline: {deadline}
    {entry}
    parameters: {{fault: {fault!r}, call: {call!r}, at: {at}, mark: {mark!r}, seconds: {seconds}, once: {once!r}}}
triggers:
  - name: holds
    on: {{attribute: pose, entity: ball, above: 0.01}}
    do:
      - command: {{model: tank, name: look}}
      - hand_over: {{entity: ball, attribute: pose, to: tank}}
  - name: lets_go
    on: {{attribute: level, entity: tank, above: 0.15}}
    do: [{{hand_over: {{entity: ball, attribute: pose, to: world}}}}]
{more}
"""

LOOP = """
  - {name: first, on: {event: ping}, do: [{raise: {event: pong}}]}
  - {name: second, on: {event: pong}, do: [{raise: {event: ping}}]}
"""


@dataclass(frozen=True)
class Case:
    """One fault.

    Attributes:
        name: in the table.
        fault: of `faulty.Faulty`; empty: the fault comes from outside.
        call: in which the fault occurs.
        says: expected text in the error, by transport.
        code: expected exit code.
        ended: expected in the summary.
        entry: further keys of the model's entry.
        more: further triggers.
        send: signal to send to `whom`.
        whom: ``command``, ``run`` (the process that runs the ensemble) or ``model``.
        transports: in which it can occur; ``own``: local, with a process of its own for the model.
        small_disk: whether the log is on a disk that is soon full.
        broken_recording: whether the recording is truncated.
        often: whether it is part of the daily tests.
        deadline: of the model, in s.
    """

    name: str
    fault: str = ""
    call: str = "step"
    says: str | Mapping[str, str] = ""
    code: int = 1
    ended: str = "failed"
    at: float = 0.1
    seconds: float = 0.0
    until: float = 0.5
    pace: float = 0.002
    entry: str = ""
    more: str = ""
    once: str = ""
    send: int = 0
    whom: str = ""
    transports: tuple[str, ...] = ("local", "own", "ros")
    small_disk: bool = False
    broken_recording: bool = False
    often: bool = False
    deadline: float = DEADLINE_S

    def words(self, transport: str) -> str:
        """Return the expected text."""
        if isinstance(self.says, str):
            return self.says
        return self.says["local" if transport == "local" else "ros"]

    @property
    def deadline_s(self) -> float:
        """Time in which the run must end after the fault, or after the start if the fault exists from then on."""
        return FROM_THE_START_S if self.from_the_start else self.deadline + CLOSING_S

    @property
    def from_the_start(self) -> bool:
        """Whether the fault exists before the run begins, or its time is unknown, as on a small disk."""
        return self.code == 2 or self.small_disk

    def scenario(self, transport: str, mark: str, once: str = "") -> str:
        """Return the text of the scenario file."""
        process = "own" if transport == "own" else "shared"
        return SCENARIO.format(
            until=self.until,
            pace=self.pace,
            deadline=self.deadline,
            entry=f"{self.entry}\n    process: {process}",
            fault=self.fault,
            call=self.call,
            at=self.at,
            mark=mark,
            seconds=self.seconds,
            once=once if self.once else "",
            more=self.more,
        )


def _raises(call: str) -> Case:
    return Case(f"exception in {call}", "raises", call, f"tank: {call} failed", at=0.0)


CASES = (
    Case(
        "process killed",
        "killed",
        says={"local": "SIGKILL, during step of tank", "ros": "tank: step failed at 0.100000 s"},
    ),
    Case(
        "segmentation fault",
        "segmentation fault",
        says="tank: step failed at 0.100000 s: its process was killed by SIGSEGV",
        often=True,
    ),
    Case(
        "step hangs in Python", "hangs in Python", says="tank: step failed at 0.100000 s: no answer"
    ),
    Case(
        "step hangs in C",
        "hangs in C",
        says="tank: step failed at 0.100000 s: no answer",
        often=True,
    ),
    *(
        Case(f"{call} hangs", "hangs in C", call, f"tank: {call} failed", at=0.0)
        for call in ("initialize", "start", "take", "release", "command")
    ),
    *(_raises(call) for call in ("initialize", "start", "step", "take", "release", "command")),
    Case("exception in stop", "raises", "stop", "tank: stop failed", ended="recording", at=0.0),
    Case("exit in step", "exits", says="tank: step failed at 0.100000 s: SystemExit"),
    Case("not a number", "not a number", says="tank.level must be 1 finite float64 numbers"),
    Case("infinity", "infinity", says="tank.level must be 1 finite float64 numbers"),
    Case("wrong shape", "wrong shape", says="tank.level must be 1 finite float64 numbers"),
    Case("wrong type", "wrong type", says="(float32)"),
    Case("no answer", "no answer", says="expected Changes, or nothing"),
    Case(
        "answer for what it does not own",
        "not its own",
        says="returns ball.pose, which it is not responsible for; dropped",
        code=0,
        ended="recording",
        at=0.3,
    ),
    Case("time stands still", "time stands still", says="it was asked to step to 0.100000000 s"),
    Case("time goes back", "time goes back", says="it was asked to step to 0.100000000 s"),
    Case("event without JSON", "event without JSON", says="must be JSON"),
    Case("flood of events", "event flood", says="reports 200000 events in one step", often=True),
    Case(
        "trigger loop",
        more=LOOP,
        says="in a loop",
        code=2,
        ended="",
        transports=("local", "ros"),
    ),
    Case(
        "late after having been given up",
        "late",
        seconds=DEADLINE_S + 1.0,
        until=0.6,
        entry="on_failure: hand_back",
        says="handed back",
        ended="recording",
        transports=("own", "ros"),
        often=True,
    ),
    Case(
        "hang, handed back",
        "hangs in C",
        entry="on_failure: hand_back",
        says="handed back",
        ended="recording",
        transports=("own", "ros"),
    ),
    Case(
        "exception, handed back",
        "raises",
        entry="on_failure: hand_back",
        says="handed back",
        ended="recording",
    ),
    Case(
        "crash, restarted",
        "segmentation fault",
        entry="on_failure: restart",
        once="once",
        says="restarted (1 of 3)",
        ended="recording",
        transports=("own", "ros"),
        often=True,
    ),
    Case(
        "clock-driven model falls behind",
        "late",
        seconds=0.02,
        until=1.0,
        entry="step: clock",
        says="missed steps of tank",
        code=0,
        ended="recording",
        transports=("local", "ros"),
    ),
    Case(
        "a name registered by two",
        says="is taken by",
        code=130,
        ended="stopped",
        until=60.0,
        whom="second",
        transports=("ros",),
    ),
    Case(
        "recording breaks off",
        broken_recording=True,
        says="the recording breaks off at 5.80 s",
        code=0,
        ended="recording",
        transports=("local", "ros"),
    ),
    Case(
        "disk full under the log",
        until=600.0,
        pace=0.0,
        small_disk=True,
        says="No space left on device",
        transports=("local", "ros"),
        often=True,
    ),
    Case(
        "conductor killed",
        until=60.0,
        send=signal.SIGKILL,
        whom="run",
        says="was killed by SIGKILL",
        often=True,
    ),
    Case("command killed", until=60.0, send=signal.SIGKILL, whom="command", code=-signal.SIGKILL),
    Case("SIGINT", until=60.0, send=signal.SIGINT, whom="command", code=130, ended="stopped"),
    Case(
        "SIGTERM",
        until=60.0,
        send=signal.SIGTERM,
        whom="command",
        code=143,
        ended="stopped",
        often=True,
    ),
)
"""All faults."""


def rows() -> list[tuple[Case, str]]:
    """Each fault with each transport in which it can be."""
    return [(case, transport) for case in CASES for transport in case.transports]


def environment() -> dict[str, str]:
    """Environment of a run that finds the faulty models."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (a text is wanted)
    path = os.pathsep.join(p for p in (here, os.environ.get("PYTHONPATH")) if p)
    return {**os.environ, "PYTHONPATH": path}
