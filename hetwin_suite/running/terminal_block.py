"""The lines that stay on a terminal under the scrolling ones: owners after handovers, and the present activity."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from hetwin_suite.view.live.feed import Begun, Feed, Happening, HappeningKind, Now, Phase
from hetwin_suite.view.palette import model_colours

_MOST = 6
"""Attributes that have a line of their own, those handed over last."""


class Block:
    """The present state of a feed; rendered anew whenever the terminal is drawn.

    Args:
        head: stands above it.
        feed: of the run; None as long as there is none.
    """

    def __init__(self, head: RenderableType, feed: Feed | None = None) -> None:
        self._head = head
        self.feed = feed
        self._seen = 0
        self._moved: dict[str, None] = {}
        self._doing: dict[str, str] = {}
        self._colours: dict[str, str] = {}

    def __rich__(self) -> RenderableType:
        """The lines."""
        feed = self.feed
        begun = None if feed is None else feed.begun
        now = None if feed is None else feed.now()
        if feed is None or begun is None or now is None:
            return self._head
        self._seen, rows = feed.happened(self._seen)
        for row in rows:
            self._take(row)
        return Group(self._head, *self._lines(begun, now))

    def _take(self, row: Happening) -> None:
        if row.kind is HappeningKind.HANDOVER:
            self._moved.pop(row.name, None)
            self._moved[row.name] = None
        elif row.kind is HappeningKind.ACTION:
            key = f"{row.name} {row.entity}"
            self._doing.pop(key, None)
            if row.more.get("phase") == "begin":
                self._doing[key] = f"{row.name.replace('_', ' ')} {row.entity}".strip()

    def _lines(self, begun: Begun, now: Now) -> list[Text]:
        lines = [self._owner(begun, now, name) for name in list(self._moved)[-_MOST:]]
        more = len(self._moved) - len(lines)
        if more > 0:
            lines.append(Text(f"  and {more} more that were handed over", style="dim"))
        said = [*self._doing.values()]
        if now.lag_s is not None:
            said.append(f"{now.lag_s * 1e3:.0f} ms behind the robot")
        if now.phase is Phase.PAUSED:
            said.append("paused")
        return [*lines, Text("  " + ", ".join(said))] if said else lines

    def _owner(self, begun: Begun, now: Now, name: str) -> Text:
        """A line with an attribute and its owner, in the owner's colour."""
        if not self._colours:
            self._colours = dict(model_colours(begun.models))
        entity, _, attribute = name.rpartition(".")
        slot = begun.layout.find(entity, attribute)
        owner = "" if slot is None else begun.models[int(now.owners[slot])].name
        line = Text(f"  {name}: ")
        return line.append(owner, style=f"bold {self._colours.get(owner, 'default')}")
