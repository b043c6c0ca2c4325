"""Wrenches of a recording: found by type, dated by their stamps, decoded only when they are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.recorded_bags import MS, TYPES, Recorded, header, sine, write_bag

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.joint_messages import DecodeError
from model_nodes.main_physics.sources.wrenches import (
    WRENCH,
    RobotWrenches,
    Wrenches,
    decode,
    wrench_table,
)

LAYOUT = Layout.build((Entity("robot", EntityKind.ROBOT), Entity("tool0", EntityKind.LINK)), [])


def wrench(
    time_ns: int, force: float, frame: str = "tool0", stamp_ns: int | None = None
) -> Recorded:
    vector = TYPES.types["geometry_msgs/msg/Vector3"]
    felt = TYPES.types["geometry_msgs/msg/Wrench"](
        force=vector(force, 2.0, 3.0), torque=vector(4.0, 5.0, 6.0)
    )
    stamp = header(time_ns if stamp_ns is None else stamp_ns, frame)
    return Recorded("/ft", WRENCH, time_ns, TYPES.types[WRENCH](header=stamp, wrench=felt))


def recorded(folder: Path, *sent: Recorded) -> Wrenches:
    """What is found in a recording."""
    made = sorted([*sine(), *sent], key=lambda one: one.time_ns)
    (part,) = open_source(write_bag(folder / "bag", made)).parts
    assert part.wrenches is not None
    return part.wrenches


@pytest.mark.parametrize("frame", ["a", "tool0", "left/wrist_3"])
def test_a_message_is_decoded_whatever_its_frame_is_called(frame: str) -> None:
    message = wrench(250 * MS, 1.0, frame).message
    stamp_ns, found, numbers = decode(bytes(TYPES.serialize_cdr(message, WRENCH)))
    assert found == frame
    assert stamp_ns % 1_000_000_000 == 250 * MS
    assert numbers.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


@pytest.mark.parametrize("length", [0, 10, 20, 60])
def test_a_message_that_is_cut_off_is_refused(length: int) -> None:
    raw = bytes(TYPES.serialize_cdr(wrench(0, 1.0).message, WRENCH))
    with pytest.raises(DecodeError):
        decode(raw[:length])


def test_the_table_has_the_latest_samples_in_the_order_of_their_stamps(tmp_path: Path) -> None:
    found = recorded(
        tmp_path,
        wrench(100 * MS, 1.0),
        wrench(700 * MS, 3.0, stamp_ns=690 * MS),
        wrench(705 * MS, 2.0, stamp_ns=680 * MS),
        wrench(900 * MS, 4.0),
    )
    rows = wrench_table([RobotWrenches("", 0, found)], LAYOUT, 800 * MS).rows()
    assert rows[:, 0].tolist() == [680 * MS, 690 * MS]
    assert rows[:, 2].tolist() == [2.0, 3.0]
    assert set(rows[:, 1]) == {LAYOUT.entity_id("tool0")}
    later = wrench_table([RobotWrenches("", 1000 * MS, found)], LAYOUT, 1800 * MS).rows()
    assert later[:, 0].tolist() == [1680 * MS, 1690 * MS]


def test_a_frame_that_the_scene_does_not_have_is_marked(tmp_path: Path) -> None:
    found = recorded(tmp_path, wrench(100 * MS, 1.0, "nowhere"))
    rows = wrench_table([RobotWrenches("", 0, found)], LAYOUT, 200 * MS).rows()
    assert rows[:, 1].tolist() == [-1.0]
    (note,) = found.notes(["tool0"])
    assert "/ft are not used: they name frame nowhere" in note
    assert found.notes(["nowhere"]) == []


def test_nothing_is_decoded_before_it_is_read(tmp_path: Path) -> None:
    found = recorded(tmp_path, wrench(100 * MS, 1.0))
    table = wrench_table([RobotWrenches("", 0, found)], LAYOUT, 200 * MS)
    assert table.known is None
    assert "_read" not in vars(found)
    assert np.isfinite(table.rows()).all()


def test_a_recording_without_wrenches_has_none(tmp_path: Path) -> None:
    (part,) = open_source(write_bag(tmp_path / "bag", sine())).parts
    assert part.wrenches is None
