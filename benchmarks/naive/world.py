"""What held and what happened, read off one state after the other.

Each fluent is a row of truths, one for each state; a truth lasts until the next state. The definitions are those of
docs/asking.md, with their numbers.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from naive.log import Log

Truth = list[bool]
TOUCHING, CLEAR = 2e-4, 1e-3
SLOW, SLOW_TURN = 0.02, 0.2
DERIVED = ("collision", "collision_end", "loc_change", "pick_up", "set_down", "perceived")
MS = 1_000_000


class World:
    """Reads a log.

    Args:
        log: the log.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.kinds = {e["name"]: e["kind"] for e in log.registry["entities"]}
        self.names = list(self.kinds)
        self.entities = {e["name"]: e for e in log.registry["entities"]}
        self.objects = log.of_kind("object")
        self._kept: dict[Any, Any] = {}
        self._rows: dict[tuple[int, int], list[tuple[int, Any]]] = {}
        for state, rows in enumerate(log.near):
            for row in rows:
                if np.isfinite(row[:3]).all() and row[2] <= CLEAR:
                    self._rows.setdefault((int(row[0]), int(row[1])), []).append((state, row))

    # ------------------------------------------------------------------ names

    @cache  # noqa: B019 (a reader lives as long as its benchmark)
    def links_of(self, name: str) -> tuple[str, ...]:
        """The entities that a hand or a robot stands for where something touches it; else the name itself."""
        kind = self.kinds[name]
        if kind == "robot":
            return (name, *(n for n, e in self.entities.items() if e["owner"] == name))
        if kind != "hand":
            return (name,)
        hand = self.entities[name]
        found = {hand["parent"]}
        for e in self.entities.values():
            if e["kind"] == "link" and e["joint"] and e["joint"] in hand["joints"]:
                found.add(e["parent"])
        for _ in self.names:
            found |= {
                n for n, e in self.entities.items() if e["kind"] == "link" and e["parent"] in found
            }
        return (name, *(found - {""}))

    def robot_base(self, name: str) -> str:
        """The entity whose pose is that of a robot."""
        if self.log.slot(name, "pose") is not None or self.kinds[name] != "robot":
            return name
        base: str = next(
            n for n, e in self.entities.items() if e["owner"] == name and not e["parent"]
        )
        return base

    # ------------------------------------------------------------------ states

    def pose(self, name: str, state: int) -> Any:
        """(13,) pose and twist; an entity without one is at the origin, at rest."""
        where = self.log.slot(self.robot_base(name), "pose")
        if where is None:
            return np.array([0.0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        return self.log.values[state][where]

    def holds(self, fluent: str, a: str, b: str = "") -> Truth | None:
        """Whether a fluent of two named entities holds in each state; None if the log cannot know it."""
        key = fluent, a, b
        if key not in self._kept:
            self._kept[key] = self._holds(fluent, a, b)
        found: Truth | None = self._kept[key]
        return found

    def _holds(self, fluent: str, a: str, b: str) -> Truth | None:  # noqa: C901
        match fluent:
            case "contact":
                if {self.kinds[a], self.kinds[b]} == {"static"}:
                    return self._static(a, b, touching_only=True)
                touching = self._of_pair(a, b, lambda row, _: (row[2] <= CLEAR, row[2] <= TOUCHING))
                return self._told_touches(a, b, spans(*touching, 3, 1))
            case "borne_by":
                if {self.kinds[a], self.kinds[b]} == {"static"}:
                    return self._static(a, b)
                return spans(*self._below(a, b, resting=False), 3, 3)
            case "on":
                if {self.kinds[a], self.kinds[b]} == {"static"}:
                    return self._static(a, b)
                return spans(*self._below(a, b, resting=True), 10, 3)
            case "attached":
                return spans(*self._together(a, b), 3, 3)
            case "moving":
                return spans(*self._moving(a), 3, 1)
            case "held":
                return self._held(a, b)
            case "dropped":
                return self._dropped(a, b)
        return self._attribute(fluent, a, b)

    def _of_pair(
        self,
        a: str,
        b: str,
        weigh: Callable[[Any, int], tuple[bool, bool]],
        *,
        ordered: bool = False,
    ) -> tuple[Truth, Truth]:
        one, two = self.names.index(a), self.names.index(b)
        weak, clear = [False] * len(self.log.times), [False] * len(self.log.times)
        for state, row in (
            *self._rows.get((one, two), ()),
            *(() if ordered else self._rows.get((two, one), ())),
        ):
            is_weak, is_clear = weigh(row, state)
            weak[state] = weak[state] or is_weak
            clear[state] = clear[state] or (is_weak and is_clear)
        return weak, clear

    def _told_touches(self, a: str, b: str, found: Truth) -> Truth:
        """Add the touches that were over between two states."""
        for begin, end in self.between_states(a, b, found):
            for state, time in enumerate(self.log.times):
                found[state] = found[state] or begin <= time < end
        return found

    def between_states(self, a: str, b: str, seen: Truth) -> list[tuple[int, int]]:
        """Touches of a link and an object that events tell of, and that are none of those in the states."""
        found: list[tuple[int, int]] = []
        for event in self.log.events:
            said = event["arguments"]
            if event["name"] != "touch_ended" or event["source"] != "robot_health":
                continue
            if {said.get("link"), said.get("object")} != {a, b} or said[
                "object"
            ] not in self.objects:
                continue
            begin, end = round(said["from"] * 1e9), round(said["to"] * 1e9) + 1
            known = [
                (self.log.times[i], self.log.times[j] if j is not None else 2**62)
                for i, j in runs(seen)
            ]
            if not any(f < end + 100 * MS and t + 100 * MS > begin for f, t in known + found):
                found.append((begin, end))
        return found

    def _below(self, a: str, b: str, *, resting: bool) -> tuple[Truth, Truth]:
        """Whether b is below a, and a at rest on it."""
        if self.kinds[a] != "object" or b in self._in_hands():
            return [False] * len(self.log.times), [False] * len(self.log.times)
        one = self.names.index(a)
        up = math.cos(math.radians(45))

        def weigh(row: Any, state: int) -> tuple[bool, bool]:
            supported = row[8] >= up if row[0] == one else row[8] <= -up
            at = row[3:6]
            upper, lower = self.pose(a, state), self.pose(b, state)
            slip = np.linalg.norm(velocity(upper, at) - velocity(lower, at))
            turn = np.linalg.norm(upper[10:] - lower[10:])
            slow = bool(supported and slip <= SLOW and turn <= SLOW_TURN)
            return (slow if resting else bool(supported)), slow and bool(row[2] <= TOUCHING)

        return self._of_pair(a, b, weigh)

    def _in_hands(self) -> set[str]:
        return {
            n for h in self.log.of_kind("hand") for n in self.links_of(h) if self.kinds[n] == "link"
        }

    def _together(self, a: str, b: str) -> tuple[Truth, Truth]:
        if self.kinds[a] != "object" or self.kinds[b] != "link":
            return [False] * len(self.log.times), [False] * len(self.log.times)

        def weigh(_: Any, state: int) -> tuple[bool, bool]:
            thing, link = self.pose(a, state), self.pose(b, state)
            carried = velocity(link, thing[:3])
            along = np.linalg.norm(thing[7:10] - carried) <= SLOW
            along &= np.linalg.norm(thing[10:] - link[10:]) <= SLOW_TURN
            moves = np.linalg.norm(carried) > 0.005 or np.linalg.norm(link[10:]) > 0.05
            return bool(along), bool(moves)

        return self._of_pair(a, b, weigh, ordered=True)

    def _moving(self, name: str) -> tuple[Truth, Truth]:
        weak, clear = [], []
        times = self.log.times
        for state, time in enumerate(times):
            if (
                self.kinds[name] in ("static", "concept")
                or self.log.slot(self.robot_base(name), "pose") is None
            ):
                share = 0.0
            else:
                before = next(i for i in range(state + 1) if times[i] >= time - 100 * MS)
                before = max(before, state - 10, 0)
                seconds = max(time - times[before], 100 * MS) / 1e9
                one, two = self.pose(name, before), self.pose(name, state)
                cosine = min(1.0, abs(float(one[3:7] @ two[3:7])))
                turn = 2.0 * math.acos(cosine)
                step = float(np.linalg.norm(two[:3] - one[:3]))
                share = max(step / 0.01, turn / 0.05) / seconds
            weak.append(bool(share >= 0.5))
            clear.append(bool(share >= 1.0))
        return weak, clear

    def _held(self, a: str, hand: str) -> Truth | None:
        own = any(s["attribute"] == "held" for s in self.log.registry["slots"])
        by_hand = any(s["attribute"] == "held_object" for s in self.log.registry["slots"])
        if own:
            return self._attribute("held", a, hand)
        if not by_hand:
            return None
        where = self.log.slot(hand, "held_object")
        number = self.names.index(a)
        return [where is not None and bool(v[where][0] == number) for v in self.log.values]

    def _attribute(self, name: str, a: str, b: str) -> Truth | None:
        slots = [s for s in self.log.registry["slots"] if s["attribute"] == name and s["size"] == 1]
        kinds = {s["meaning"] for s in slots} & {"truth", "entity"}
        if not kinds:
            return None
        where = self.log.slot(a, name)
        if where is None:
            return [False] * len(self.log.times)
        if "truth" in kinds:
            return [not b and bool(v[where][0] > 0.5) for v in self.log.values]
        number = self.names.index(b) if b else -1
        return [bool(v[where][0] == number) for v in self.log.values]

    def _dropped(self, a: str, hand: str) -> Truth | None:
        if not any(s["attribute"] == "held" for s in self.log.registry["slots"]):
            return None
        parts, open_from = [], None
        for event in self.log.events:
            said = event["arguments"]
            if event["kind"] != "model" or said.get("object") != a:
                continue
            if event["name"] == "dropped" and open_from is None:
                open_from = event["time"], said.get("hand") or ""
            elif event["name"] == "grasped" and open_from is not None:
                parts.append((*open_from, event["time"]))
                open_from = None
        if open_from is not None:
            parts.append((*open_from, 2**62))
        self._kept["exact", "dropped", a, hand] = [(f, t) for f, h, t in parts if h == hand]
        return [any(h == hand and f <= time < t for f, h, t in parts) for time in self.log.times]

    def exact(self, fluent: str, a: str, b: str) -> list[tuple[int, int]]:
        """The spans of a fluent that begin or end between states [ns]."""
        self.holds(fluent, a, b)
        if fluent == "contact" and {self.kinds[a], self.kinds[b]} != {"static"}:
            weak, clear = self._of_pair(a, b, lambda row, _: (row[2] <= CLEAR, row[2] <= TOUCHING))
            return self.between_states(a, b, spans(weak, clear, 3, 1))
        found: list[tuple[int, int]] = self._kept.get(("exact", fluent, a, b), [])
        return found

    # ------------------------------------------------------------------ bodies that never move

    def _static(self, a: str, b: str, *, touching_only: bool = False) -> Truth | None:
        """Whether one stands on the other by its shapes: boxes and cylinders that stand upright have plain bounds."""
        found = False if a == b else stands(self.bounds(a), self.bounds(b), touching_only)
        return None if found is None else [found] * len(self.log.times)

    def bounds(self, name: str) -> list[tuple[Any, Any, bool]]:
        """Lowest and highest corner in the world of each shape that collides, and whether that is its exact form."""
        shapes = [s for s in self.entities[name]["shapes"] if s.get("collides", True)]
        return [shape_bounds(shape, self.pose(name, 0)) for shape in shapes]


def shape_bounds(shape: Any, body: Any) -> tuple[Any, Any, bool]:
    """Bounds of a shape, and whether it fills them to their top and bottom."""
    size, kind = shape["size"], shape["kind"]
    turned = rotation(body[3:7]) @ rotation(np.array(shape["pose"][3:]))
    centre = body[:3] + rotation(body[3:7]) @ np.array(shape["pose"][:3])
    halves: dict[str, Callable[[], Any]] = {
        "box": lambda: np.array(size) / 2,
        "sphere": lambda: np.full(3, size[0]),
        "cylinder": lambda: np.array([size[0], size[0], size[1] / 2]),
        "capsule": lambda: np.array([size[0], size[0], size[1] / 2 + size[0]]),
        "ellipsoid": lambda: np.array(size),
        "plane": lambda: np.array([size[0] / 2, size[1] / 2, 0.0]),
    }
    half = halves.get(kind)
    if half is None:
        points = np.frombuffer(base64.b64decode(shape["vertices"]), "<f8").reshape(-1, 3)
        corners = [centre + turned @ point for point in points]
        return np.min(corners, axis=0), np.max(corners, axis=0), False
    extent = np.abs(turned) @ half()
    upright = abs(turned[2, 2]) > 1 - 1e-9
    square = np.abs(turned).max(axis=1).min() > 1 - 1e-9
    exact = (kind in ("box", "plane") and square) or (kind == "cylinder" and upright)
    return centre - extent, centre + extent, bool(exact)


def stands(upper: list[Any], lower: list[Any], touching_only: bool) -> bool | None:
    """Whether what is bounded so stands on, or touches, something else; None if that does not follow from bounds."""
    if not upper or not lower:
        return None
    unknown = False
    for low, high, exact in upper:
        for low2, high2, exact2 in lower:
            if (low > high2 + CLEAR).any() or (low2 > high + CLEAR).any():
                continue
            over = (low[:2] < high2[:2]).all() and (low2[:2] < high[:2]).all()
            if exact and exact2 and (touching_only or (over and abs(low[2] - high2[2]) <= CLEAR)):
                return True
            unknown = unknown or not (exact and exact2)
    return None if unknown else False


def rotation(q: Any) -> Any:
    """(3, 3) of a quaternion w x y z."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def velocity(body: Any, at: Any) -> Any:
    """(3,) velocity of a body at a point [m/s]."""
    return body[7:10] + np.cross(body[10:], at - body[:3])


def spans(weak: Truth, clear: Truth, absent: int, need: int) -> Truth:
    """Truths that `need` clear states in a row begin, and `absent` states without even a weak one end."""
    found = [False] * len(weak)
    state = 0
    while state < len(weak):
        if not weak[state]:
            state += 1
            continue
        end = last = state
        while end < len(weak) and end - last <= absent:
            if weak[end]:
                last = end
            end += 1
        run = first = 0
        for i in range(state, last + 1):
            if weak[i]:
                run = run + 1 if clear[i] else 0
                first = i if run == 1 else first
            if run >= need:
                begin = 0 if first <= absent else first
                found[begin : last + 1] = [True] * (last + 1 - begin)
                break
        state = max(last + 1, state + 1)
    return found


def runs(truth: Truth) -> Iterator[tuple[int, int | None]]:
    """First and one past the last state of each time that it is true; None if it has not ended."""
    begin = None
    for state, true in enumerate([*truth, False]):
        if true and begin is None:
            begin = state
        elif not true and begin is not None:
            yield begin, (None if state == len(truth) else state)
            begin = None
