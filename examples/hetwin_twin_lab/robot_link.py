"""Passes the commands of a controller to a real and a virtual robot, and returns one answer to each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

from hetwin_machines import (
    ROBOTS,
    TIMEOUT,
    Alarm,
    CycleResult,
    Kind,
    Link,
    Logger,
    Message,
    Reply,
    Side,
)
from hetwin_suite.model import (
    ALIGN_BASE,
    NS_PER_S,
    Amount,
    Changes,
    Contribution,
    Event,
    Json,
    Model,
    Name,
    Parameters,
    RunFailed,
    Text,
    Tick,
    parameter,
)
from hetwin_twin_lab.event_names import (
    ALARM,
    LINKED,
    LOGGED,
    NOT_UNDERSTOOD,
    ROBOT_BACK,
    ROBOT_LOST,
    is_int64,
)

ANSWER_TEXTS = {1: "done", 2: "blocked", 3: "ray", 4: "end", 5: "not understood"}
_UNKNOWN_ID = -1
"""The id of a command that an answer does not name."""
_MAX_MAGNITUDE = 1e9
"""Maximum magnitude of numbers in an answer."""
MOVE = 1
"""Operation of a motion, whose command has rotation and displacement."""


class Settings(Parameters):
    """The parameters of the model."""

    commander: Name = parameter("model whose events `command` are passed on", "execution")
    virtual: Name = parameter("model that answers as the virtual robot", "reactive")
    real: Name | None = parameter(
        "model that answers as the real robot; default: there is none", None
    )
    command: Text = parameter(
        "name of the command events: id, operation, rotation [rad], displacement [m]",
        "command",
    )
    reply: Text = parameter("name of the answer events: id, code, and more", "reply")
    timeout: Amount = parameter("maximum time between a command and its answer", 30.0, "s")
    codes: dict[int, Text] = parameter(
        "code of an answer -> its text, by which answers of both robots are compared", ANSWER_TEXTS
    )
    align: bool = parameter(
        "before a command, put the virtual robot to the pose reported by the real one (x, y, qw, qz)",
        True,
    )
    gives_up: int = parameter(
        "number of consecutive timeouts of the real robot after which the virtual one's answers are used instead",
        2,
        ge=1,
    )
    timed_out: int = parameter("code that the commander gets if no answer arrives in time", 0)


class RobotLink(Model[Settings]):
    """Gives the commander the real robot's answers, or the virtual one's if there is no real robot.

    An answer keeps all its arguments, such as the pose that the robot believes.
    """

    summary = (
        "Links a controller with a real and a virtual robot: each command to both, one answer back."
    )
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        "command": "a command for both robots: id, operation, rotation [rad], displacement [m]",
        "reply": "the answer to a command: id, code (0: not in time), and further arguments",
        LOGGED: "a command is closed: its row of the log, laps [s], and the answer that was used",
        ALARM: "an answer is missing, unexpected, malformed or unlike the other robot's: alarm, side, id, remark",
        ROBOT_LOST: "the real robot has stopped answering, and the virtual one's answers are used: model, timeouts",
        ROBOT_BACK: "the real robot answers again: model",
        ALIGN_BASE: "the virtual robot is put to the real one's pose: x, y [m], yaw [rad]",
        LINKED: "linked models and events: real, virtual, commander, command, reply",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Resolve the models of the commander and the robots."""
        self._sides = {settings.virtual: Side.VIRTUAL}
        if settings.real is not None:
            self._sides[settings.real] = Side.REAL
        self._link: Link | None = None
        self._answers: dict[tuple[int, Side], Mapping[str, Json]] = {}
        self._commands: dict[int, Mapping[str, Json]] = {}
        self._real_pose: dict[str, Json] | None = None
        self._remarks: list[str] = []
        self._were_open = False
        self._missing = 0
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Run one cycle of the link."""
        changes = tick.changes()
        if self._link is None:
            self._link, self._logger = self._create(tick.period_ns)
            names = ("real", "virtual", "commander", "command", "reply")
            linked: dict[str, Json] = {name: getattr(self.settings, name) for name in names}
            changes.event(LINKED, **linked)
        self._were_open = not self._link.is_idle
        malformed = list(self._malformed(tick, self._link.cycle))
        try:
            cycle_result = self._link.next(list(self._messages(tick, self._link)))
        except ValueError as error:
            raise RunFailed(self.settings.commander, "command", tick.time_ns, str(error)) from None
        cycle_result = cycle_result._replace(alarms=(*malformed, *cycle_result.alarms))
        self._report(cycle_result, changes)
        self._bypass_silent_robot(self._link, cycle_result, tick, changes)
        return changes

    def _bypass_silent_robot(
        self, link: Link, cycle_result: CycleResult, tick: Tick, changes: Changes
    ) -> None:
        """Bypass a real robot that has stopped answering, until it answers again."""
        settings = self.settings
        if settings.real is None:
            return
        late = sum(a.kind is Kind.TIMEOUT and a.side == Side.REAL for a in cycle_result.alarms)
        has_answered = any(
            self._sides.get(e.source) is Side.REAL and self._is_answer(e) and not fault_in(e)
            for e in tick.events
        )
        self._missing = 0 if has_answered else self._missing + late
        if link.has_real and self._missing >= settings.gives_up:
            link.has_real = False
            changes.event(ROBOT_LOST, model=settings.real, timeouts=self._missing)
        elif has_answered and not link.has_real:
            link.has_real = True
            changes.event(ROBOT_BACK, model=settings.real)

    def _create(self, period_ns: int) -> tuple[Link, Logger]:
        period = period_ns / NS_PER_S
        has_real = self.settings.real is not None
        return Link(period, self.settings.timeout, has_real=has_real), Logger(period)

    def _is_answer(self, event: Event) -> bool:
        return event.source in self._sides and event.name == self.settings.reply

    def _malformed(self, tick: Tick, cycle: int) -> Iterator[Alarm]:
        """Yield alarms about malformed answers; their faults are stored for the log."""
        self._remarks = []
        for event in tick.events:
            side = self._sides.get(event.source)
            is_unreadable = side is not None and event.name == NOT_UNDERSTOOD
            remark = str(event.arguments.get("remark", "")) if is_unreadable else ""
            remark = remark or (fault_in(event) if self._is_answer(event) else "")
            if side is not None and (remark or is_unreadable):
                command_id = event.arguments.get("id")
                self._remarks.append(remark)
                command_id = (
                    command_id
                    if isinstance(command_id, int) and is_int64(command_id)
                    else _UNKNOWN_ID
                )
                yield Alarm(cycle, Kind.MALFORMED, side.value, command_id)

    def _messages(self, tick: Tick, link: Link) -> Iterator[Message]:
        settings = self.settings
        for event in tick.events:
            if event.source == settings.commander and event.name == settings.command:
                command_id = _whole(event, "id")
                self._commands[command_id] = event.arguments
                yield Message(Side.L1, command_id, _text(event))
            elif self._is_answer(event) and not fault_in(event):
                side, command_id, code = (
                    self._sides[event.source],
                    _whole(event, "id"),
                    _whole(event, "code"),
                )
                if command_id in link.open or command_id in self._commands:
                    self._answers.setdefault((command_id, side), event.arguments)
                if side is Side.REAL and settings.align:
                    self._real_pose = planar_pose(event.arguments)
                yield Message(side, command_id, settings.codes.get(code, str(code)))

    def _report(self, cycle_result: CycleResult, changes: Changes) -> None:
        settings = self.settings
        if cycle_result.sent and self._real_pose is not None and not self._were_open:
            changes.event(ALIGN_BASE, **self._real_pose)
            self._real_pose = None
        for sent in cycle_result.sent:
            changes.event(settings.command, **self._commands.pop(sent.id))
        for reply in cycle_result.replies:
            changes.event(settings.reply, **self._reply_arguments(reply))
        remarks = iter(self._remarks)
        for alarm in cycle_result.alarms:
            arguments: dict[str, Json] = {
                "alarm": str(alarm.kind),
                "side": alarm.side,
                "id": alarm.id,
            }
            if alarm.kind is Kind.MALFORMED:
                arguments["remark"] = next(remarks)
            changes.event(ALARM, **arguments)
        for row in self._logger.record(cycle_result):
            answers = [self._answers.pop((row["id"], side), None) for side in ROBOTS]
            codes = [settings.codes.get(_code(answer)) for answer in answers if answer is not None]
            changes.event(LOGGED, **row, answer=codes[0] if codes else None)

    def _reply_arguments(self, reply: Reply) -> dict[str, Json]:
        """Return the arguments of the answer for the commander."""
        if reply.text == TIMEOUT:
            return {"id": reply.id, "code": self.settings.timed_out}
        real = self._link is not None and self._link.has_real
        return dict(self._answers[reply.id, Side.REAL if real else Side.VIRTUAL])


def fault_in(answer: Event) -> str:
    """Return the fault of a robot's answer as text; empty if there is none.

    Id and code must be integers, and all numbers finite and of plausible magnitude.
    """
    for name in ("id", "code"):
        if not is_int64(answer.arguments.get(name)):
            return (
                f"its {name} is {str(answer.arguments.get(name))[:40]!r}; expected a whole number"
            )
    for name, value in answer.arguments.items():
        if name == "id" or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if not abs(value) <= _MAX_MAGNITUDE:
            return f"its {name} is {str(value)[:40]}; expected at most {_MAX_MAGNITUDE:g}"
    return ""


def planar_pose(arguments: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return x, y [m] and yaw [rad] of the pose in an answer; None if it has none."""
    numbers = [arguments.get(name) for name in ("x", "y", "qw", "qz")]
    x, y, w, z = (float(n) if isinstance(n, int | float) else None for n in numbers)
    if x is None or y is None or w is None or z is None:
        return None
    return {"x": x, "y": y, "yaw": 2.0 * math.atan2(z, w)}


def _text(command: Event) -> str:
    """Return a command as text for the link."""
    operation = _whole(command, "operation")
    if operation != MOVE:
        return str(operation)
    numbers = [command.arguments.get(name) for name in ("rotation", "displacement")]
    return " ".join([str(operation), *(repr(number) for number in numbers)])


def _code(answer: Mapping[str, Json]) -> int:
    code = answer.get("code")
    return code if isinstance(code, int) else 0


def _whole(event: Event, name: str) -> int:
    """Return an integer argument of an event.

    Raises:
        RunFailed: if it is not an integer.
    """
    value = event.arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        reason = f"its argument {name} is {value!r}; expected a whole number"
        raise RunFailed(event.source, event.name, event.time_ns, reason)
    return value
