"""Viewers of installed packages: they show runs elsewhere than on the page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group

if TYPE_CHECKING:  # they load numpy, which takes its time
    from hetwin_suite.view.live.feed import Feed
    from hetwin_suite.view.live.hands import Hands

VIEWERS = Group(
    "hetwin.viewers", "viewer", "an object or a module with follow and play", installed.VIEWERS
)
_LAST_PORT = 65535


class Shown(Protocol):
    """A run that a viewer shows.

    Attributes:
        told: words before the address, e.g. ``Foxglove and Lichtblick find the run at``.
        address: where they find it.
    """

    told: str
    address: str

    def close(self) -> None:
        """Show the last of it, and let all clients go."""


class Viewer(Protocol):
    """Shows runs: an object, or a module with these functions; both return at once.

    A port of 0 is any free one; one that is taken raises `BadInput`.
    """

    def follow(self, feed: Feed, hands: Hands, port: int) -> Shown:
        """Show a run that goes on, and let it be taken in hand."""

    def play(self, run: Path, port: int) -> Shown:
        """Show a run that is over, by its folder."""


class ViewerAt(NamedTuple):
    """A viewer that is asked for.

    Attributes:
        option: that asks for it.
        name: of the viewer.
        port: to listen on; 0 for a free one.
    """

    option: str
    name: str
    port: int

    def load(self) -> Viewer:
        """Import the viewer.

        Raises:
            BadInput: if there is none of this name, or it cannot be imported.
        """
        found: Viewer = VIEWERS.load(self.name, self.option)
        return found


def viewers_asked(texts: Iterable[str] | None, foxglove: int | None) -> list[ViewerAt]:
    """Return the viewers that ``--viewer`` and ``--foxglove`` ask for.

    Args:
        texts: NAME or NAME=PORT.
        foxglove: the port of the viewer of that name; None if it is not asked for.

    Raises:
        BadInput: if a text names no port.
    """
    last = [] if foxglove is None else [ViewerAt("--foxglove", "foxglove", foxglove)]
    return [*map(_asked, texts or ()), *last]


def _asked(text: str) -> ViewerAt:
    name, _, port = text.partition("=")
    if port and not (port.isdecimal() and int(port) <= _LAST_PORT):
        expected = f"NAME, or NAME=PORT with a port up to {_LAST_PORT}"
        raise BadInput("this is no port", where="--viewer", found=text, expected=expected)
    return ViewerAt("--viewer", name, int(port or 0))
