"""Recorded drops: reproducible, readable, and physically what their truth says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.recorded_episodes import two_drops

from hetwin_bauer2022.containers import container
from hetwin_bauer2022.drops import episode
from hetwin_bauer2022.drops.draw import Draw, Flaw, draw
from hetwin_bauer2022.drops.episode import Drop, execute_draw
from hetwin_bauer2022.drops.program import plan
from hetwin_bauer2022.drops.verdict import judge
from hetwin_bauer2022.episodes import Kind, record_episodes
from hetwin_bauer2022.tennis_table import BALL_MASS, BALL_RADIUS, TABLE_TOP
from hetwin_bauer2022.two_hands.joints import ALL, BODY, FINGERS
from hetwin_bauer2022.two_hands.stage import right_hand
from hetwin_bauer2022.two_hands.witness import Sample, hold_mask

FELT = ("/controller_state", "/status", "/wrench")
"""Ends of the topics of what controllers, gripper and wrist tell."""
ROOT = Path(__file__).resolve().parents[3]
FILES = ("recording/metadata.yaml", "recording/recording.mcap", "scene.json", "truth.json")


def ordinary(**changes: Any) -> Draw:
    """A drop into the middle of the bin, all as believed, with changes."""
    drawn = draw(np.random.default_rng(0))
    plain = replace(
        drawn,
        container=container("bin"),
        place=np.array([0.46, -0.42, 0.0]),
        place_error=np.zeros(3),
        stand=np.array([0.52, -0.12]),
        stand_error=np.array([0.003, -0.004]),
        flaw=Flaw.NONE,
        height_error=0.0,
        force=4.0,
        fading=np.inf,
        finger_friction=0.8,
        ball_mass=BALL_MASS,
        aim=0.08,
        bearing=0.5,
        clearance=0.05,
        speed=0.0,
        gravity_factors=np.ones(len(ALL)),
    )
    return replace(plain, **changes)


def carried_out(drawn: Draw) -> Drop:
    program = plan(right_hand(ROOT / episode.ROBOT), drawn)
    return execute_draw(drawn, program, np.random.default_rng(1), ROOT)


@pytest.fixture(scope="module")
def drop() -> Drop:
    return carried_out(ordinary())


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two drops, recorded in two processes."""
    return two_drops(tmp_path_factory)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("drops") / "one"
    record_episodes(Kind.DROP, 1, 3, out)
    return out


def test_held_ball_is_borne_by_the_fingers_alone(drop: Drop) -> None:
    assert drop.verdict.success
    (hold,) = drop.verdict.holds
    high = [s for s in drop.samples if s.pose[2] > 0.95 and hold[0] < s.time < hold[1] - 0.01]
    assert len(high) > 100
    for sample in high:
        assert sample.others == 0.0
        assert sample.fingers.min() > 0.3, "all four press"
    moved = np.ptp([s.in_palm[:3] for s in high], axis=0)
    assert np.all(moved < 0.002), "it does not creep"


def test_let_go_ball_falls_freely(drop: Drop) -> None:
    let_go = drop.verdict.released_at
    assert let_go is not None
    assert 0.0 < let_go - drop.program.time_of("release") < 0.1
    falling = [s for s in drop.samples if let_go + 0.02 <= s.time <= let_go + 0.08]
    height = np.polyfit([s.time for s in falling], [s.pose[2] for s in falling], 2)
    assert 2 * height[0] == pytest.approx(-9.81, abs=0.3)


def test_ball_ends_in_the_bin(drop: Drop) -> None:
    end = drop.samples[-1].pose
    assert np.hypot(end[0] - 0.46, end[1] + 0.42) < 0.105
    assert end[2] == pytest.approx(TABLE_TOP + 0.006 + BALL_RADIUS, abs=2e-3)
    assert drop.verdict.margin == pytest.approx(0.08, abs=0.012)


def test_sensors_tell_the_truth_but_for_noise(drop: Drop) -> None:
    names = {r.joints for r in drop.readings}
    assert names == {BODY, FINGERS["right"], FINGERS["left"]}
    hand = [r for r in drop.readings if r.joints == FINGERS["right"]]
    assert np.diff([r.time for r in hand]) == pytest.approx(0.01)
    closed = next(r for r in hand if r.time >= drop.program.time_of("release") - 0.1)
    free = hand[0]
    assert closed.efforts[::3].min() > 0.1, "torques of a grasp"
    assert np.abs(free.efforts).max() < 0.08


def test_fading_drives_lose_the_ball_on_the_way() -> None:
    lost = carried_out(ordinary(flaw=Flaw.FADING, fading=0.4, force=2.0))
    assert not lost.verdict.success
    assert lost.verdict.cause == "lost_on_the_way"
    assert max(s.pose[2] for s in lost.samples) > 0.92, "it was lifted"
    let_go = lost.verdict.released_at
    assert let_go is not None
    assert let_go < lost.program.time_of("release") - 0.2
    assert not hold_mask([s for s in lost.samples if s.time > let_go + 0.05]).any()


def test_fingers_that_close_above_the_ball_never_hold_it() -> None:
    missed = carried_out(ordinary(flaw=Flaw.HIGH, height_error=0.055))
    assert missed.verdict.cause == "never_held"
    assert missed.samples[-1].pose[2] < 0.89


def test_throw_lands_where_it_is_aimed_at() -> None:
    thrown = carried_out(ordinary(speed=0.6, course=0.1, aim=-0.06))
    assert thrown.verdict.cause == "missed"
    assert thrown.verdict.margin == pytest.approx(-0.06, abs=0.02)
    let_go = next(s for s in thrown.samples if s.time >= (thrown.verdict.released_at or 0.0))
    after = next(s for s in thrown.samples if s.time >= let_go.time + 0.03)
    assert np.linalg.norm(after.pose[:2] - let_go.pose[:2]) / 0.03 == pytest.approx(0.6, abs=0.1)


def sample(time: float, x: float, z: float, force: float) -> Sample:
    pose = np.array([x, 0.0, z, 1.0, 0.0, 0.0, 0.0])
    return Sample(time, pose, pose, np.full(4, force), 0.0)


@pytest.mark.parametrize(
    ("fall_x", "end", "cause"),
    [
        (0.0, (0.0, 0.8), ""),
        (0.0, (0.3, 0.033), "bounced_out"),
        (0.2, (0.3, 0.033), "missed"),
    ],
)
def test_verdict_looks_at_rim_and_end(fall_x: float, end: tuple[float, float], cause: str) -> None:
    pose = np.array([0.0, 0.0, TABLE_TOP, 1.0, 0.0, 0.0, 0.0])
    way = [sample(0.0, 0, 0.88, 0.0), sample(0.5, 0, 0.88, 1.0), sample(1.0, fall_x, 1.1, 1.0)]
    way += [sample(1.1, fall_x, 1.05, 0.0), sample(1.2, fall_x, 0.9, 0.0), sample(2.0, *end, 0.0)]
    verdict = judge(way, container("bin"), pose, opening=1.0)
    assert verdict.cause == cause
    assert verdict.success == (cause == "")
    assert (verdict.margin > 0) == (cause != "missed")


def test_ball_lost_before_the_hand_opens_is_lost_on_the_way() -> None:
    pose = np.array([0.0, 0.0, TABLE_TOP, 1.0, 0.0, 0.0, 0.0])
    way = [sample(0.0, 0, 0.88, 0.0), sample(0.5, 0, 1.0, 1.0), sample(0.6, 0.3, 0.8, 0.0)]
    verdict = judge(way, container("bin"), pose, opening=1.0)
    assert (verdict.cause, verdict.released_at) == ("lost_on_the_way", 0.5)


def test_same_seed_gives_the_same_bytes_in_two_processes(recorded: Path, two: Path) -> None:
    for name in FILES:
        one, other = recorded / "drop_0001" / name, two / "drop_0001" / name
        assert one.read_bytes() == other.read_bytes(), name
    first, second = (two / f"drop_000{i}" / "truth.json" for i in (1, 2))
    assert first.read_text() != second.read_text()


def test_files_say_what_readers_expect(recorded: Path) -> None:
    folder = recorded / "drop_0001"
    scene = json.loads((folder / "scene.json").read_text())
    truth = json.loads((folder / "truth.json").read_text())
    assert scene["scenario"] == "uncertain_environment"
    assert set(scene["scene"]) == {"ball", "stand", truth["container"]}
    assert all(len(entry["pose"]) == 7 for entry in scene["scene"].values())
    assert truth["label"] in ("success", "failure")
    path = np.array(truth["path"])
    assert path.shape[1] == len(truth["columns"])
    assert np.diff(path[:, 0]) == pytest.approx(0.01)
    assert path[-1, 0] <= 12.0
    believed = np.array(scene["scene"]["ball"]["pose"][:3])
    assert 0 < np.linalg.norm(believed - truth["poses"]["ball"][:3]) < 0.12
    found = json.loads((recorded / "distribution.json").read_text())
    assert found["labels"] == {truth["label"]: 1}


def test_a_seed_records_what_it_recorded(recorded: Path) -> None:
    """Samples of this seed's first episode from before drops had options."""
    folder = recorded / "drop_0001"
    hand = [r for r in messages(folder) if r.name[0] == "right_hand_finger_1_joint_1"]
    assert len(hand) == 928
    assert hand[400].position[:3] == pytest.approx(
        [-0.15071361240976425, 0.5503156076539738, 0.34514567727426926], abs=1e-12
    )
    assert hand[400].effort[:3] == pytest.approx([0.308, 0.168, 0.07], abs=1e-12)
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["path"][300][:4] == [3.0, 0.505565, -0.131548, 0.88189]
    assert (truth["margin"], truth["released"]) == (-0.05448, 6.37)


def test_truth_says_how_the_ball_was_taken(recorded: Path) -> None:
    truth = json.loads((recorded / "drop_0001" / "truth.json").read_text())
    assert (truth["seed"], truth["index"]) == (3, 0)
    assert (truth["grasp"], truth["flaw"]) == ("cage", "none")
    assert all(-0.012 <= height <= -0.008 for height in truth["contact_heights"])


def messages(folder: Path) -> list[Any]:
    """The joint states of an episode."""
    with AnyReader([folder / "recording"]) as reader:
        connections = [c for c in reader.connections if c.topic == "/joint_states"]
        return [
            reader.deserialize(raw, connection.msgtype)
            for connection, _, raw in reader.messages(connections)
        ]


def test_recording_tells_joints_and_actions(recorded: Path) -> None:
    said: list[tuple[str, str]] = []
    joints: set[str] = set()
    felt: set[str] = set()
    with AnyReader([recorded / "drop_0001" / "recording"]) as reader:
        for connection, _, raw in reader.messages():
            message: Any = reader.deserialize(raw, connection.msgtype)
            if connection.topic == "/joint_states":
                joints.update(message.name)
                assert len(message.position) == len(message.velocity) == len(message.effort)
                continue
            if connection.topic.endswith(FELT):
                felt.add(connection.topic.rpartition("/")[2])
                continue
            assert connection.msgtype == "hetwin/msg/ActionAnnotation"
            assert json.loads(message.arguments)["hand"] == "right_hand"
            said.append((message.operation, message.phase))
    assert joints == set(ALL)
    assert felt == {name.removeprefix("/") for name in FELT}
    begun = [name for name, phase in said if phase == "begin"]
    assert begun[:5] == ["reach", "grasp", "move_hand", "lift", "move"]
    assert said.index(("move_hand", "end")) < said.index(("bind", "instant"))
    assert ("release", "instant") in said
    assert begun.count("move_hand") == 2
