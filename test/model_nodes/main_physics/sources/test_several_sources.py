"""Recordings of several robots as one source: aligned by their clocks, each robot moved by its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.recorded_bags import MS, Recorded, annotation, joints, write_bag

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import EventKind
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plans import Plans

SECOND = 1_000 * MS


def ramp(begin_ns: int, seconds: float, names: tuple[str, ...], slope: float) -> list[Recorded]:
    """Joint states at 50 Hz whose positions grow from 0 by `slope` per second."""
    steps = range(round(seconds * 50) + 1)
    return [joints(begin_ns + i * 20 * MS, names, [slope * i / 50] * len(names)) for i in steps]


def several(tmp_path: Path, **bags: list[Recorded]) -> Plans:
    sources = {name: open_source(write_bag(tmp_path / name, bag)) for name, bag in bags.items()}
    return Plans(sources)


def test_each_robot_moves_as_its_own_recording_says(tmp_path: Path) -> None:
    bags = {"left": ramp(0, 2.0, ("a", "b"), 1.0), "right": ramp(0, 2.0, ("a",), -2.0)}
    source = several(tmp_path, **bags)
    driven = source.bind(["left::a", "left::b", "left::c", "right::a"], 2_500_000)
    assert driven.tolist() == [True, True, False, True]
    motion = source.motion(SECOND)
    assert motion.positions == pytest.approx([1.0, 1.0, 0.0, -2.0], abs=1e-9)
    assert motion.velocities == pytest.approx([1.0, 1.0, 0.0, -2.0], abs=1e-6)
    source.close()


def test_a_robot_without_a_source_stands_still(tmp_path: Path) -> None:
    source = several(tmp_path, right=ramp(0, 1.0, ("a",), 1.0))
    driven = source.bind(["left::a", "right::a"], 2_500_000)
    assert driven.tolist() == [False, True]
    assert source.motion(SECOND // 2).positions == pytest.approx([0.0, 0.5], abs=1e-9)


def test_recordings_are_aligned_by_their_clocks(tmp_path: Path) -> None:
    source = several(
        tmp_path, left=ramp(0, 2.0, ("a",), 1.0), right=ramp(SECOND // 2, 2.0, ("a",), 1.0)
    )
    source.bind(["left::a", "right::a"], 2_500_000)
    assert source.duration_ns == 5 * SECOND // 2
    assert source.motion(SECOND // 4).positions == pytest.approx([0.25, 0.0], abs=1e-9)
    assert source.motion(SECOND).positions == pytest.approx([1.0, 0.5], abs=1e-9)
    assert not source.ended(2 * SECOND)
    assert source.ended(5 * SECOND // 2)
    assert "robots.right: its recording begins 0.500 s after the first one" in source.notes


def test_recordings_of_different_times_are_refused(tmp_path: Path) -> None:
    late = ramp(10 * SECOND, 1.0, ("a",), 1.0)
    with pytest.raises(BadInput, match=r"begins 9\.000 s after that of left ended") as error:
        several(tmp_path, left=ramp(0, 1.0, ("a",), 1.0), right=late)
    assert error.value.where == "robots.right.source"
    assert "clock_offset" in str(error.value)


def test_a_clock_can_be_corrected(tmp_path: Path) -> None:
    left = open_source(write_bag(tmp_path / "left", ramp(0, 1.0, ("a",), 1.0)))
    late = write_bag(tmp_path / "right", ramp(10 * SECOND, 1.0, ("a",), 1.0))
    source = Plans(
        {"left": left, "right": open_source({"recording": str(late), "clock_offset": -10.0})}
    )
    assert source.duration_ns == SECOND


def test_swapped_recordings_are_an_error_in_words(tmp_path: Path) -> None:
    source = several(tmp_path, left=ramp(0, 1.0, ("r",), 1.0), right=ramp(0, 1.0, ("l",), 1.0))
    with pytest.raises(BadInput, match="the source of another robot: it moves joints of right"):
        source.bind(["left::l", "right::r"], 2_500_000)


def test_events_say_which_robot_and_come_in_order(tmp_path: Path) -> None:
    left = [*ramp(0, 2.0, ("a",), 1.0), annotation(SECOND, "reach", "begin", {"hand": "one"})]
    begin = SECOND // 2
    right = [
        *ramp(begin, 1.0, ("a",), 1.0),
        annotation(begin + 100 * MS, "reach", "begin", {"hand": "two"}),
        annotation(begin + 900 * MS, "reach", "end", {"hand": "two"}),
    ]
    source = several(tmp_path, left=left, right=right)
    events = source.events(2 * SECOND)
    seen = [(e.time_ns // MS, e.arguments["robot"], e.arguments["hand"]) for e in events]
    assert seen == [(600, "right", "two"), (1000, "left", "one"), (1400, "right", "two")]
    assert {e.kind for e in events} == {EventKind.ACTION}
    assert len({e.source for e in events}) == 2


def test_what_cannot_be_read_says_of_which_robot(tmp_path: Path) -> None:
    broken = [
        *ramp(0, 1.0, ("a",), 1.0),
        Recorded("/actions", "hetwin/msg/ActionAnnotation", SECOND, b"1"),
    ]
    source = several(tmp_path, left=ramp(0, 2.0, ("a",), 1.0), right=broken)
    with pytest.raises(RunFailed) as error:
        source.events(2 * SECOND)
    assert error.value.model == "recording of right"


def test_findings_name_joints_of_their_robot(tmp_path: Path) -> None:
    jump = [*ramp(0, 1.0, ("a",), 0.0), *ramp(SECOND + 20 * MS, 1.0, ("a",), 0.0)]
    jump[60] = joints(jump[60].time_ns, ("a",), [3.0])
    source = several(tmp_path, left=ramp(0, 2.0, ("a",), 0.0), right=jump)
    found = [f.arguments["joint"] for f in source.findings if f.name == "jump"]
    assert found
    assert set(found) == {"right::a"}


def test_efforts_of_a_robot_without_them_are_unknown(tmp_path: Path) -> None:
    with_efforts = [joints(i * 20 * MS, ("a",), [0.0], efforts=[4.0]) for i in range(51)]
    source = several(tmp_path, left=with_efforts, right=ramp(0, 1.0, ("a",), 0.0))
    source.bind(["left::a", "right::a"], 2_500_000)
    source.motion(SECOND // 2)
    efforts = source.measured_efforts
    assert efforts[0] == pytest.approx(4.0)
    assert np.isnan(efforts[1])
