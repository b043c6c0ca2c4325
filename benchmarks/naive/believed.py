"""What the robot believed, read off its messages: each is a belief until the next one about the same."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from naive.world import MS, World

FAR, TURNED = 0.02, np.radians(10.0)
LASTING = 250 * MS


class Believed:
    """Reads beliefs.

    Args:
        world: what held.
    """

    def __init__(self, world: World) -> None:
        self._world, self._log = world, world.log

    def messages(self, fluent: str, *arguments: str) -> list[dict[str, Any]]:
        """Return the messages about the same, by time."""
        found = [
            m
            for m in self._log.beliefs
            if m["fluent"] == fluent and m["arguments"] == [a for a in arguments if a]
        ]
        return sorted(found, key=lambda m: m["time"])

    def last(self, time: int, fluent: str, *arguments: str) -> dict[str, Any] | None:
        """Return the last message about something until a time."""
        found = [m for m in self.messages(fluent, *arguments) if m["time"] <= time]
        return found[-1] if found else None

    def tells(self, fluent: str, name: str) -> bool:
        """Whether the robot says anything about a fluent of an entity."""
        return any(
            m["fluent"] == fluent and m["arguments"][:1] == [name] for m in self._log.beliefs
        )

    def near(self, name: str, place: list[float], within: float, time: int) -> bool | None:
        """Whether an entity was believed near a place; None if the robot never says where it is."""
        if not self.tells("loc", name):
            return None
        last = self.last(time, "loc", name)
        if last is None:
            return False
        return bool(np.linalg.norm(np.array(last["pose"][: len(place)]) - place) <= within)

    def held(self, name: str, hand: str, time: int, fluent: str = "held") -> bool | None:
        """Whether a hand was believed to hold something."""
        if not self.tells(fluent, name):
            return None
        last = self.last(time, fluent, name, hand)
        return last is not None and last["holds"]

    def moving(self, name: str, time: int) -> bool | None:
        """Whether something was believed to move: from one pose to the next, soon after, faster than 5 cm/s."""
        told = self.messages("loc", name)
        if not told:
            return None
        for one, other in pairwise(told):
            if one["time"] <= time < other["time"] and other["time"] - one["time"] <= 500 * MS:
                seconds = (other["time"] - one["time"]) / 1e9
                return faster(one["pose"], other["pose"], seconds)
        return False

    def wrong(self, name: str) -> list[tuple[int, int]] | None:
        """When something was believed elsewhere than it was, for a quarter of a second or longer."""
        told = self.messages("loc", name)
        if not told:
            return None
        found: list[list[int]] = []
        last_wrong = False
        for state, time in enumerate(self._log.times):
            before = [m for m in told if m["time"] <= time]
            wrong = bool(before) and is_elsewhere(before[-1]["pose"], self._world.pose(name, state))
            if wrong and not last_wrong:
                found.append([time, self._log.end + 1])
            elif last_wrong and not wrong:
                found[-1][1] = time
            last_wrong = wrong
        return [(f, t) for f, t in found if min(t, self._log.end) - f >= LASTING]


def is_elsewhere(believed: Any, pose: Any) -> bool:
    """Whether two poses are different: more than 2 cm or 10 degrees."""
    one, two = np.array(believed), np.array(pose[:7])
    angle = 2.0 * math.acos(
        min(1.0, abs(float(one[3:] @ two[3:])) / float(np.linalg.norm(one[3:])))
    )
    return bool(np.linalg.norm(one[:3] - two[:3]) > FAR or angle > TURNED)


def faster(one: Any, other: Any, seconds: float) -> bool:
    """Whether something went from one pose to another faster than 5 cm/s or 0.25 rad/s."""
    p, q = np.array(one), np.array(other)
    angle = 2.0 * math.acos(min(1.0, abs(float(p[3:] @ q[3:]))))
    return bool(np.linalg.norm(p[:3] - q[:3]) > 0.05 * seconds or angle > 0.25 * seconds)
