"""The robot's clock against this machine's."""

from __future__ import annotations

import numpy as np

from model_nodes.main_physics.sources.live.report import ClockComparison

SECOND = 1_000_000_000


def compared(offset_ns: int, delays_ns: list[int]) -> ClockComparison:
    clocks = ClockComparison()
    for i, delay in enumerate(delays_ns):
        sent = i * SECOND // 100
        clocks.add(sent - offset_ns, sent + delay)
    return clocks


def test_clocks_that_agree_need_no_offset() -> None:
    delays = np.random.default_rng(1).integers(200_000, 60_000_000, 300).tolist()
    clocks = compared(0, delays)
    assert clocks.agree
    assert clocks.offset_ns == 0
    assert clocks.difference_ns == min(delays)


def test_a_clock_behind_is_told_by_the_fastest_message() -> None:
    clocks = compared(3600 * SECOND, [5_000_000, 300_000, 9_000_000])
    assert not clocks.agree
    assert clocks.offset_ns == 3600 * SECOND + 300_000


def test_a_clock_ahead_is_no_lag_below_zero() -> None:
    clocks = compared(-SECOND, [1_000_000] * 5)
    assert clocks.offset_ns == -SECOND + 1_000_000


def test_what_was_long_ago_is_forgotten() -> None:
    clocks = ClockComparison()
    clocks.add(0, 0)
    for i in range(1, 2000):
        clocks.add(i * SECOND // 100, i * SECOND // 100 + 50_000_000)
    assert clocks.difference_ns == 50_000_000


def test_of_a_slow_simulations_clock_only_the_newest_message_counts() -> None:
    clocks = ClockComparison()
    clocks.simulated = True
    for i in range(300):  # half as fast as real time
        clocks.add(i * SECOND // 200, i * SECOND // 100 + 1_000_000)
        assert clocks.offset_ns == i * SECOND // 200 + 1_000_000
    assert clocks.agree  # there is nothing to warn of
