"""The benchmark of robot_health: three of its changes are named, and what is said of a change is judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from health_changes import (
    Change,
    Draw,
    Healthy,
    base_in_table,
    draw_changes,
    effort_pulse,
    starts_inside,
    two_publishers,
    wall_in_the_way,
)
from health_recording import read_recording, write_recording
from support.plugins import benchmark

from hetwin_core.ensemble.resources import resource

bench = benchmark("robot_health", "hetwin_bauer2022")


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    return bench.healthy_base(tmp_path_factory.mktemp("base"))


@pytest.mark.parametrize(
    "draw",
    [
        wall_in_the_way,
        *(
            pytest.param(d, marks=pytest.mark.long)
            for d in (base_in_table, starts_inside, effort_pulse)
        ),
    ],
)
def test_a_change_is_named_in_time_and_not_called_fine(
    draw: Draw, healthy: Healthy, tmp_path: Path
) -> None:
    row = bench.judge_change(draw(healthy, np.random.default_rng(7)), tmp_path / "change")
    assert row.right, (row.expected, row.at, row.verdict, row.said)


def test_all_kinds_are_drawn_in_turn_and_do_not_depend_on_their_number(healthy: Healthy) -> None:
    seven, eight = draw_changes(healthy, 7, 3), draw_changes(healthy, 8, 3)
    assert len({change.kind for change in seven}) == 7
    assert [(c.kind, c.at) for c in eight[:7]] == [(c.kind, c.at) for c in seven]


def test_a_recording_is_written_as_it_was_read(tmp_path: Path) -> None:
    recording = read_recording(resource("scenarios", "episodes", "pick_and_place"))
    again = read_recording(write_recording(recording, tmp_path / "copy"))
    assert again.joints == recording.joints
    for before, after in zip(recording.series, again.series, strict=True):
        assert np.array_equal(before.times_ns, after.times_ns)
        assert np.array_equal(before.positions, after.positions)
        assert np.array_equal(before.efforts, after.efforts)
    assert [raw for _, raw in again.annotations] == [raw for _, raw in recording.annotations]


def test_a_second_publisher_adds_its_messages(healthy: Healthy) -> None:
    changed = two_publishers(healthy, np.random.default_rng(1)).recording
    assert changed is not None
    assert len(changed.series) == len(healthy.recording.series) + 1


@pytest.mark.parametrize(
    ("concern", "right"),
    [
        ({"name": "jump", "arguments": {"joint": "elbow"}, "from": 1.1}, True),
        ({"name": "jump", "arguments": {"joint": "wrist"}, "from": 1.1}, True),
        ({"name": "jump", "arguments": {"joint": "elbow"}, "from": 1.3}, False),
        ({"name": "jump", "arguments": {"joint": "finger"}, "from": 1.1}, False),
        ({"name": "gap", "arguments": {"joint": "elbow"}, "from": 1.1}, False),
    ],
)
def test_kind_joint_and_time_must_be_right(concern: dict[str, object], right: bool) -> None:
    change = Change("jump", ("jump",), {"joint": ["elbow", "wrist"]}, 1.0)
    assert change.is_said_by(concern, 0.2) is right
