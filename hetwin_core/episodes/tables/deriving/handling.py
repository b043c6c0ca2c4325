"""Picking up and setting down by force dynamics, after Siskind: from supports and attachments alone."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from hetwin_core.episodes.tables.deriving.book import Book
from hetwin_core.episodes.tables.deriving.scene_index import SceneIndex
from hetwin_core.episodes.tables.fluents import BORNE
from hetwin_core.episodes.tables.occasion_list import Stretch

HELD_ON_NS = 100_000_000
"""What is picked up is still attached, and on nothing, so long after it has left its support [ns]."""
SETTLE_NS = 300_000_000
"""What is set down comes to rest at most so long after the hand has let it go [ns]."""


class _Carrier(NamedTuple):
    hand: str
    stretch: Stretch


class Handling:
    """Enters events ``pick_up(object, hand)`` and ``set_down(object, support)``.

    An object is picked up when it leaves what it was on, attached to a hand, and stays so; it is set down when it has
    come to rest on something that it was carried to, and the hand has let it go.

    Args:
        index: of the scene.
        book: with ``borne_by``, ``attached`` and ``held``; to enter them in.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        self._index = index
        self._book = book
        self._seen = 0
        self._supports: dict[str, list[Stretch]] = defaultdict(list)
        self._carriers: dict[str, list[_Carrier]] = defaultdict(list)
        self._leaving: list[Stretch] = []
        self._landing: list[Stretch] = []

    def update(self, now_ns: int) -> None:
        """Judge what has happened until a time, before which all occasions are known."""
        self._look()
        certain_ns = now_ns - HELD_ON_NS
        self._leaving = [s for s in self._leaving if not self._has_left(s, certain_ns)]
        self._landing = [s for s in self._landing if not self._has_landed(s, certain_ns)]

    def _look(self) -> None:
        for stretch in self._book.stretches[self._seen :]:
            if stretch.fluent == BORNE:
                self._supports[stretch.a].append(stretch)
                self._leaving.append(stretch)
                self._landing.append(stretch)
            elif stretch.fluent == "attached":
                hand = self._hand_of(stretch.b)
                self._carriers[stretch.a].append(_Carrier(hand, stretch))
            elif stretch.fluent == "held":
                self._carriers[stretch.a].append(_Carrier(stretch.b, stretch))
        self._seen = len(self._book.stretches)

    def _hand_of(self, link: str) -> str:
        hands = self._index.hands_of.get(self._index.layout.entity_id(link))
        return hands[0] if hands else link

    def _has_left(self, support: Stretch, certain_ns: int) -> bool:
        """Whether a support is over and judged."""
        if support.to_ns is None or support.to_ns > certain_ns:
            return False
        later = support.to_ns + HELD_ON_NS
        carriers = [c for c in self._carriers[support.a] if _covers(c.stretch, later)]
        if carriers and not any(_covers(s, later) for s in self._supports[support.a]):
            what = {"object": support.a, "hand": carriers[-1].hand}
            self._book.happen(support.to_ns, "pick_up", dict(what))
        return True

    def _has_landed(self, support: Stretch, certain_ns: int) -> bool:
        """Whether a support that began is judged, or over before the hand let go."""
        if support.from_ns > certain_ns:
            return False
        brought = [
            carrier.stretch
            for carrier in self._carriers[support.a]
            if carrier.stretch.from_ns < support.from_ns
            and (
                carrier.stretch.to_ns is None
                or carrier.stretch.to_ns >= support.from_ns - SETTLE_NS
            )
        ]
        ends = [stretch.to_ns for stretch in brought if stretch.to_ns is not None]
        if len(ends) < len(brought):
            return support.to_ns is not None
        if ends:
            time_ns = max(support.from_ns, *ends)
            if time_ns > certain_ns:
                return False
            if _covers(support, time_ns):
                what = {"object": support.a, "support": support.b}
                self._book.happen(time_ns, "set_down", dict(what))
        return True


def _covers(stretch: Stretch, time_ns: int) -> bool:
    return stretch.from_ns <= time_ns and (stretch.to_ns is None or stretch.to_ns > time_ns)
