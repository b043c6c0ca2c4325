"""Where bodies are in two runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compared import side, stepped
from support.made_tables import MadeTables, ns

from hetwin_compare.comparison import Side
from hetwin_compare.motion import Motion, compare_motion
from hetwin_core.episodes.tables.rows import Interval

ALL = Interval(0, ns(10.0) + 1)
PARTS = (0.006, 0.0, 0.0)
"""A move [m] by which bodies are apart."""


def moved(*steps: tuple[float, tuple[float, float, float]], name: str = "box") -> Side:
    made = MadeTables()
    made.paths[name] = stepped(made, *steps)
    return side(made)


def test_a_run_and_itself_are_nowhere_apart() -> None:
    run = moved((3.0, PARTS))
    found = compare_motion(run, run, ALL)
    assert found.parting is None
    assert set(found.objects.values()) == {(None, 0.0, 0.0)}
    assert set(found.objects) == {"tray", "box", "cup1", "cup2"}


def test_an_object_that_moves_in_one_run_parts_there() -> None:
    found = compare_motion(moved(), moved((3.0, PARTS), (4.0, PARTS), (5.0, (-0.01, 0, 0))), ALL)
    assert found.parting is not None
    assert (found.parting.time_ns, found.parting.entities) == (ns(3.0), ("box",))
    assert found.parting.here == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert found.parting.there == pytest.approx([0.006, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert found.objects["box"] == pytest.approx((ns(3.0), 0.012, 0.002))


def test_less_than_the_tolerance_is_no_parting() -> None:
    found = compare_motion(moved(), moved((3.0, (0.004, 0.0, 0.0))), ALL)
    assert found.parting is None
    assert found.objects["box"] == pytest.approx((None, 0.004, 0.004))


def test_what_differs_at_the_start_is_off_but_parts_only_when_it_moves() -> None:
    found = compare_motion(moved(), moved((0.0, (0.1, 0.0, 0.0)), (6.0, PARTS)), ALL)
    assert found.objects["box"].first_ns == 0
    assert found.parted == {"box": ns(6.0)}


def test_turning_is_parting_too() -> None:
    turned = moved()
    poses = turned.tables.poses
    begin = turned.layout.range_of("cup1", "pose").start
    values = poses.values  # type: ignore[attr-defined]
    values[250:, begin + 3 : begin + 7] = [np.cos(0.05), 0.0, np.sin(0.05), 0.0]
    found = compare_motion(moved(), turned, ALL)
    assert found.parted == {"cup1": ns(2.5)}
    assert found.objects["cup1"] == (ns(2.5), 0.0, 0.0)


def test_what_parts_together_is_named_together_and_fingers_are_left_out() -> None:
    made = MadeTables()
    made.paths["box"] = stepped(made, (3.05, PARTS))
    made.paths["palm"] = stepped(made, (3.0, PARTS))
    made.paths["fingertip"] = stepped(made, (1.0, PARTS))
    made.paths["cup2"] = stepped(made, (3.5, PARTS))
    found = compare_motion(side(), side(made), ALL)
    assert found.parting is not None
    assert found.parting.entities == ("arm", "box")
    assert found.parted == {"arm": ns(3.0), "box": ns(3.05), "cup2": ns(3.5)}


def test_an_object_of_one_run_alone_is_compared_with_one_at_rest() -> None:
    made = MadeTables()
    settles = stepped(made, (0.1, (0.0, 0.0, -0.02)))
    assert compare_motion(side(), side(made, can=settles), ALL).parting is None
    pushed = stepped(made, (0.1, (0.0, 0.0, -0.02)), (7.0, PARTS))
    found = compare_motion(side(made, can=pushed), side(), ALL)
    assert found.parting is not None
    assert (found.parting.time_ns, found.parting.entities) == (ns(7.0), ("can",))
    assert found.parting.there is None
    assert "can" not in found.objects


def test_runs_longer_than_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hetwin_compare.motion._WINDOW_NS", ns(0.7))
    monkeypatch.setattr("hetwin_compare.motion._MARGIN_NS", ns(0.05))
    found = compare_motion(moved(), moved((3.0, PARTS), (8.0, PARTS)), ALL)
    assert found.parted == {"box": ns(3.0)}
    assert found.objects["box"] == pytest.approx((ns(3.0), 0.012, 0.012))


@settings(max_examples=8, deadline=None)
@given(st.integers(10, 130), st.floats(0.05, 3.0), st.floats(1.0, 8.0))
def test_runs_of_other_rates_are_compared_by_time(rate: int, speed: float, at: float) -> None:
    """A box that moves evenly from a time on, in states at another rate, is where it is in the other run."""

    def run(states: int, begin: float) -> Side:
        made = MadeTables(rate=states)
        times = np.array(made.times) / 1e9
        made.paths["box"] = np.outer(np.maximum(0.0, times - begin), [speed, 0.0, 0.0])
        return side(made)

    corner = speed / min(rate, 100)  # the path is cut by this at most, where the motion begins
    same = compare_motion(run(100, at), run(rate, at), ALL)
    assert (same.parting is None) == (same.objects["box"].first_ns is None)
    assert same.objects["box"].most <= corner / 4 + 1e-6
    later = compare_motion(run(100, at), run(rate, at + 1.0), ALL)
    assert _apart_at(later) == pytest.approx(at + 0.005 / speed, abs=0.02 + 1.0 / rate)


def _apart_at(found: Motion) -> float:
    assert found.parting is not None
    return found.parting.time_ns / 1e9
