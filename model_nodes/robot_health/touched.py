"""What links of the robot touch, in any step of the main model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.concern_words import TOUCH_ENDED, TOUCHED
from hetwin_core.ensemble.conductor.reporting.concerns import FROM, TO
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from model_nodes.robot_health.link_touches import LinkTouches
from model_nodes.robot_health.view import View

HOLD_NS = 100_000_000
"""What is interrupted for at most so long is one touch [ns]."""
_WHOLE = {"collision": 1.0, FIDELITY.name: float(Fidelity.HIGH)}
"""Attributes of an object or a link that collides with everything."""


class _Seen(NamedTuple):
    """A pair that touched since the last report: entities, first and last time [ns], and where it was deepest."""

    link: int
    other: int
    first_ns: float
    last_ns: float
    depth: float
    force: float
    x: float
    y: float
    z: float


@dataclass(slots=True)
class Touch:
    """A touch that goes on.

    Attributes:
        link, other: indices of the entities.
        first_ns, last_ns: times of the first and of the last step in which they touched [ns].
        deepest: what is known of the step in which it was deepest.
        hand: to which the link belongs; empty if to none.
    """

    link: int
    other: int
    first_ns: int
    last_ns: int
    deepest: _Seen
    hand: str


class Touched:
    """Raises ``touched`` when a touch begins and ``touch_ended`` when it is over.

    Both have ``link``, ``object`` (any entity), ``depth`` [m], ``force`` [N] (null: unknown), and ``hand`` if the link
    belongs to one; depth and force are those of the step in which it is deepest. ``touch_ended`` has ``from`` and
    ``to`` [s]. What a hand holds is touched by the links that touched it when the hold began.

    Args:
        links: knows which touches of links with static bodies and other links count.
        scene: the entities.

    Attributes:
        open: the touches that go on, by link and what it touches.
    """

    def __init__(self, links: LinkTouches, scene: Layout) -> None:
        self._links = links
        self._names = [entity.name for entity in scene.entities]
        self._is_link = np.array([e.kind is EntityKind.LINK for e in scene.entities], np.bool_)
        self._hands = {
            link: hand.name
            for hand in scene.of_kind(EntityKind.HAND)
            for link in hand_links(scene, hand.name)
        }
        self._ids = {name: i for i, name in enumerate(self._names)}
        switches = [slot for slot in scene.slots if slot.attribute.name in _WHOLE]
        self._switched = [self._ids[slot.entity] for slot in switches]
        self._switches = np.array([slot.offset for slot in switches], np.intp)
        self._whole = np.array([_WHOLE[slot.attribute.name] for slot in switches])
        self._bytes = self._whole.tobytes()
        self.open: dict[tuple[int, int], Touch] = {}

    def watch(self, view: View) -> list[Event]:
        """The touches that have begun or ended, as far as the main model has reported."""
        if view.watch is None:
            return []
        events: list[Event] = []
        counts, known = self._links.counts, set[tuple[int, int]]()
        for row in view.watch.touches.tolist():
            pair = (int(row[0]), int(row[1]))
            known.add(pair)
            if counts(*pair, row[4]):
                events += self._go_on(_Seen(*row))
        for seen in self._inside(view):
            pair = (int(seen.link), int(seen.other))
            if pair not in known and counts(*pair, seen.depth):
                events += self._go_on(seen)
        self._hold(view)
        over = [k for k, t in self.open.items() if view.time_ns - t.last_ns > HOLD_NS]
        for key in over:
            events.append(self._ended(self.open.pop(key)))
        return events

    def _inside(self, view: View) -> Iterator[_Seen]:
        """Links that are inside objects now with which the main model does not let them collide."""
        rows, numbers = view.snapshot.proximity, view.snapshot.values.take(self._switches)
        if not (view.held or numbers.tobytes() != self._bytes) or not len(rows):
            return
        low = zip(self._switched, (numbers < self._whole).tolist(), strict=True)
        passes = {thing for thing, is_low in low if is_low}
        passes |= {self._ids[name] for name in view.held if name in self._ids}
        inside = rows[(rows[:, 2] < 0.0) & self._is_link[rows[:, 1].astype(np.intp)]]
        for row in inside.tolist():
            thing, link, now = int(row[0]), int(row[1]), view.time_ns
            if not passes.isdisjoint((thing, link)):
                yield _Seen(link, thing, now, now, -row[2], np.nan, *row[3:6])

    def _go_on(self, row: _Seen) -> Iterator[Event]:
        key, first_ns, last_ns = (
            (int(row.link), int(row.other)),
            int(row.first_ns),
            int(row.last_ns),
        )
        touch = self.open.get(key)
        if touch is not None and first_ns - touch.last_ns > HOLD_NS:
            yield self._ended(self.open.pop(key))
            touch = None
        if touch is None:
            hand = self._hands.get(key[0], "")
            self.open[key] = touch = Touch(*key, first_ns, last_ns, row, hand)
            yield Event(TOUCHED, first_ns, arguments=self._arguments(touch))
        touch.last_ns = last_ns
        if row.depth > touch.deepest.depth:
            touch.deepest = row

    def _hold(self, view: View) -> None:
        """What a hand holds goes along with it, and need not collide with it."""
        for touch in self.open.values():
            if touch.hand and view.held.get(self._names[touch.other]) == touch.hand:
                touch.last_ns = view.time_ns

    def _ended(self, touch: Touch) -> Event:
        times = {FROM: touch.first_ns / 1e9, TO: touch.last_ns / 1e9}
        return Event(TOUCH_ENDED, touch.last_ns, arguments={**self._arguments(touch), **times})

    def _arguments(self, touch: Touch) -> dict[str, Json]:
        force = touch.deepest.force
        arguments: dict[str, Json] = {
            "link": self._names[touch.link],
            "object": self._names[touch.other],
            "depth": touch.deepest.depth,
            "force": None if force != force else force,
        }
        return arguments | ({"hand": touch.hand} if touch.hand else {})
