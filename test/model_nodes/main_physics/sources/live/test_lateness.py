"""How a twin reacts to a lag behind its robot."""

from __future__ import annotations

from typing import Any

import pytest

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scenario.source import LiveSpec
from model_nodes.main_physics.sources.live.report import MAX_BACKLOG_NS, Lateness

MS = 1_000_000
Noted = list[tuple[int, str, dict[str, Any]]]


def lateness(when_late: str) -> tuple[Lateness, Noted]:
    noted: Noted = []
    spec = LiveSpec.model_validate({"live": "robot", "max_lag": 0.5, "when_late": when_late})
    return Lateness(spec, lambda *one: noted.append((one[0], one[1], dict(one[2])))), noted


def test_it_is_late_until_half_of_the_limit_is_made_up() -> None:
    late, noted = lateness("lower_rates")
    lowered = []
    for time_ns, lag in enumerate((499, 501, 400, 251, 249, 499)):
        assert not late.must_skip(time_ns, lag * MS)
        lowered.append(late.lowers_rates)
    assert lowered == [False, True, True, True, False, False]
    assert noted == [(1, "late", {"seconds": 0.501, "then": "lower_rates"}), (4, "caught_up", {})]


def test_motion_is_skipped_as_long_as_the_twin_is_late() -> None:
    late, noted = lateness("skip")
    skips = [late.must_skip(0, lag * MS) for lag in (500, 600, 300, 100)]
    assert skips == [False, True, True, False]
    assert not late.lowers_rates
    assert [name for _, name, _ in noted] == ["late", "caught_up"]


def test_a_twin_that_must_not_be_late_ends() -> None:
    late, noted = lateness("stop")
    assert not late.must_skip(3, 500 * MS)
    with pytest.raises(RunFailed, match=r"0\.600 s behind the robot.*at most 0\.5 s"):
        late.must_skip(4, 600 * MS)
    assert noted == [(4, "late", {"seconds": 0.6, "then": "stop"})]


def test_a_twin_that_would_never_catch_up_ends_whatever_was_asked() -> None:
    late, _ = lateness("lower_rates")
    with pytest.raises(RunFailed, match="behind the robot"):
        late.must_skip(0, MAX_BACKLOG_NS + 1)
