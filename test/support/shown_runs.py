"""Small runs in a thread, held before their first step, with both sides of what shows them in this process."""

from __future__ import annotations

import threading
from typing import Any

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite.view.live.feed import LiveState, Phase
from hetwin_suite.view.live.hands import Control
from hetwin_suite.view.live.watched_run import RunReporter, WatchedRun
from support.small_ensemble import HEADER, scenario
from support.waiting import wait_until

WATCHED = f"""{HEADER}  watcher: {{type: "support.small_ensemble:Watcher"}}
"""


class ShownRun:
    """A run in a thread that is held before its first step.

    Args:
        of: a scenario, or the text of a small one.

    Attributes:
        live: what a page sees of it.
        conductor: of the run.
        summary: None until it is over.
    """

    def __init__(self, of: Scenario | str = WATCHED) -> None:
        read = scenario(of) if isinstance(of, str) else of
        self.live = WatchedRun()
        shown = RunReporter(self.live, self.live.take)
        self.conductor = session(read, listeners=[shown], idle=shown.idle)
        shown.attach(self.conductor)
        self.conductor.pause()
        self.summary: Any = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        wait_until(lambda: self.phase is Phase.PAUSED, "the run is held")

    def _run(self) -> None:
        self.summary = self.conductor.run()

    @property
    def phase(self) -> Phase | None:
        """What a page would show."""
        now = self.live.now()
        return None if now is None else now.phase

    def now(self) -> LiveState:
        """The newest state."""
        now = self.live.now()
        assert now is not None
        return now

    def ask(self, deed: Control) -> str | None:
        """Do something and wait for the reply."""
        replies: list[str | None] = []
        self.live.do(deed, replies.append)
        wait_until(lambda: bool(replies), "a reply")
        return replies[0]

    def end(self) -> Any:
        """Let it go on to its end; returns the summary."""
        self.conductor.resume()
        self._thread.join(30)
        return self.summary
