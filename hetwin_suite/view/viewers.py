"""Viewers of installed packages, which show runs in other applications than the page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group

if TYPE_CHECKING:  # these import numpy, which is slow
    from hetwin_suite.view.live.feed import Feed
    from hetwin_suite.view.live.hands import RunControls

VIEWERS = Group(
    "hetwin.viewers", "viewer", "an object or a module with follow and play", installed.VIEWERS
)
_LAST_PORT = 65535


class ShownRun(Protocol):
    """A run shown by a viewer.

    Attributes:
        told: text before the address, e.g. ``Foxglove and Lichtblick find the run at``.
        address: address of the run for the viewer's application.
    """

    told: str
    address: str

    def close(self) -> None:
        """Show the last state, and disconnect all clients."""


class Viewer(Protocol):
    """Shows runs: an object, or a module with these functions; both functions return immediately.

    Port 0 is any free port; a port that is in use raises `BadInput`.
    """

    def follow(self, feed: Feed, hands: RunControls, port: int) -> ShownRun:
        """Show a live run, and let the user control it."""

    def play(self, run: Path, port: int) -> ShownRun:
        """Show the finished run in a folder."""


class RequestedViewer(NamedTuple):
    """A requested viewer.

    Attributes:
        option: command-line option that requested it.
        name: name of the viewer.
        port: port to listen on; 0: a free one.
    """

    option: str
    name: str
    port: int

    def load(self) -> Viewer:
        """Import the viewer.

        Raises:
            BadInput: if there is no viewer of this name, or it cannot be imported.
        """
        found: Viewer = VIEWERS.load(self.name, self.option)
        return found


def requested_viewers(texts: Iterable[str] | None, foxglove: int | None) -> list[RequestedViewer]:
    """Return the viewers requested by ``--viewer`` and ``--foxglove``.

    Args:
        texts: values of ``--viewer``: NAME or NAME=PORT.
        foxglove: value of ``--foxglove``, a port; None without the option.

    Raises:
        BadInput: if a port is invalid.
    """
    last = [] if foxglove is None else [RequestedViewer("--foxglove", "foxglove", foxglove)]
    return [*map(_parsed, texts or ()), *last]


def _parsed(text: str) -> RequestedViewer:
    name, _, port = text.partition("=")
    if port and not (port.isdecimal() and int(port) <= _LAST_PORT):
        expected = f"NAME, or NAME=PORT with a port up to {_LAST_PORT}"
        raise BadInput("this is not a port", where="--viewer", found=text, expected=expected)
    return RequestedViewer("--viewer", name, int(port or 0))
