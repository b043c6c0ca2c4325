"""The messages of a log, as any reader of bags returns them."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader

Floats = NDArray[np.float64]
ROW = 12
"""Numbers of a row of proximity."""


@dataclass
class Log:
    """A log.

    Attributes:
        registry: what the scene holds, as JSON.
        times: (n,) of the states [ns].
        values: (n, size).
        near: rows of proximity of each state.
        events: messages of events in their order, with parsed arguments.
        tasks: messages of tasks, likewise.
        beliefs: messages of beliefs.
    """

    registry: Any
    times: list[int] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    near: list[Floats] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    beliefs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def start(self) -> int:
        """The first time [ns]."""
        return self.times[0]

    @property
    def end(self) -> int:
        """The last time of anything [ns]."""
        last = (max((m["time"] for m in some), default=0) for some in (self.events, self.beliefs))
        return max(self.times[-1], *last)

    def slot(self, entity: str, attribute: str) -> slice | None:
        """Return where an attribute lies in the values; None if the scene has none."""
        for slot in self.registry["slots"]:
            if (slot["entity"], slot["attribute"]) == (entity, attribute):
                return slice(slot["offset"], slot["offset"] + slot["size"])
        return None

    def number(self, time_ns: int) -> int:
        """Return the number of the last state that is not later."""
        return max(0, bisect_right(self.times, time_ns) - 1)

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the names of the entities of some kinds."""
        return [e["name"] for e in self.registry["entities"] if e["kind"] in kinds]


def read(run: Path) -> Log:
    """Read the log in the folder of a run."""
    found: list[tuple[str, Any]]
    with AnyReader([run / "log"]) as reader:
        found = [
            (connection.topic, reader.deserialize(data, connection.msgtype))
            for connection, _, data in reader.messages(
                connections=[c for c in reader.connections if _is_wanted(c.topic)]
            )
        ]
    registry = next(m for topic, m in reversed(found) if topic.endswith("/registry"))
    log = Log(json.loads(registry.layout))
    for topic, message in found:
        match topic.rpartition("/")[2]:
            case "state":
                log.times.append(_ns(message.stamp))
                log.values.append(np.array(message.values))
                log.near.append(np.array(message.proximity).reshape(-1, ROW))
            case "events":
                event = {"name": message.name, "kind": message.kind, "source": message.source}
                log.events.append(
                    {**_stamped(message), **event, "arguments": _json(message.arguments)}
                )
            case "tasks":
                log.tasks.append({**_stamped(message), **_task(message)})
            case "beliefs":
                log.beliefs.append({**_stamped(message), **_belief(message)})
    return log


def _is_wanted(topic: str) -> bool:
    return topic.rpartition("/")[2] in ("registry", "state", "events", "tasks", "beliefs")


def _task(message: Any) -> dict[str, Any]:
    names = ("id", "parent", "operation", "goal", "status")
    return {**{n: getattr(message, n) for n in names}, "variables": _json(message.variables)}


def _belief(message: Any) -> dict[str, Any]:
    return {
        "fluent": message.fluent,
        "arguments": [str(name) for name in message.arguments],
        "holds": bool(message.holds),
        "pose": [float(number) for number in message.pose],
        "confidence": float(message.confidence),
        "origin": message.origin,
    }


def _json(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}


def _stamped(message: Any) -> dict[str, Any]:
    return {"time": _ns(message.stamp)}


def _ns(stamp: Any) -> int:
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
