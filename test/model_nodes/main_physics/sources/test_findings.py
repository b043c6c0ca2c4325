"""What is strange about a recording is found before the run: jumps, gaps, publishers that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.recorded_bags import MS, Recorded, joints, sine, write_bag, write_ros1_bag
from support.robot_files import ROOT

from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

NAMES = ("shoulder", "elbow")


def swing(time_ns: int) -> list[float]:
    """A slow motion: at most 0.5 rad/s."""
    seconds = time_ns / 1e9
    return [0.5 * np.sin(seconds), 1.0 + 0.25 * np.cos(2.0 * seconds)]


def stream(
    count: int = 500,
    period_ms: int = 10,
    positions: Callable[[int], Sequence[float]] = swing,
    *,
    topic: str = "/joint_states",
    shift_ns: int = 0,
    caller: str = "",
) -> list[Recorded]:
    return [
        replace(joints(t, NAMES, positions(t), topic=topic), caller=caller)
        for t in (k * period_ms * MS + shift_ns for k in range(count))
    ]


def merged(*streams: Sequence[Recorded]) -> list[Recorded]:
    return sorted((m for stream in streams for m in stream), key=lambda m: m.time_ns)


def findings(path: Path, messages: Sequence[Recorded]) -> tuple[Finding, ...]:
    source = open_source(write_bag(path / "bag", messages))
    source.close()
    return source.findings


def elsewhere(time_ns: int) -> list[float]:
    """The elbow 0.1 rad further than it is, from 2 s on."""
    shoulder, elbow = swing(time_ns)
    return [shoulder, elbow + (0.1 if time_ns >= 2_000 * MS else 0.0)]


# --- healthy


def test_motion_has_none(tmp_path: Path) -> None:
    assert findings(tmp_path, sine()) == ()
    for period in (1, 5, 20, 100):
        assert findings(tmp_path / str(period), stream(300, period)) == ()


def test_jitter_bursts_and_lost_messages_are_none(tmp_path: Path) -> None:
    """Stamps jitter, messages arrive in bursts (with log times only), and one in five is lost."""
    rng = np.random.default_rng(1)
    jittered = [
        joints(t + 9 * MS, NAMES, swing(t), stamp_ns=t + int(rng.integers(0, 8 * MS)))
        for t in (k * 10 * MS for k in range(500))
        if rng.random() > 0.2
    ]
    assert findings(tmp_path / "jitter", jittered) == ()
    bursts = [
        joints(k // 4 * 40 * MS + k % 4 * 100_000, NAMES, swing(k * 10 * MS), stamp_ns=-(10**18))
        for k in range(500)
    ]
    (mended,) = findings(tmp_path / "bursts", bursts)
    assert mended.arguments["what"] == "other_clock"


@pytest.mark.parametrize("delay_ms", [0, 3, 60])
def test_a_topic_that_repeats_another_with_a_delay_is_none(tmp_path: Path, delay_ms: int) -> None:
    copy = [
        joints(m.time_ns + delay_ms * MS, NAMES, swing(m.time_ns), topic="/arm/joint_states")
        for m in stream(300, 15)
    ]
    assert findings(tmp_path, merged(stream(), copy)) == ()


def test_commands_are_not_compared(tmp_path: Path) -> None:
    wanted = stream(positions=lambda t: [1.0, 1.0], topic="/arm/joint_command")
    assert findings(tmp_path, merged(stream(), wanted)) == ()


def test_a_finger_that_springs_back_is_none(tmp_path: Path) -> None:
    """As fast as 9 rad/s, but over several samples."""

    def springs(time_ns: int) -> list[float]:
        since = max(time_ns / 1e9 - 2.0, 0.0)
        return [0.0, 0.2 * (1.0 - np.exp(-((since / 0.02) ** 2)))]

    assert findings(tmp_path, stream(positions=springs)) == ()


# --- contradictions


def contradiction(found: Sequence[Finding], other: str) -> Finding:
    (one,) = found
    assert one.name == "contradiction"
    assert one.arguments["topic"] == "/joint_states"
    assert one.arguments["other"] == other
    assert one.arguments["joint"] == "elbow"
    assert one.arguments["size"] == pytest.approx(0.1, abs=0.02)
    assert one.from_ns == pytest.approx(2_000 * MS, abs=200 * MS)
    assert one.to_ns == pytest.approx(4_990 * MS, abs=200 * MS)
    return one


def plays_first(path: Path) -> None:
    """The robot moves as the first publisher says, without the second one's positions."""
    source = open_source(path)
    source.bind(NAMES, 10 * MS)
    for time_ns in range(0, 4_900 * MS, 10 * MS):
        motion = source.motion(time_ns)
        np.testing.assert_allclose(motion.positions, swing(time_ns), atol=2e-3)
        assert np.abs(motion.velocities).max() < 1.0
    source.close()


def test_two_topics(tmp_path: Path) -> None:
    other = stream(400, 12, elsewhere, topic="/arm/states", shift_ns=4 * MS)
    folder = write_bag(tmp_path / "bag", merged(stream(), other))
    contradiction(open_source(folder).findings, "/arm/states")
    plays_first(folder)


def test_two_topics_that_the_scenario_names(tmp_path: Path) -> None:
    other = stream(400, 12, elsewhere, topic="/arm/states", shift_ns=4 * MS)
    folder = write_bag(tmp_path / "bag", merged(stream(), other))
    spec = {"recording": str(folder), "joint_states": ["/joint_states", "/arm/states"]}
    contradiction(open_source(spec).findings, "/arm/states")


def test_two_nodes_on_a_topic_of_ros1(tmp_path: Path) -> None:
    mine, other = stream(caller="/driver"), stream(416, 12, elsewhere, caller="/other")
    bag = write_ros1_bag(tmp_path / "a.bag", merged(mine, other))
    contradiction(open_source(bag).findings, "/joint_states of /other")
    plays_first(bag)


@pytest.mark.parametrize("period", [10, 13, 40])
def test_two_nodes_on_a_topic_that_are_not_told_apart(tmp_path: Path, period: int) -> None:
    other = stream(5000 // period, period, elsewhere, shift_ns=3 * MS)
    folder = write_bag(tmp_path / "bag", merged(stream(), other))
    contradiction(open_source(folder).findings, "/joint_states")
    plays_first(folder)


def test_two_nodes_whose_stamps_pass_each_other(tmp_path: Path) -> None:
    """The second one's messages are late, so that time goes back on the topic."""
    other = [
        joints(m.time_ns + 25 * MS, NAMES, elsewhere(m.time_ns), stamp_ns=m.time_ns)
        for m in stream(499)
        if m.time_ns >= 2_000 * MS
    ]
    folder = write_bag(tmp_path / "bag", merged(stream(), other))
    *found, mended = sorted(open_source(folder).findings, key=lambda one: one.name)
    contradiction(tuple(found), "/joint_states")
    assert mended.arguments["what"] == "sorted"
    plays_first(folder)


# --- jumps


@pytest.mark.parametrize("period", [1, 10, 20])
@pytest.mark.parametrize("size", [0.1, -0.3, 2.0])
def test_a_jump(tmp_path: Path, period: int, size: float) -> None:
    def jumps(time_ns: int) -> list[float]:
        return [swing(time_ns)[0] + (size if time_ns >= 2_000 * MS else 0.0), swing(time_ns)[1]]

    (one,) = findings(tmp_path, stream(5000 // period, period, jumps))
    assert one.name == "jump"
    assert one.arguments["joint"] == "shoulder"
    assert one.arguments["topic"] == "/joint_states"
    assert one.arguments["step"] == pytest.approx(size, abs=0.02)
    assert one.arguments["velocity"] == pytest.approx(abs(size) / period * 1000, rel=0.1)
    assert (one.from_ns, one.to_ns) == ((2_000 - period) * MS, 2_000 * MS)


def test_an_outlier_is_two_jumps(tmp_path: Path) -> None:
    def blinks(time_ns: int) -> list[float]:
        return [swing(time_ns)[0] + (0.5 if time_ns == 2_000 * MS else 0.0), swing(time_ns)[1]]

    found = findings(tmp_path, stream(positions=blinks))
    assert [one.name for one in found] == ["jump", "jump"]
    assert [one.arguments["step"] for one in found] == pytest.approx([0.5, -0.5], abs=0.01)


def robot(folder: Path, joint: str) -> Path:
    file = folder / "robot.urdf"
    file.write_text(
        "<robot name='r'><link name='base'/><link name='upper'/><link name='fore'/>"
        f"<joint name='shoulder' {joint}<parent link='base'/><child link='upper'/></joint>"
        "<joint name='elbow' type='continuous'><parent link='upper'/><child link='fore'/>"
        "<limit velocity='2' effort='1'/></joint></robot>"
    )
    return file


def test_limits_of_the_robot_say_what_is_a_jump(tmp_path: Path) -> None:
    """0.4 rad within 100 ms: a step for a slow joint, motion for a fast one."""

    def steps(time_ns: int) -> list[float]:
        return [0.4 if time_ns >= 2_000 * MS else 0.0, 0.0]

    folder = write_bag(tmp_path / "bag", stream(50, 100, steps))
    for limit, count in ((0.5, 1), (20.0, 0)):
        slow = f"type='revolute'><limit lower='-3' upper='3' velocity='{limit}' effort='1'/>"
        body = replace(read_urdf(robot(tmp_path, slow), Notes()), robot=True)
        assert len(open_source(folder, robots=[body]).findings) == count


def test_a_joint_that_turns_without_end_may_wrap(tmp_path: Path) -> None:
    """Recorded within one turn; the robot goes on turning, and nothing jumps."""

    def wraps(time_ns: int) -> list[float]:
        angle = 2.0 * time_ns / 1e9
        return [0.0, (angle + np.pi) % (2.0 * np.pi) - np.pi]

    folder = write_bag(tmp_path / "bag", stream(positions=wraps))
    limited = "type='revolute'><limit lower='-3' upper='3' velocity='1' effort='1'/>"
    body = replace(read_urdf(robot(tmp_path, limited), Notes()), robot=True)
    source = open_source(folder, robots=[body])
    assert source.findings == ()
    source.bind(NAMES, 10 * MS)
    for time_ns in range(0, 4_990 * MS, 10 * MS):
        motion = source.motion(time_ns)
        assert motion.positions[1] == pytest.approx(2.0 * time_ns / 1e9, abs=1e-9)


def test_joints_of_others_are_not_looked_at(tmp_path: Path) -> None:
    messages = stream()
    other = [joints(m.time_ns, ("wheel",), (float(i % 2),)) for i, m in enumerate(messages)]
    folder = write_bag(tmp_path / "bag", merged(messages, other))
    limited = "type='revolute'><limit lower='-3' upper='3' velocity='1' effort='1'/>"
    body = replace(read_urdf(robot(tmp_path, limited), Notes()), robot=True)
    assert open_source(folder, robots=[body]).findings == ()
    assert open_source(folder).findings != ()


# --- gaps


def test_a_gap(tmp_path: Path) -> None:
    messages = [m for m in stream() if not 2_000 * MS < m.time_ns < 2_500 * MS]
    (one,) = findings(tmp_path, messages)
    assert one == Finding(
        "gap",
        2_000 * MS,
        2_500 * MS,
        {"topic": "/joint_states", "joints": list(NAMES), "duration": 0.5, "usual": 0.01},
    )


def test_joint_states_that_begin_late_and_end_early(tmp_path: Path) -> None:
    messages = [m for m in stream() if 1_500 * MS <= m.time_ns <= 3_500 * MS]
    clock = [replace(m, topic="/other") for m in sine(250)]
    spec = {"joint_states": ["/joint_states"]}
    folder = write_bag(tmp_path / "bag", merged(messages, clock))
    found = open_source({"recording": str(folder), **spec}).findings
    assert [(one.from_ns, one.to_ns) for one in found] == [
        (0, 1_500 * MS),
        (3_500 * MS, 4_980 * MS),
    ]


def test_a_stream_that_pauses_often_has_gaps_only_where_it_pauses_longer(tmp_path: Path) -> None:
    messages = [m for m in stream(2000, 50) if m.time_ns // MS % 2000 > 400]
    assert findings(tmp_path / "often", messages) == ()
    longer = [m for m in messages if not 50_000 * MS < m.time_ns < 53_000 * MS]
    (one,) = findings(tmp_path / "longer", longer)
    assert one.arguments["duration"] == pytest.approx(3.0, abs=0.5)


def test_the_shipped_recording_has_none() -> None:
    assert open_source(ROOT / "scenarios" / "episodes" / "pick_and_place").findings == ()
