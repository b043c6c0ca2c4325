"""Clocks that are wrong, and messages that pass each other: the motion stays what it was, and what was done is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.odd_recordings import (
    COUNT,
    PERIOD_NS,
    error,
    logged_before_the_clock,
    lost,
    messages,
    opened,
    said,
    written,
)
from support.random_examples import examples
from support.recorded_bags import EPOCH_NS, MS, write_bag

from hetwin_core.ensemble.concern_words import concern_text
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import Stamps
from model_nodes.main_physics.sources.repairs import date_messages

CLOSE = 2e-3
"""As far as linear motion between two samples is from the truth, and more [rad]."""


@pytest.mark.parametrize("late_ms", [13, 70, 300, 495])
def test_a_late_message_is_sorted(tmp_path: Path, late_ms: int) -> None:
    source = written(tmp_path, messages(log=lambda k, t: t + (late_ms * MS if k == 111 else 0)))
    (repairs,) = source.findings
    assert (repairs.arguments["what"], repairs.arguments["count"]) == ("sorted", 1)
    assert error(source) < CLOSE
    assert lost(source) == 0.0


def test_messages_that_pass_each_other_again_and_again_are_sorted(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    late = rng.integers(0, 200 * MS, COUNT)
    late[0] = 0  # run time begins when this message was sent
    source = written(tmp_path, messages(log=lambda k, t: t + int(late[k])))
    assert set(said(source)) == {"sorted"}
    assert error(source) < CLOSE


@pytest.mark.parametrize("late_ms", [550, 900])
def test_a_message_that_is_much_too_late_is_left_out(tmp_path: Path, late_ms: int) -> None:
    source = written(tmp_path, messages(log=lambda k, t: t + (late_ms * MS if k == 100 else 0)))
    assert said(source)["late"].arguments["count"] == 1
    assert lost(source) == pytest.approx(1 / COUNT)
    assert error(source) < CLOSE


def test_a_stamp_ahead_of_its_time_takes_no_others_with_it(tmp_path: Path) -> None:
    source = written(tmp_path, messages(stamp=lambda k, t: t + (900 * MS if k == 100 else 0)))
    assert said(source)["late"].arguments["count"] == 1
    assert lost(source) == pytest.approx(1 / COUNT)
    assert error(source) < CLOSE


@pytest.mark.parametrize("back_ms", [40, 350, 355, 990, 3_600_000])
def test_a_clock_that_is_set_back_is_bridged(tmp_path: Path, back_ms: int) -> None:
    source = written(tmp_path, messages(stamp=lambda k, t: t - (back_ms * MS if k > 120 else 0)))
    repairs = said(source)
    if back_ms < 1000:
        assert set(repairs) == {"set_back"}
        assert repairs["set_back"].from_ns == 120 * PERIOD_NS
        assert repairs["set_back"].arguments["size"] == pytest.approx(back_ms / 1e3, abs=1e-3)
    else:
        assert set(repairs) == {"other_clock"}
    assert lost(source) == 0.0
    assert error(source) < CLOSE


def test_a_clock_that_is_set_back_and_forward_again(tmp_path: Path) -> None:
    source = written(tmp_path, messages(stamp=lambda k, t: t - (350 * MS if 60 < k <= 170 else 0)))
    assert set(said(source)) == {"set_back", "set_forward"}
    assert error(source) < CLOSE


def test_a_clock_that_stands_is_bridged(tmp_path: Path) -> None:
    source = written(
        tmp_path, messages(stamp=lambda k, t: 100 * PERIOD_NS if 100 <= k < 140 else t)
    )
    (repairs,) = source.findings
    assert repairs.arguments["what"] == "stood"
    assert repairs.arguments["size"] == pytest.approx(39 * PERIOD_NS / 1e9)
    assert error(source) < CLOSE


def test_a_clock_that_stands_and_then_goes_on(tmp_path: Path) -> None:
    behind = 40 * PERIOD_NS
    source = written(
        tmp_path, messages(stamp=lambda k, t: t if k < 100 else max(100 * PERIOD_NS, t - behind))
    )
    assert "stood" in said(source)
    assert error(source) < CLOSE


def test_a_message_that_is_repeated_with_its_stamp_is_no_clock_that_stands(tmp_path: Path) -> None:
    made = messages(stamp=lambda k, t: k // 8 * 8 * PERIOD_NS)
    repeated = [
        type(one)(one.topic, one.type, one.time_ns, made[k // 8 * 8].message)
        for k, one in enumerate(made)
    ]
    assert written(tmp_path, repeated).findings == ()


def test_stamps_of_zero_do_not_count(tmp_path: Path) -> None:
    source = written(tmp_path, messages(stamp=lambda k, t: -EPOCH_NS if k < 30 else t))
    assert said(source)["unset"].arguments["count"] == 30
    assert error(source) < CLOSE


@pytest.mark.parametrize("at_ns", [0, 12_300_000_000])
def test_messages_before_the_clock_was_set_are_left_out(tmp_path: Path, at_ns: int) -> None:
    source = written(tmp_path, logged_before_the_clock(messages(), 10, at_ns))
    assert source.duration_ns == (COUNT - 11) * PERIOD_NS
    assert said(source)["before_clock"].arguments["count"] == 10
    assert lost(source) == pytest.approx(10 / COUNT)
    text = concern_text("mended", said(source)["before_clock"].arguments)
    assert "10 of 240 messages on /joint_states were logged by a clock that was not set" in text


@pytest.mark.parametrize("pace", [0.4, 3.0])
def test_stamps_of_a_simulation_in_a_recording_of_wall_time(tmp_path: Path, pace: float) -> None:
    begin = 20 * 10**9 - EPOCH_NS
    bag = write_bag(tmp_path / "bag", messages(stamp=lambda _, t: begin + round(pace * t)))
    source = opened(bag)
    (repairs,) = source.findings
    assert repairs.arguments["what"] == "other_pace"
    assert repairs.arguments["size"] == pytest.approx(pace, rel=1e-3)
    assert "--stamps header or log" in concern_text("mended", repairs.arguments)
    assert error(source) < CLOSE
    simulated = opened(bag, stamps=Stamps.HEADER)
    assert simulated.findings == ()
    assert simulated.start_ns == 20 * 10**9
    assert simulated.duration_ns == pytest.approx(pace * (COUNT - 1) * PERIOD_NS, rel=1e-6)
    assert error(simulated, pace=pace) < CLOSE


def test_the_log_times_are_taken_where_it_is_said(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", messages(stamp=lambda _, t: t - 200 * MS))
    assert error(opened(bag), shift_ns=-200 * MS) < CLOSE
    assert error(opened(bag, stamps=Stamps.LOG)) < CLOSE


def test_stamps_that_say_nothing_cannot_date(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", messages(stamp=lambda k, t: -EPOCH_NS))
    with pytest.raises(BadInput, match="do not increase") as failure:
        opened(bag, stamps=Stamps.HEADER)
    assert failure.value.where == "stamps"


@examples(60)
@given(
    lags=st.lists(st.integers(0, 490 * MS), min_size=2, max_size=60),
    stamps=st.lists(st.integers(0, 3_000 * MS), min_size=60, max_size=60, unique=True),
)
def test_what_is_late_by_less_than_half_a_second_is_never_left_out(
    lags: list[int], stamps: list[int]
) -> None:
    sent = np.sort(np.array(stamps[: len(lags)], np.int64))
    order = np.argsort(sent + lags, kind="stable")
    logged, stamped = (sent + lags)[order], sent[order]
    dated = date_messages("/x", stamped, logged, EPOCH_NS, 10**9, lambda a, b: True)
    assert dated.kept.all()
    if not any(one.kind.value != "sorted" for one in dated.repairs):
        np.testing.assert_array_equal(dated.times_ns, stamped)
