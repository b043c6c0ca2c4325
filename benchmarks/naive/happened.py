"""Which events happened, read off the messages and the truths of the states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from naive.world import CLEAR, DERIVED, MS, TOUCHING, Truth, World, runs, spans

Event = tuple[int, str, dict[str, Any]]
FOREVER = 2**62
SYMMETRIC = ("collision", "collision_end")


class Happened:
    """Finds events.

    Args:
        world: what held.
        operations: names of what the robot's program does.
    """

    def __init__(self, world: World, operations: set[str]) -> None:
        self._world, self._log, self._operations = world, world.log, operations
        self._kept: dict[str, list[Event]] = {}

    def all(self, name: str) -> list[Event]:
        """Return the events of a name, by time."""
        if name not in self._kept:
            made = {
                "collision": self._collisions,
                "collision_end": self._collisions,
                "loc_change": self._changes_of_place,
                "pick_up": self._picked_up,
                "set_down": self._set_down,
                "perceived": self._perceived,
            }.get(name)
            found = [*self._told(name), *([] if made is None else made(name))]
            self._kept[name] = sorted(found, key=lambda event: event[0])
        return self._kept[name]

    def _told(self, name: str) -> Iterator[Event]:
        for message in self._log.events:
            said = message["arguments"]
            is_action = message["kind"] == "action"
            if message["name"] != name or message["kind"] == "task":
                continue
            if is_action and (name in DERIVED or said.get("phase") == "announced"):
                continue
            if message["source"].startswith("/") and name in self._operations:
                continue
            yield message["time"], name, said

    def _collisions(self, name: str) -> Iterator[Event]:
        times, names = self._log.times, self._world.names
        near = {
            tuple(sorted((int(r[0]), int(r[1]))))
            for rows in self._log.near
            for r in rows
            if r[2] <= 1e-3
        }
        told = {
            tuple(
                sorted((names.index(e["arguments"]["link"]), names.index(e["arguments"]["object"])))
            )
            for e in self._log.events
            if e["name"] == "touch_ended" and e["source"] == "robot_health"
        }
        for one, other in sorted(near | told):
            a, b = names[one], names[other]
            for begin, end in self._world.exact("contact", a, b):
                yield (begin if name == "collision" else end), name, {"a": a, "b": b}
            states = seen(self._world, a, b)
            for first, last in runs(states):
                at = first if name == "collision" else last
                if at:
                    yield times[at], name, {"a": a, "b": b}

    def _changes_of_place(self, name: str) -> Iterator[Event]:
        """Something leaves where it rested; it rests again where it has been still for ten states in no hand."""
        for thing in (*self._world.objects, *self._log.of_kind("robot")):
            place, still = self._world.pose(thing, 0), 0
            weak, _ = self._world._moving(thing)
            hands = [self._world.holds("held", thing, h) or [] for h in self._log.of_kind("hand")]
            for state, time in enumerate(self._log.times):
                pose = self._world.pose(thing, state)
                if place is not None:
                    away = np.sum((pose[:3] - place[:3]) ** 2) > 0.005**2
                    if away or abs(pose[3:7] @ place[3:7]) < np.cos(np.radians(2.5)):
                        yield time, name, {"object": thing}
                        place, still = None, 0
                    else:
                        continue
                rests = not weak[state] and not any(held and held[state] for held in hands)
                still = still + 1 if rests else 0
                if still >= 10:
                    place = pose

    def _perceived(self, name: str) -> Iterator[Event]:
        for belief in self._log.beliefs:
            if belief["origin"] == "percept":
                said = {"object": belief["arguments"][0], "confidence": belief["confidence"]}
                yield belief["time"], name, said

    def _carried(self, thing: str) -> list[tuple[str, int, int]]:
        """When hands held a thing, or links moved it."""
        world, found = self._world, []
        for hand in self._log.of_kind("hand"):
            found += [(hand, *span) for span in self._times(world.holds("held", thing, hand))]
        for link in self._log.of_kind("link"):
            owner = next((h for h in self._log.of_kind("hand") if link in world.links_of(h)), link)
            found += [(owner, *span) for span in self._times(world.holds("attached", thing, link))]
        return found

    def _times(self, truth: Truth | None) -> list[tuple[int, int]]:
        times = self._log.times
        return [(times[i], FOREVER if j is None else times[j]) for i, j in runs(truth or [])]

    def _supports(self, thing: str) -> list[tuple[str, int, int]]:
        return [
            (other, *span)
            for other in self._world.names
            if other != thing and self._world.kinds[other] in ("object", "static", "link")
            for span in self._times(self._world.holds("borne_by", thing, other))
        ]

    def _picked_up(self, name: str) -> Iterator[Event]:
        for thing in self._world.objects:
            carried, supports = self._carried(thing), self._supports(thing)
            for _, _, end in supports:
                later = end + 100 * MS
                hands = [hand for hand, begin, until in carried if begin <= later < until]
                on = any(begin <= later < until for _, begin, until in supports)
                if end < FOREVER and hands and not on and later <= self._log.end + 100 * MS:
                    yield end, name, {"object": thing, "hand": hands}

    def _set_down(self, name: str) -> Iterator[Event]:
        for thing in self._world.objects:
            carried = self._carried(thing)
            for support, begin, end in self._supports(thing):
                brought = [u for _, f, u in carried if f < begin and u >= begin - 300 * MS]
                if brought and max(brought) < FOREVER:
                    time = max(begin, *brought)
                    if begin <= time < end:
                        yield time, name, {"object": thing, "support": support}


def seen(world: World, a: str, b: str) -> Truth:
    """When two bodies touch in the states, without touches that are only told of."""
    weak, clear = world._of_pair(a, b, lambda row, _: (row[2] <= CLEAR, row[2] <= TOUCHING))
    return spans(weak, clear, 3, 1)
