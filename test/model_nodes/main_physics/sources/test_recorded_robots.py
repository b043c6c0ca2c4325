"""Recordings of real robots, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan

PERIOD_NS = 2_500_000
REPOSITORY = Path(__file__).resolve().parents[4]
DATA = Path(os.environ.get("HETWIN_DATA", REPOSITORY.parent / "shared" / "data"))
FINGER = "r_gripper_l_finger_joint"


def recording(name: str) -> Path:
    """The folder of a recording; skips the test where it is not at hand."""
    if not (DATA / name).is_dir():
        pytest.skip(f"no {name} in {DATA}; set HETWIN_DATA to the folder with the real recordings")
    return DATA / name


def recorded(folder: Path) -> dict[str, dict[int, float]]:
    """Position of each joint by run time of its stamp, as an independent decoder reads it."""
    found: dict[str, dict[int, float]] = {}
    with AnyReader([folder]) as reader:
        start = min(log_ns for _, log_ns, _ in reader.messages())
        chosen = [c for c in reader.connections if c.topic == "/joint_states"]
        for connection, _, raw in reader.messages(chosen):
            message: Any = reader.deserialize(raw, connection.msgtype)
            stamp = message.header.stamp
            time_ns = stamp.sec * 10**9 + stamp.nanosec - start
            for name, position in zip(message.name, message.position, strict=True):
                found.setdefault(name, {})[time_ns] = float(position)
    return found


def dense(source: Plan, names: tuple[str, ...], times: range) -> Floats:
    """(times, joints) positions."""
    assert source.bind(names, PERIOD_NS).all()
    return np.array([source.motion(t).positions for t in times])


@pytest.mark.parametrize(
    ("name", "joints", "seconds"),
    [("baxter_pnp_mcap", 19, 31.6), ("kuka_lwr_mcap", 7, 41.0), ("tiago_ident_mcap", 8, 80.2)],
)
def test_all_samples_come_out_exactly(name: str, joints: int, seconds: float) -> None:
    folder = recording(name)
    source = open_source(folder)
    samples = recorded(folder)
    assert source.joint_names == tuple(sorted(samples))
    assert len(samples) == joints
    assert source.duration_ns / 1e9 == pytest.approx(seconds, abs=0.02)
    assert source.notes == []
    # Every third time, because single times off the period are slow.
    times = sorted({t for one in samples.values() for t in one})[::3]
    source.bind(source.joint_names, PERIOD_NS)
    found = np.array([source.motion(t).positions for t in times])
    row = {t: i for i, t in enumerate(times)}
    for column, joint in enumerate(source.joint_names):
        mine = {t: value for t, value in samples[joint].items() if t in row}
        assert len(mine) > 50
        at_samples = found[[row[t] for t in mine], column]
        np.testing.assert_array_equal(at_samples, list(mine.values()))
    source.close()


def test_baxter_gripper_opens_after_a_gap() -> None:
    """It stands still until it opens, though no message came for 0.19 s before it was seen open."""
    source = open_source(recording("baxter_pnp_mcap"))
    times = range(24_300_000_000, 24_900_000_000, PERIOD_NS)
    finger = dense(source, (FINGER,), times)[:, 0]
    moving = np.flatnonzero(np.diff(finger) != 0.0)
    assert times[moving[0]] / 1e9 == pytest.approx(24.575, abs=0.02)
    assert times[moving[-1]] / 1e9 == pytest.approx(24.77, abs=0.01)
    assert np.abs(np.diff(finger)).max() / PERIOD_NS * 1e9 < 0.1


def test_baxter_joints_keep_to_human_speeds() -> None:
    """Gaps of 87 ms in the middle of a motion are bridged, not jumped."""
    source = open_source(recording("baxter_pnp_mcap"))
    arm = tuple(name for name in source.joint_names if name.startswith("right_"))
    source.bind(arm, PERIOD_NS)
    speeds = [
        np.abs(source.motion(t).velocities).max() for t in range(0, source.duration_ns, PERIOD_NS)
    ]
    assert 0.3 < max(speeds) < 1.5


def test_baxter_tags_become_operations() -> None:
    """The starts of the tags are known (the folder's README)."""
    tags = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}
    source = open_source(
        {
            "recording": str(recording("baxter_pnp_mcap")),
            "annotations": [{"topic": "/action_tag", "map": tags}],
        }
    )
    begun = [
        (event.name, round(event.time_ns / 1e9, 2))
        for t in range(0, source.duration_ns + PERIOD_NS, PERIOD_NS)
        for event in source.events(t)
        if event.arguments["phase"] == "begin"
    ]
    expected = [("one", 1.71), ("two", 5.85), ("five", 12.07), ("three", 16.20), ("four", 20.37)]
    assert begun == expected
