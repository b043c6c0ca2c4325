"""What a page is told beside states: for how long nothing has come of a live robot."""

from __future__ import annotations

import asyncio
import struct

import numpy as np
import pytest

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite.view.live.feed import LiveState, Phase, RunFacts
from hetwin_suite.view.live.visit import MessageEncoder
from hetwin_suite.view.live.watched_run import WatchedRun

visits = pytest.importorskip("hetwin_suite.view.live.visit")

LAYOUT = Layout.build([Entity("ball", EntityKind.OBJECT)], [("ball", POSE)])
BEGUN = RunFacts("falling", LAYOUT, (), {})


def now(time_ns: int, lag_s: float | None) -> LiveState:
    """A state of a run whose robot is live if it has a lag."""
    values, owners = np.zeros(LAYOUT.size), np.zeros(1, np.int32)
    return LiveState(time_ns, values, owners, Phase.RUNNING, lag_s=lag_s)


@pytest.mark.parametrize(
    ("lag_s", "later_ns", "silent"), [(0.01, 1, 0.8), (None, 1, None), (0.01, 2, None)]
)
def test_gaps_are_those_of_live_robots(
    lag_s: float | None, later_ns: int, silent: float | None
) -> None:
    news = visits.Messages(WatchedRun())
    news._silence(now(1, lag_s), 10.0)
    assert news._silence(now(later_ns, lag_s), 10.8) == silent


def test_a_state_says_what_is_known() -> None:
    frames = MessageEncoder(BEGUN)
    message = frames.state(now(500_000_000, 0.01), 0.8)
    kind, phase, time, factor, lag, pace, silent = struct.unpack_from("<II5d", message)
    assert (kind, phase, time, lag, silent) == (1, 2, 0.5, 0.01, 0.8)
    assert np.isnan([factor, pace]).all()
    assert len(message) == 8 + 5 * 8 + 7 * 4 + 2


def test_states_are_made_once_for_all_pages() -> None:
    class Counting(WatchedRun):
        looks = 0

        def now(self) -> LiveState:
            self.looks += 1
            return now(self.looks, None)

    async def look() -> int:
        run = Counting()
        news, frames = visits.Messages(run), MessageEncoder(BEGUN)
        assert news.state(frames) == news.state(frames)
        news.state(frames, last=True)
        return run.looks

    assert asyncio.run(look()) == 2
