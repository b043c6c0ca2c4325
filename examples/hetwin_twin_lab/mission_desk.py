"""Missions of a person or a program, given on a topic while the lab runs: L2 is outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from hetwin_suite.model import (
    BadInput,
    Changes,
    Contribution,
    Json,
    Model,
    Name,
    Parameters,
    RunFailed,
    Tick,
    parameter,
)
from hetwin_twin_lab.words import NOT_UNDERSTOOD, is_whole

if TYPE_CHECKING:
    from hetwin_twin_lab.wire import Wire

MISSION, REPORT = "lab/mission", "lab/report"
_RESULTS = {1: "done", 2: "failed", 3: "not understood"}


class Settings(Parameters):
    """The parameters of the model."""

    namespace: str = parameter("of the topics lab/mission and lab/report", "")
    execution: Name = parameter("model whose events `report` end a mission", "execution")
    most: int = parameter("so many missions may wait", 20, ge=1)


class MissionDesk(Model[Settings]):
    """Hears missions as JSON on lab/mission (std_msgs/String), gives L1 one after the other, and reports on lab/report.

    A mission is {id, mission, target}: 1 sweeps, 2 follows the path `target`, 3 goes to the place `target`.
    """

    summary = "Takes missions on a ROS 2 topic, gives them to a controller one by one, and reports their results."
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        "mission": "a mission begins: id, mission, target",
        NOT_UNDERSTOOD: "a mission could not be read, or too many wait: remark",
    }

    def __init__(self) -> None:
        self._wire: Wire | None = None
        self._waiting: deque[dict[str, Json]] = deque()
        self._underway: dict[str, Json] | None = None

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Open the topics.

        Raises:
            BadInput: if ROS 2 is not there.
        """
        try:
            from hetwin_twin_lab.wire import Wire
        except ImportError as error:
            raise BadInput(
                f"ROS 2 cannot be imported: {error}",
                where="namespace",
                expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
            ) from None
        self._wire = Wire(settings.namespace, "mission_desk", REPORT, MISSION)
        scene.needs()
        scene.reproducible = False

    def step(self, tick: Tick) -> Changes:
        """Report the mission that has ended, and begin the next one."""
        if self._wire is None:
            raise RunFailed("mission_desk", "step", tick.time_ns, "the model is not initialized")
        changes = tick.changes()
        for event in tick.events:
            if event.source == self.settings.execution and event.name == "report":
                self._end(self._wire, event.arguments.get("result"))
        for said in self._wire.heard():
            self._hear(said, changes)
        while self._wire.bad:
            changes.event(NOT_UNDERSTOOD, remark=self._wire.bad.popleft())
        if self._underway is None and self._waiting:
            self._underway = self._waiting.popleft()
            changes.event("mission", **self._underway)
        return changes

    def stop(self) -> None:
        """Close the topics."""
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    def _hear(self, said: Mapping[str, Json], changes: Changes) -> None:
        mission = {name: said.get(name, 0) for name in ("id", "mission", "target")}
        if not all(map(is_whole, mission.values())):
            remark = f"found {str(mission)[:80]}; expected whole numbers"
            changes.event(NOT_UNDERSTOOD, remark=remark)
        elif len(self._waiting) >= self.settings.most:
            changes.event(NOT_UNDERSTOOD, remark=f"{len(self._waiting)} missions wait already")
        else:
            self._waiting.append(mission)

    def _end(self, wire: Wire, result: Json) -> None:
        if self._underway is not None:
            word = _RESULTS.get(result, "unknown") if isinstance(result, int) else "unknown"
            wire.send({**self._underway, "result": word})
        self._underway = None
