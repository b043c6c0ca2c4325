"""The fixed lines of a terminal below the scrolling ones: owners of handed-over attributes, and current actions."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from hetwin_suite.view.live.feed import Feed, Happening, HappeningKind, LiveState, Phase, RunFacts
from hetwin_suite.view.palette import model_colours

_MAX_LINES = 6
"""Maximum number of attributes with a line; the last handed-over ones are shown."""


class Block:
    """Renders the current state of a feed each time that the terminal is refreshed.

    Args:
        head: renderable above the block.
        feed: feed of the run; None: not yet known.
    """

    def __init__(self, head: RenderableType, feed: Feed | None = None) -> None:
        self._head = head
        self.feed = feed
        self._seen = 0
        self._handed_over: dict[str, None] = {}
        self._actions: dict[str, str] = {}
        self._colours: dict[str, str] = {}

    def __rich__(self) -> RenderableType:
        """Return the head and the block's lines; called by rich at each refresh."""
        feed = self.feed
        start = None if feed is None else feed.begun
        now = None if feed is None else feed.now()
        if feed is None or start is None or now is None:
            return self._head
        self._seen, rows = feed.happened(self._seen)
        for row in rows:
            self._apply(row)
        return Group(self._head, *self._lines(start, now))

    def _apply(self, row: Happening) -> None:
        if row.kind is HappeningKind.HANDOVER:
            self._handed_over.pop(row.name, None)
            self._handed_over[row.name] = None
        elif row.kind is HappeningKind.ACTION:
            key = f"{row.name} {row.entity}"
            self._actions.pop(key, None)
            if row.more.get("phase") == "begin":
                self._actions[key] = f"{row.name.replace('_', ' ')} {row.entity}".strip()

    def _lines(self, start: RunFacts, now: LiveState) -> list[Text]:
        lines = [self._owner(start, now, name) for name in list(self._handed_over)[-_MAX_LINES:]]
        more = len(self._handed_over) - len(lines)
        if more > 0:
            lines.append(Text(f"  and {more} more that were handed over", style="dim"))
        states = [*self._actions.values()]
        if now.lag_s is not None:
            states.append(f"{now.lag_s * 1e3:.0f} ms behind the robot")
        if now.phase is Phase.PAUSED:
            states.append("paused")
        return [*lines, Text("  " + ", ".join(states))] if states else lines

    def _owner(self, start: RunFacts, now: LiveState, name: str) -> Text:
        """Return a line with an attribute and its owner, in the owner's colour."""
        if not self._colours:
            self._colours = dict(model_colours(start.models))
        entity, _, attribute = name.rpartition(".")
        slot = start.layout.find(entity, attribute)
        owner = "" if slot is None else start.models[int(now.owners[slot])].name
        line = Text(f"  {name}: ")
        return line.append(owner, style=f"bold {self._colours.get(owner, 'default')}")
