"""The recorded episode: reproducible, small, readable, and physically what it claims to be."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.recorded_episodes import pick_and_place_with

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scene.values import Floats
from hetwin_tables import pick_and_place, stand_in
from hetwin_tables.blocks import find_block, read_blocks

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "scenarios" / "episodes" / "pick_and_place"
SHIPPED_TRUTH = ROOT / "scenarios" / "episodes" / "pick_and_place_truth.json"
TABLE_TOP = 0.75
TRAY_TOP = 0.83
JOINTS = {**dict.fromkeys(stand_in.ARM_JOINTS, 2e-3), **dict.fromkeys(stand_in.FINGER_JOINTS, 4e-4)}
"""Joints, and how far noise and soft stops may take a reading beyond its limit."""


@dataclass(frozen=True)
class Truth:
    """A truth file: events in seconds, and the path's columns."""

    events: dict[str, float | None]
    time: Floats
    position: Floats
    forces: Floats


def read_truth(file: Path) -> Truth:
    given = json.loads(file.read_text())
    path = np.array(given["path"])
    return Truth(given["events"], path[:, 0], path[:, 1:4], path[:, 8:10])


def record(folder: Path, *options: str) -> Path:
    bag = folder / "pick_and_place"
    pick_and_place.main(["--seed", "1", "--out", str(bag), *options])
    return bag


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("ordinary"))


@pytest.fixture(scope="module")
def variant(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Truth]:
    def make(*options: str) -> Truth:
        bag = pick_and_place_with(tmp_path_factory, *options)
        return read_truth(bag.with_name("bag_truth.json"))

    return make


@pytest.mark.long
def test_same_seed_gives_the_same_bytes(recorded: Path, tmp_path: Path) -> None:
    again = tmp_path / "pick_and_place"
    command = [sys.executable, "-m", "hetwin_tables.pick_and_place"]
    subprocess.run([*command, "--seed", "1", "--out", again], check=True, cwd=tmp_path)
    for name in ("pick_and_place.mcap", "metadata.yaml", "../pick_and_place_truth.json"):
        assert (recorded / name).read_bytes() == (again / name).read_bytes(), name


def test_another_seed_gives_another_box(tmp_path: Path) -> None:
    bag = tmp_path / "other"
    pick_and_place.main(["--seed", "2", "--out", str(bag)])
    other = read_truth(bag.with_name("other_truth.json"))
    assert np.linalg.norm(other.position[0] - read_truth(SHIPPED_TRUTH).position[0]) > 1e-4
    assert other.events["put_down"] is not None


def test_shipped_truth_is_what_the_script_makes(recorded: Path) -> None:
    # Not the same bytes: other processors round other last digits.
    made = read_truth(recorded.with_name("pick_and_place_truth.json"))
    shipped = read_truth(SHIPPED_TRUTH)
    assert made.events == pytest.approx(shipped.events, abs=0.02)
    np.testing.assert_allclose(made.position, shipped.position, atol=1e-3)


def test_shipped_recording_is_small() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 2_000_000


def test_box_is_really_lifted_by_both_fingers() -> None:
    truth = read_truth(SHIPPED_TRUTH)
    held = np.all(truth.forces > 5.0, axis=1)
    assert truth.position[held, 2].max() - truth.position[0, 2] > 0.05
    in_the_air = truth.position[:, 2] > TRAY_TOP + 0.05 + 0.005
    assert in_the_air.any()
    assert held[in_the_air].all()


def test_box_ends_upright_on_the_tray() -> None:
    tray = find_block(read_blocks(ROOT / "worlds" / "tabletop.sdf"), "tray")
    end = read_truth(SHIPPED_TRUTH).position[-1]
    assert tray.top == pytest.approx(TRAY_TOP)
    assert end[2] == pytest.approx(TRAY_TOP + 0.05, abs=1e-3)
    assert np.all(np.abs(end[:2] - tray.center[:2]) < tray.size[:2] / 2 - 0.05)


def test_true_box_stands_a_little_beside_the_believed_one() -> None:
    box = find_block(read_blocks(ROOT / "worlds" / "tabletop.sdf"), "box")
    aside = read_truth(SHIPPED_TRUTH).position[0] - box.center
    assert 0.002 < np.linalg.norm(aside[:2]) < 0.003


def test_events_happen_in_order() -> None:
    events = read_truth(SHIPPED_TRUTH).events
    order = ["grasp", "lift_off", "touch_down", "release", "put_down"]
    times = [events[name] for name in order]
    assert all(time is not None for time in times)
    assert times == sorted(times, key=lambda t: t or 0.0)


def test_joint_states_come_from_two_drivers_within_the_limits() -> None:
    limits = _limits()
    stamps: dict[tuple[str, ...], list[int]] = {}
    with AnyReader([SHIPPED]) as reader:
        for connection, received, raw in reader.messages():
            if connection.topic != "/joint_states":
                continue
            message: Any = reader.deserialize(raw, connection.msgtype)
            stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            stamps.setdefault(tuple(message.name), []).append(stamp)
            assert 0 < received - stamp < 5_000_000
            sizes = {len(message.position), len(message.velocity), len(message.effort)}
            assert sizes == {len(message.name)}
            for name, position in zip(message.name, message.position, strict=True):
                low, high = limits[name]
                assert low - JOINTS[name] <= position <= high + JOINTS[name], name
    assert set(stamps) == {stand_in.ARM_JOINTS, stand_in.FINGER_JOINTS}
    assert set(np.diff(stamps[stand_in.ARM_JOINTS])) == {10_000_000}
    assert set(np.diff(stamps[stand_in.FINGER_JOINTS])) == {20_000_000}


def test_annotations_are_begun_and_ended() -> None:
    running: set[str] = set()
    begun: list[str] = []
    with AnyReader([SHIPPED]) as reader:
        for connection, _, raw in reader.messages():
            if connection.topic != "/action_annotations":
                continue
            assert connection.msgtype == "hetwin/msg/ActionAnnotation"
            message: Any = reader.deserialize(raw, connection.msgtype)
            assert json.loads(message.arguments)["hand"] == "gripper"
            if message.phase == "begin":
                assert message.operation not in running
                running.add(message.operation)
                begun.append(message.operation)
            else:
                assert message.phase == "end"
                running.remove(message.operation)
    assert not running
    order = ["reach", "move_hand", "lift", "move", "lower", "release", "move_hand", "retreat"]
    assert begun == order


def test_gripper_that_stays_open_moves_nothing(variant: Callable[..., Truth]) -> None:
    truth = variant("--grasp", "open")
    assert set(truth.events.values()) == {None}
    np.testing.assert_allclose(
        truth.position, truth.position[[0]].repeat(len(truth.time), 0), atol=1e-4
    )


def test_fingers_close_on_nothing_when_the_box_is_elsewhere(variant: Callable[..., Truth]) -> None:
    truth = variant("--box-offset", "0.2,0,0")
    assert set(truth.events.values()) == {None}
    assert truth.position[-1] == pytest.approx(truth.position[0], abs=1e-4)
    assert truth.position[0, 0] == pytest.approx(0.65, abs=0.004)


def test_weak_gripper_drops_the_box_in_the_lift(variant: Callable[..., Truth]) -> None:
    truth = variant("--weak")
    assert truth.position[:, 2].max() > 0.85, "it was lifted"
    assert truth.position[-1, 2] < TABLE_TOP + 0.06, "it lies on the table"
    assert truth.events["lift_off"] is not None
    assert truth.events["release"] is not None
    fallen = truth.time > truth.events["release"] + 0.05
    assert np.all(truth.forces[fallen] == 0.0)


def test_place_out_of_reach_is_told(tmp_path: Path) -> None:
    world = (ROOT / "worlds" / "tabletop.sdf").read_text()
    far = world.replace("0.42 -0.26 0.79 0 0 0", "1.42 -0.26 0.79 0 0 0")
    assert far != world
    file = tmp_path / "far.sdf"
    file.write_text(far)
    with pytest.raises(RunFailed, match="cannot reach"):
        pick_and_place.record(
            pick_and_place.Variant(), tmp_path / "bag", tmp_path / "truth.json", file
        )
    assert not (tmp_path / "bag").exists()


def _limits() -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for joint in ET.parse(ROOT / "urdf" / "tabletop_arm.urdf").getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None:
            found[joint.get("name", "")] = (
                float(limit.get("lower", "nan")),
                float(limit.get("upper", "nan")),
            )
    return found
