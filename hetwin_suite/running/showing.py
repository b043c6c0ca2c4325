"""Shows a run in the browser while it goes on, and lets it be taken in hand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_suite.running.carry_out import LiveRun, carry_out, ros_run
from hetwin_suite.running.ended import Ended
from hetwin_suite.running.placing import Placing
from hetwin_suite.running.progress import Display
from hetwin_suite.running.request import RunRequest
from hetwin_suite.view.live.doors import LOOPBACK, open_in_browser
from hetwin_suite.view.live.feed import Over
from hetwin_suite.view.live.library import need_websockets
from hetwin_suite.view.live.watched_run import WatchedRun
from hetwin_suite.view.viewers import ViewerAt


@dataclass(frozen=True, slots=True)
class Window:
    """Where a run is shown: on a page, in viewers of installed packages, or both.

    Attributes:
        host: address to listen on.
        port: to listen on; 0 for a free one, None for the usual one, or a free one if that is taken.
        browser: whether to open one, where there is a screen.
        page: whether there is a page.
        viewers: that show it too.
    """

    host: str = LOOPBACK
    port: int | None = None
    browser: bool = True
    page: bool = True
    viewers: Sequence[ViewerAt] = ()


class Showing:
    """A run that is shown.

    Args:
        transport: over which it runs.

    Attributes:
        live: for `carry_out`.
    """

    def __init__(self, transport: str) -> None:
        self.live: LiveRun = WatchedRun() if transport != "ros" else ros_run()

    def ended(self, ended: Ended) -> None:
        """Show how it has ended."""
        summary = ended.summary
        error = summary.get("error")
        text = str(summary["ended"]) if error is None else f"failed: {error['reason']}"
        self.live.end(
            Over(str(summary["ended"]), text, bool(summary["deterministic"]), str(ended.folder))
        )


def carry_out_shown(
    request: RunRequest,
    display: Display,
    placing: Placing,
    window: Window,
    say: Callable[[str], None],
) -> Ended:
    """Run as `carry_out` does, watched, and show it meanwhile.

    Args:
        request, display, placing: see `carry_out`.
        window: where it is shown.
        say: prints the line that says where the page is.

    Raises:
        BadInput: if the page cannot be served; and as `carry_out` does.
    """
    with showing(request.options.transport, window, say, display.line) as shown:
        display.follow(shown.live)
        ended = carry_out(request, display, placing, watched=True, live=shown.live)
        shown.ended(ended)
        return ended


@contextmanager
def showing(
    transport: str, window: Window, say: Callable[[str], None], complain: Callable[[str], None]
) -> Iterator[Showing]:
    """Serve the page of a run as long as this context lasts; who leaves it by an exception says that it failed.

    Args:
        transport: over which it runs.
        window: where.
        say: is called with a line that says where the run is shown.
        complain: is called with a line about who is sent away.

    Raises:
        BadInput: if it cannot be served.
    """
    shown = Showing(transport)
    with ExitStack() as ending:
        if window.page:
            address = _serve_page(shown.live, window, complain, ending)
            say(f"the run is shown at {address}")
        for viewer in window.viewers:
            found = viewer.load().follow(shown.live, shown.live, viewer.port)
            ending.callback(found.close)
            say(f"{found.told} {found.address}")
        try:
            yield shown
        except (HetwinError, Interrupted) as error:
            shown.live.end(Over("failed", str(error)))
            raise


def _serve_page(
    live: LiveRun, window: Window, complain: Callable[[str], None], ending: ExitStack
) -> str:
    """Serve the page, and open it; returns its address."""
    need_websockets("--show")
    from hetwin_suite.view.live.server import LiveServer

    server = LiveServer(live, live, host=window.host, port=window.port, complain=complain)
    ending.callback(server.close)
    if window.browser:
        open_in_browser(server.address)
    return server.address
