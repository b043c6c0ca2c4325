"""Occasions and derived events of a run whose motion is known, against the states themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.touching_run import CLOSE, LIFT, LOWERED, OPEN, TouchingRun

from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables

LEEWAY_NS = 300_000_000


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TouchingRun(tmp_path_factory.mktemp("carried") / "run").write()


def _holds(tables: Tables, fluent: str, a: str, b: str, time_ns: int) -> bool:
    spans = [row.span for row in tables.occasions.find(fluent, a, b)]
    return any(span.from_ns <= time_ns < span.to_ns for span in spans)


def _naive(tables: Tables, fluent: str, a: str, b: str) -> tuple[list[int], list[bool]]:
    """What holds in each state, by its rows and attributes alone."""
    times, held = [], []
    number = tables.layout.entity_id
    for row in range(1, tables.poses.row(tables.known_until_ns) + 1):
        scene = tables.poses.snapshot(10_000_000 * row)
        rows = scene.proximity
        pair = rows[(rows[:, 0] == number(a)) & (rows[:, 1] == number(b))]
        touches = len(pair) > 0 and bool(pair[0, 2] <= 1e-4)
        if fluent == "held":
            held.append(bool(scene.get(a, "held")[0] == number(b)))
        else:
            held.append(touches and (fluent == "contact" or bool(pair[0, 8] > 0.7)))
        times.append(scene.time_ns)
    return times, held


@pytest.mark.parametrize(
    ("fluent", "b"),
    [
        *(("contact", b) for b in ("table", "tray", "finger")),
        *(("on", b) for b in ("table", "tray")),
        ("held", "gripper"),
    ],
)
def test_occasions_are_those_of_the_states(carried: Path, fluent: str, b: str) -> None:
    tables = open_tables(carried)
    times, held = _naive(tables, fluent, "box", b)
    changes = np.array(times)[np.flatnonzero(np.diff(held)) + 1]
    assert len(changes) in (1, 2)
    for time_ns, naive in zip(times[:-1], held[:-1], strict=True):
        if np.abs(changes - time_ns).min() > LEEWAY_NS:
            assert _holds(tables, fluent, "box", b, time_ns) is naive, time_ns


def test_a_box_is_picked_up_and_set_down_by_force_dynamics(carried: Path) -> None:
    tables = open_tables(carried)
    (pick_up,) = tables.events.named("pick_up")
    assert pick_up.arguments == {"object": "box", "hand": "gripper"}
    assert pick_up.time_ns == pytest.approx(LIFT * 1e9, abs=LEEWAY_NS)
    (set_down,) = tables.events.named("set_down")
    assert set_down.arguments == {"object": "box", "support": "tray"}
    assert set_down.time_ns == pytest.approx(OPEN * 1e9, abs=LEEWAY_NS)
    assert {event.source for event in (pick_up, set_down)} == {"states"}


def test_contacts_at_the_start_are_no_collisions(carried: Path) -> None:
    collisions = open_tables(carried).events.named("collision")
    told = [(event.arguments["b"], event.time_ns / 1e9) for event in collisions]
    assert [name for name, _ in told] == ["finger", "tray"]
    assert [time for _, time in told] == pytest.approx([CLOSE, LOWERED], abs=0.3)


def test_a_place_is_left_and_another_one_is_come_to(carried: Path) -> None:
    tables = open_tables(carried)
    here, there = tables.occasions.find("loc", "box")
    (left,) = tables.events.named("loc_change")
    assert left.time_ns == here.span.to_ns == pytest.approx(LIFT * 1e9, abs=LEEWAY_NS)
    assert there.span.from_ns == pytest.approx(OPEN * 1e9, abs=LEEWAY_NS)
    assert not there.ended
    (moving,) = tables.occasions.find("moving", "box")
    assert moving.span.from_ns == pytest.approx(LIFT * 1e9, abs=LEEWAY_NS)
    assert moving.span.to_ns == pytest.approx(LOWERED * 1e9, abs=LEEWAY_NS)
    (attached,) = tables.occasions.find("attached", "box", "finger")
    assert LIFT * 1e9 <= attached.span.from_ns <= LIFT * 1e9 + LEEWAY_NS
    assert attached.span.to_ns == pytest.approx(OPEN * 1e9, abs=LEEWAY_NS)


def test_what_falls_is_neither_picked_up_nor_set_down(tmp_path: Path) -> None:
    tables = open_tables(TouchingRun(tmp_path / "run", falls_s=4.5).write())
    assert [event.arguments["object"] for event in tables.events.named("pick_up")] == ["box"]
    (on,) = tables.occasions.find("on", "box", "tray")
    assert on.ended
    assert on.span.to_ns == pytest.approx(4.5e9, abs=LEEWAY_NS)
    assert tables.events.named("loc_change")[-1].time_ns == pytest.approx(4.5e9, abs=LEEWAY_NS)


def test_a_symmetric_fluent_is_found_in_either_order(carried: Path) -> None:
    occasions = open_tables(carried).occasions
    assert occasions.find("contact", "table", "box") == occasions.find("contact", "box", "table")
    assert len(occasions.find("contact", None, "box")) == 3
    assert occasions.find("on", "table", "box") == []


def test_poses_of_a_span_are_those_of_its_states(carried: Path) -> None:
    tables = open_tables(carried)
    span = Interval(0, tables.known_until_ns + 1)
    whole = [times for times, _ in tables.poses.states(span)]
    times, poses = tables.poses.during("box", span)
    np.testing.assert_array_equal(np.concatenate(whole), times)
    assert poses[-1][0] == pytest.approx(0.5)
    assert tables.poses.at("arm", 0)[1][0] == 0.0


def test_a_value_that_was_returned_is_no_part_of_the_log(carried: Path) -> None:
    poses = open_tables(carried).poses
    for _ in range(2):
        _, held = poses.value("box", "held", 2_000_000_000)
        assert held.tolist() == [3.0]
        held[:] = 7.0
