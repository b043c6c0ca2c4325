"""Missions given by a person or a program while the lab runs; the executive level (L2) is outside."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from hetwin_suite.model import Changes, Contribution, Json, Name, Tick, parameter
from hetwin_twin_lab.event_names import GIVE_MISSION, NOT_UNDERSTOOD, is_int64
from hetwin_twin_lab.topic_model import TopicModel, TopicParameters

if TYPE_CHECKING:
    from hetwin_twin_lab.topic_pair import TopicPair

MISSION, REPORT, SERVICE = "lab/mission", "lab/report", "lab/give_mission"
_RESULTS = {1: "done", 2: "failed", 3: "not understood"}


class Settings(TopicParameters):
    """The parameters of the model."""

    execution: Name = parameter("model whose events `report` end a mission", "execution")
    most: int = parameter("maximum number of waiting missions", 20, ge=1)


class MissionDesk(TopicModel[Settings]):
    """Receives missions, passes them to L1 one after the other, and reports on lab/report (std_msgs/String, JSON).

    A mission is {id, mission, target}: 1 sweeps, 2 follows the path `target`, 3 drives to the place `target`. It
    arrives as JSON on the topic lab/mission, as the arguments of an event `give_mission`, e.g. from a button of the
    page, or by the service lab/give_mission (hetwin/srv/NotifyEvent), which returns the reason for a refusal. Without
    an id it gets the next number.
    """

    summary = "Receives missions, gives them to a controller one by one, and reports their results."
    raises: ClassVar[Mapping[str, str]] = {
        "mission": "a mission starts: id, mission, target",
        "reported": "a mission is over: id, mission, target, result; doubts: contradictions of the robots so far",
        NOT_UNDERSTOOD: "a mission could not be read, or too many wait: remark",
    }
    node, publish_topic, subscribe_topic = "mission_desk", REPORT, MISSION

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Open the topics and the service.

        Raises:
            BadInput: if ROS 2 is missing.
        """
        self._lock = threading.Lock()
        self._queue: deque[dict[str, Json]] = deque()
        self._current: dict[str, Json] | None = None
        self._number = 0
        super().initialize(settings, scene)

    def services(self) -> Mapping[str, Callable[[Mapping[str, Json]], str]]:
        """Return the service that receives missions."""
        return {SERVICE: self._enqueue}

    def step(self, tick: Tick) -> Changes:
        """Report the mission that has ended, and start the next one."""
        topics, changes = self.open_topics(tick.time_ns), tick.changes()
        requests: list[Mapping[str, Json]] = [*topics.take_received()]
        for event in tick.events:
            if event.source == self.settings.execution and event.name == "report":
                self._end(topics, event.arguments, changes)
            elif event.name == GIVE_MISSION:
                requests.append(event.arguments)
        for refusal in filter(None, map(self._enqueue, requests)):
            changes.event(NOT_UNDERSTOOD, remark=refusal)
        self.report_unreadable(topics, changes)
        if self._current is None and self._queue:
            self._current = self._queue.popleft()
            changes.event("mission", **self._current)
        return changes

    def _enqueue(self, request: Mapping[str, Json]) -> str:
        """Queue a mission; return the reason for a refusal, or an empty string. Thread-safe."""
        with self._lock:
            mission: dict[str, Json] = {"id": self._number + 1, "mission": 0, "target": 0}
            mission |= {name: request[name] for name in mission if name in request}
            if not all(map(is_int64, mission.values())):
                return f"found {str(mission)[:80]}; expected whole numbers"
            if len(self._queue) >= self.settings.most:
                return f"{len(self._queue)} missions wait already"
            self._number += 1
            self._queue.append(mission)
        return ""

    def _end(self, topics: TopicPair, report: Mapping[str, Json], changes: Changes) -> None:
        if self._current is not None:
            result = report.get("result")
            word = _RESULTS.get(result, "unknown") if isinstance(result, int) else "unknown"
            request = {**self._current, "result": word, "doubts": report.get("doubts", 0)}
            topics.send(request)
            changes.event("reported", **request)
        self._current = None
