"""What lies where it fell from a hand."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.episodes.tables.deriving.book import Book
from hetwin_core.episodes.tables.occasion_list import Stretch

DROPPED = "dropped"


class Drops:
    """Enters ``dropped(object, hand)`` from when an object has fallen until a hand holds it again, as events tell.

    Args:
        layout: of the scene.
        book: to enter them in.

    Attributes:
        known: its name, if a model of the run observes what hands hold.
    """

    def __init__(self, layout: Layout, book: Book) -> None:
        self._book = book
        self._open: dict[str, Stretch] = {}
        held = any(slot.attribute.name == "held" for slot in layout.slots)
        self.known = {DROPPED} if held else set()

    def happen(self, name: str, time_ns: int, arguments: Mapping[str, Json]) -> None:
        """Take in an event of a model."""
        thing, hand = str(arguments.get("object")), str(arguments.get("hand") or "")
        if name == DROPPED and thing not in self._open:
            self._open[thing] = self._book.begin_occasion(DROPPED, thing, hand, time_ns)
        elif name == "grasped" and thing in self._open:
            self._open.pop(thing).to_ns = time_ns
