"""A run that is held is not taken for one that hangs, however long that lasts."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from support.falling_ball import falling_ball
from support.waiting import wait_until

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_suite.running import watched
from hetwin_suite.running.progress import Display
from hetwin_suite.running.request import RunRequest
from hetwin_suite.view.live.feed import Phase
from hetwin_suite.view.live.hands import Resume
from hetwin_suite.view.live.watched_run import WatchedRun

DEADLINE_S = 2.0
"""For standing still; a call that a busy machine delays is no standing still."""


def test_it_may_be_held_for_longer_than_a_run_may_stand_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = WatchedRun()
    replies: list[str | None] = []
    held_s: list[float] = []

    def let_go() -> None:
        wait_until(lambda: (now := live.now()) and now.phase is Phase.PAUSED, "it is held")
        monkeypatch.setattr(watched, "CONDUCTOR_DEADLINE_S", DEADLINE_S)
        begun = time.monotonic()
        time.sleep(1.5 * DEADLINE_S)
        monkeypatch.setattr(watched, "CONDUCTOR_DEADLINE_S", 60.0)
        held_s.append(time.monotonic() - begun)
        live.do(Resume(), replies.append)

    thread = threading.Thread(target=let_go)
    thread.start()
    options = RunOptions(duration=0.1)
    scenario = falling_ball(tmp_path, "mujoco")
    request = RunRequest(str(scenario), options, tmp_path / "run", hold=True)
    ended = watched.run_watched(request, Display(), live)
    thread.join()
    assert ended.code == 0
    assert replies == [None]
    assert held_s[0] > DEADLINE_S
    assert ended.summary["simulated_time"] == pytest.approx(0.1)
