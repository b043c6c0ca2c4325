"""Reads a finished run from its log, for the channels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hetwin_foxglove.channels import Channels
from hetwin_suite.episode import open_episode
from hetwin_suite.viewer import LiveState


class RunReader:
    """Reads the states and events of a run at a given time.

    Args:
        run: folder of the run.

    Raises:
        BadInput: if the folder holds no run, or its log cannot be read.
    """

    def __init__(self, run: Path) -> None:
        self.episode = episode = open_episode(run)
        happened: list[tuple[int, Callable[[Channels], None]]] = [
            *((h.time_ns, lambda to, h=h: to.handover(h)) for h in episode.handovers),
            *((e.time_ns, lambda to, e=e: to.event(e)) for e in episode.events),
            *(
                (n.time_ns, lambda to, n=n: to.note(n.time_ns, n.level, n.source, n.text))
                for n in episode.notes
            ),
        ]
        happened.sort(key=lambda item: item[0])
        self._times = [time_ns for time_ns, _ in happened]
        self._happened = [tell for _, tell in happened]

    def channels(self, context: Any) -> Channels:
        """Return channels for the run."""
        episode = self.episode
        return Channels(context, episode.scenario, episode.models, episode.layout)

    def at(self, time_ns: int) -> LiveState:
        """Return the state at a time, or the last one before it."""
        index = self.episode.index_at(time_ns)
        return LiveState(
            int(self.episode.times[index]),
            self.episode.values[index],
            self.episode.owners[index],
            near=self.episode.near(index),
        )

    def tell(self, after_ns: int, until_ns: int, channels: Channels) -> None:
        """Show the events in (after_ns, until_ns]."""
        first, last = bisect_right(self._times, after_ns), bisect_right(self._times, until_ns)
        for tell in self._happened[first:last]:
            tell(channels)
