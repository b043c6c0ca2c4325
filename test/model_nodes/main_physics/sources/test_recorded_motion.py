"""What a recording says about the joints comes out as it went in."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from support.recorded_bags import MS, Recorded, joints, sine, storage_file, write_bag

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan

PERIOD_NS = 2_500_000


def positions_at(source: Plan, names: tuple[str, ...], times_ns: list[int]) -> Floats:
    """(times, joints) positions."""
    assert source.bind(names, PERIOD_NS).all()
    return np.array([source.motion(t).positions for t in times_ns])


def recorded_positions(messages: list[Recorded], names: tuple[str, ...]) -> Floats:
    """(messages, joints) as they were written, each message with all the joints."""
    rows = [dict(zip(m.message.name, m.message.position, strict=True)) for m in messages]
    return np.array([[row[name] for name in names] for row in rows])


@pytest.mark.parametrize("storage", list(StoragePlugin))
@pytest.mark.parametrize("single_file", [False, True])
def test_samples_come_out_exactly(
    tmp_path: Path, storage: StoragePlugin, single_file: bool
) -> None:
    messages = sine()
    folder = write_bag(tmp_path / "bag", messages, storage=storage)
    source = open_source(storage_file(folder) if single_file else folder)
    found = positions_at(source, ("b", "a"), [m.time_ns for m in messages])
    np.testing.assert_array_equal(found, recorded_positions(messages, ("b", "a")))
    assert source.duration_ns == messages[-1].time_ns
    assert source.notes == []


@pytest.mark.parametrize(
    ("storage", "compression"),
    [
        (StoragePlugin.MCAP, CompressionMode.STORAGE),
        (StoragePlugin.MCAP, CompressionMode.FILE),
        (StoragePlugin.SQLITE3, CompressionMode.FILE),
        (StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
    ],
)
def test_compressed_recordings(
    tmp_path: Path, storage: StoragePlugin, compression: CompressionMode
) -> None:
    messages = sine()
    folder = write_bag(tmp_path / "bag", messages, storage=storage, compression=compression)
    found = positions_at(open_source(folder), ("a", "b"), [m.time_ns for m in messages])
    np.testing.assert_array_equal(found, recorded_positions(messages, ("a", "b")))


def test_joint_order_may_change_with_every_message(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    orders = itertools.cycle(itertools.permutations(names))
    messages = []
    for k in range(60):
        order = next(orders)
        values = [np.sin(0.1 * k + names.index(name)) for name in order]
        messages.append(joints(k * 10 * MS, order, values, efforts=[10 * v for v in values]))
    source = open_source(write_bag(tmp_path / "bag", messages))
    expected = recorded_positions(messages, names)
    times = [m.time_ns for m in messages]
    np.testing.assert_array_equal(positions_at(source, names, times), expected)
    source.bind(names, PERIOD_NS)
    efforts = [source.motion(t).efforts for t in times]
    np.testing.assert_array_equal(efforts, 10 * expected)


@pytest.mark.parametrize("finger_topic", ["/joint_states", "/hand/joint_states"])
def test_publishers_interleave(tmp_path: Path, finger_topic: str) -> None:
    arm = [joints(k * 10 * MS, ("a", "b"), (0.01 * k, -0.02 * k)) for k in range(100)]
    finger = [
        joints(k * 37 * MS + 3 * MS, ("finger",), (0.001 * k,), topic=finger_topic)
        for k in range(25)
    ]
    messages = sorted([*arm, *finger], key=lambda m: m.time_ns)
    folder = write_bag(tmp_path / "bag", messages)
    topics = sorted({"/joint_states", finger_topic})
    source = open_source({"recording": str(folder), "joint_states": topics})
    assert source.joint_names == ("a", "b", "finger")
    found = positions_at(source, ("finger",), [m.time_ns for m in finger])
    np.testing.assert_array_equal(found, recorded_positions(finger, ("finger",)))
    found = positions_at(source, ("b", "a"), [m.time_ns for m in arm])
    np.testing.assert_array_equal(found, recorded_positions(arm, ("b", "a")))


def test_joints_come_and_go(tmp_path: Path) -> None:
    """A joint that a message lacks goes through its own samples only."""
    messages = []
    for k in range(40):
        values = {"a": 0.1 * k, "b": -0.1 * k, "c": 0.2 * k}
        if k % 3 == 1:
            del values["b"]
        if k < 20:
            del values["c"]
        messages.append(joints(k * 10 * MS, list(values), list(values.values())))
    source = open_source(write_bag(tmp_path / "bag", messages))
    for name in ("a", "b", "c"):
        with_it = [m for m in messages if name in m.message.name]
        found = positions_at(source, (name,), [m.time_ns for m in with_it])
        np.testing.assert_array_equal(found, recorded_positions(with_it, (name,)))


def test_joints_that_only_one_side_knows(tmp_path: Path) -> None:
    source = open_source(write_bag(tmp_path / "bag", sine()))
    driven = source.bind(("x", "b"), PERIOD_NS)
    assert driven.tolist() == [False, True]
    motion = source.motion(0)
    assert motion.positions.tolist() == [0.0, 2.0]
    assert motion.velocities[0] == motion.accelerations[0] == 0.0
    assert np.isnan(motion.efforts).all()
    assert [note.split(":")[1].strip() for note in source.notes] == ["a", "x"]
    with pytest.raises(BadInput, match=r"found 'a, b'; expected some of x, y"):
        source.bind(("x", "y"), PERIOD_NS)


def test_joints_can_be_renamed_and_swapped(tmp_path: Path) -> None:
    folder = write_bag(tmp_path / "bag", sine())
    swapped = open_source({"recording": str(folder), "joints": {"a": "b", "b": "a"}})
    plain = open_source(folder)
    times = [k * PERIOD_NS for k in range(300)]
    np.testing.assert_array_equal(
        positions_at(swapped, ("a", "b"), times), positions_at(plain, ("b", "a"), times)
    )


def test_efforts_hold_from_sample_to_sample(tmp_path: Path) -> None:
    messages = [
        joints(10 * MS, ("a",), (0.0,), efforts=(1.0,)),
        joints(20 * MS, ("a",), (0.0,), efforts=(2.0,)),
        joints(30 * MS, ("a",), (0.0,)),
        joints(40 * MS, ("a",), (0.0,), efforts=(4.0,)),
    ]
    source = open_source(write_bag(tmp_path / "bag", messages))
    source.bind(("a",), 5 * MS)
    efforts = [source.motion(t * 5 * MS).efforts[0] for t in range(8)]
    np.testing.assert_array_equal(efforts, [1.0, 1.0, 2.0, 2.0, np.nan, np.nan, 4.0, 4.0])


def test_stamps_of_another_clock_are_not_used(tmp_path: Path) -> None:
    near = [
        joints(k * 20 * MS, ("a",), (0.1 * k,), stamp_ns=k * 20 * MS + 7 * MS) for k in range(9)
    ]
    source = open_source(write_bag(tmp_path / "near", near))
    assert positions_at(source, ("a",), [87 * MS])[0, 0] == near[4].message.position[0]
    assert source.notes == []

    far = [joints(m.time_ns, ("a",), m.message.position, stamp_ns=5 * 10**9) for m in near]
    source = open_source(write_bag(tmp_path / "far", far))
    assert positions_at(source, ("a",), [80 * MS])[0, 0] == far[4].message.position[0]
    (mended,) = source.findings
    assert mended.arguments["what"] == "other_clock"
    assert (mended.arguments["count"], mended.arguments["of"]) == (9, 9)


def test_run_time_begins_with_the_first_message(tmp_path: Path) -> None:
    """Whenever it was recorded, the motion is the same."""
    sooner, later = sine(), sine()
    shift = 12_345 * 10**9
    later = [joints(m.time_ns + shift, m.message.name, m.message.position) for m in sooner]
    times = [k * PERIOD_NS for k in range(900)]
    one = positions_at(open_source(write_bag(tmp_path / "one", sooner)), ("a", "b"), times)
    two = positions_at(open_source(write_bag(tmp_path / "two", later)), ("a", "b"), times)
    np.testing.assert_array_equal(one, two)


def test_of_equal_stamps_the_last_counts(tmp_path: Path) -> None:
    messages = [
        joints(0, ("a",), (0.0,)),
        joints(10 * MS, ("a",), (0.5,), stamp_ns=10 * MS),
        joints(12 * MS, ("a",), (1.0,), stamp_ns=10 * MS),
        joints(20 * MS, ("a",), (2.0,)),
    ]
    source = open_source(write_bag(tmp_path / "bag", messages))
    assert positions_at(source, ("a",), [10 * MS])[0, 0] == 1.0


def test_rest_before_and_after(tmp_path: Path) -> None:
    """A topic that begins later and ends earlier than the recording."""
    messages = [joints((k + 20) * 10 * MS, ("a",), (1.0 + k,)) for k in range(5)]
    other = [joints(t, ("b",), (0.0,), topic="/other") for t in (0, 900 * MS)]
    folder = write_bag(tmp_path / "bag", [other[0], *messages, other[1]])
    source = open_source(folder)
    source.bind(("a",), 10 * MS)
    motions = [source.motion(k * 10 * MS) for k in range(91)]
    found = np.array([m.positions[0] for m in motions])
    assert (found[:21] == 1.0).all()
    assert (found[24:] == 5.0).all()
    for k in (*range(20), *range(25, 91)):
        assert motions[k].velocities[0] == motions[k].accelerations[0] == 0.0
    assert not source.ended(899 * MS)
    assert source.ended(900 * MS)


def test_times_off_the_period_give_the_same_motion(tmp_path: Path) -> None:
    """Which times are asked along with a time does not change a bit of it."""
    folder = write_bag(tmp_path / "bag", sine())
    steady, wild = open_source(folder), open_source(folder)
    steady.bind(("a", "b"), PERIOD_NS)
    wild.bind(("a", "b"), 777_777)
    for k in range(800):
        one = steady.motion(k * PERIOD_NS)
        wild.motion(k * PERIOD_NS - 1)
        two = wild.motion(k * PERIOD_NS)
        for name in ("positions", "velocities", "accelerations", "efforts"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("count", [1, 3, 4])
def test_motion_at_several_times_is_that_at_each(tmp_path: Path, count: int) -> None:
    folder = write_bag(tmp_path / "bag", sine())
    one, several = open_source(folder), open_source(folder)
    for source in (one, several):
        source.bind(("b", "a"), PERIOD_NS)
        source.motion(0)
    times = [i * PERIOD_NS for i in range(1, 12 * count + 1)]
    times += [times[-1] + 700_001 + i * PERIOD_NS for i in range(count)]  # off the period
    for first in range(0, len(times), count):
        group = times[first : first + count]
        found = several.motions(group)
        assert found is not None
        assert len(found) == count
        for time_ns, motion in zip(group, found, strict=True):
            np.testing.assert_array_equal(np.array(motion), np.array(one.motion(time_ns)))
    assert repr(one.save()) == repr(several.save())


def test_a_recording_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    folder, messages = tmp_path / "bag", sine()
    times = [m.time_ns for m in messages]
    write_bag(folder, messages)
    first, again = (positions_at(open_source(folder), ("a", "b"), times) for _ in range(2))
    np.testing.assert_array_equal(again, first)
    shutil.rmtree(folder)
    others = [joints(t, ("a", "b"), (0.1 * i, -0.1 * i)) for i, t in enumerate(times)]
    write_bag(folder, others)
    found = positions_at(open_source(folder), ("a", "b"), times)
    np.testing.assert_array_equal(found, recorded_positions(others, ("a", "b")))
    renamed = open_source({"recording": str(folder), "joints": {"a": "b", "b": "a"}})
    np.testing.assert_array_equal(positions_at(renamed, ("b", "a"), times), found)


def test_notes_of_a_run_are_not_those_of_the_next(tmp_path: Path) -> None:
    folder = write_bag(tmp_path / "bag", sine())
    for _ in range(2):
        source = open_source(folder)
        source.bind(("a",), PERIOD_NS)
        assert source.notes == ["recorded joints that are not used: b"]
