"""The base of a live robot, from messages as they arrive: without ROS."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.mobile_recordings import (
    ODOMETRY,
    PERIOD,
    TF,
    Planar,
    amcl,
    bound,
    cart,
    drive,
    matrix,
    odometry,
    planar,
    posed,
    tf,
)
from support.recorded_bags import EPOCH_NS, MS, TYPES, Recorded, write_bag

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.live.base import BaseFeed

START = (1.0, -2.0, 0.7)


class TopicPair:
    """Hands serialized messages to who listens, as the robot's topics do."""

    def __init__(self, folder: Path, base: Any, topics: Sequence[str] = ()) -> None:
        self.unusable: list[str] = []
        self.pauses: list[tuple[int, int]] = []
        self.heard: dict[str, Callable[[bytes, str, int], None]] = {}
        self._topics = topics
        self.feed = BaseFeed(
            cart(folder),
            FollowedBase.model_validate(base),
            threading.Condition(),
            lambda stamp_ns, arrived_ns: stamp_ns or arrived_ns,
            self.unusable.append,
            lambda end_ns, length_ns: self.pauses.append((end_ns, length_ns)),
        )
        self.feed.subscribe(self)

    def listen(self, topic: str, callback: Callable[[bytes, str, int], None]) -> None:
        self.heard[topic] = callback

    def seen(self) -> dict[str, list[str]]:
        return {topic: [ODOMETRY] for topic in self._topics}

    def send(self, one: Recorded, later_ns: int = 0) -> None:
        raw = bytes(TYPES.serialize_cdr(one.message, one.type))
        self.heard[one.topic](raw, one.type, EPOCH_NS + one.time_ns + later_ns)

    def played(self, from_ns: int, until_ns: int) -> list[tuple[float, Planar, str]]:
        """Seconds, place and words of corrections of the periods between two times."""
        found = []
        for time_ns in range(from_ns, until_ns, PERIOD):
            (motion,) = self.feed.base.motions(EPOCH_NS + time_ns, PERIOD, 1)
            found.append((time_ns / 1e9, place(motion.state), motion.corrected))
        return found


def place(state: Floats) -> Planar:
    return float(state[0]), float(state[1]), 2.0 * math.atan2(state[6], state[3])


def near(found: Planar, wanted: Planar) -> None:
    assert found[:2] == pytest.approx(wanted[:2], abs=1e-4)
    assert math.remainder(found[2] - wanted[2], 2.0 * math.pi) == pytest.approx(0.0, abs=1e-4)


def test_it_moves_as_its_recording_does(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "/odom"})
    messages = list(odometry())
    bag = write_bag(tmp_path / "bag", messages)
    recorded = bound(bag, cart(tmp_path), {"odometry": "/odom"})
    for one in messages[:4]:
        wire.send(one)
    wire.feed.begin_run()
    for k, one in enumerate(messages[4:]):
        wire.send(one)
        (live,) = wire.feed.base.motions(EPOCH_NS + k * PERIOD, PERIOD, 1)
        replayed = recorded.base(k * PERIOD)
        np.testing.assert_allclose(live.state, replayed.state, atol=1e-9)
        np.testing.assert_allclose(live.odometry, replayed.odometry, atol=1e-9)
    assert wire.feed.base.samples.certain_until_ns == EPOCH_NS + messages[-2].time_ns
    assert not wire.unusable


def test_it_starts_where_it_is_when_the_run_begins(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "/odom", "start": list(START)})
    for one in list(odometry())[:151]:
        wire.send(one)
    wire.feed.begin_run()
    ((_, found, _),) = wire.played(2000 * MS, 2001 * MS)
    near(found, START)
    ((_, found, _),) = wire.played(2500 * MS, 2501 * MS)
    moved = np.linalg.inv(matrix(*drive(2.0))) @ matrix(*drive(2.5))
    near(found, planar(matrix(*START) @ moved))


def test_a_localization_counts_from_its_stamp_but_not_before_what_was_played(
    tmp_path: Path,
) -> None:
    """It is compared with odometry at its stamp, and arrives 100 ms later, when that has been played."""
    corrected = (1.1, -2.0, 0.75)
    wire = TopicPair(tmp_path, {"odometry": "/odom", "start": "/amcl_pose"})
    messages = list(odometry())
    for one in messages[:10]:
        wire.send(one)
    assert not wire.feed.base.ready
    wire.send(amcl(100 * MS, planar(matrix(*START) @ matrix(*drive(0.1)))))
    assert wire.feed.base.ready
    wire.feed.begin_run()
    for one in messages[10:]:
        wire.send(one)
    played = wire.played(200 * MS, 3000 * MS)
    wire.send(amcl(2900 * MS, planar(matrix(*corrected) @ matrix(*drive(2.9)))))
    played += wire.played(3000 * MS, 5000 * MS)
    for seconds, found, words in played:
        start = START if seconds < 3.0 else corrected
        near(found, planar(matrix(*start) @ matrix(*drive(seconds))))
        assert bool(words) == (seconds == 3.0)


def test_transforms_with_a_map_that_jumps(tmp_path: Path) -> None:
    before, after = (3.0, 1.0, -0.6), (3.1, 1.0, -0.55)
    wire = TopicPair(tmp_path, {"odometry": "tf", "start": "tf"})
    wire.send(tf(0, [("footprint", "base_link", (0, 0, 0.1, 0, 0, 0))], "/tf_static"))
    for k in range(251):
        t = k * PERIOD
        wire.send(tf(t, [("odom", "footprint", drive(t / 1e9)), ("odom", "other", (9, 9, 9))]))
        at = before if t < 3000 * MS else after
        wire.send(tf(t, [("map", "odom", at)], stamp_ns=t + 500 * MS))
        if k == 10:
            assert wire.feed.base.ready
            wire.feed.begin_run()
        if k > 14:  # motion lags by some samples, as that of joints
            ((seconds, found, words),) = wire.played(t - 80 * MS, t - 79 * MS)
            near(
                found,
                planar(matrix(*(before if seconds < 3.0 else after)) @ matrix(*drive(seconds))),
            )
            assert bool(words) == (seconds == 3.0)


def test_a_fixed_map_that_comes_first(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "tf", "start": "tf"})
    wire.send(tf(0, [("map", "odom", START)], "/tf_static"))
    for k in range(10):
        wire.send(tf(k * PERIOD, [("odom", "base_link", drive(k * PERIOD / 1e9))]))
    assert wire.feed.base.ready
    wire.feed.begin_run()
    ((_, found, _),) = wire.played(40 * MS, 41 * MS)
    near(found, planar(matrix(*START) @ matrix(*drive(0.04))))


def test_what_cannot_be_used_is_left_out(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "/odom"})
    messages = list(odometry())
    for one in messages[:10]:
        wire.send(one)
    wire.send(messages[5])
    wire.send(posed(ODOMETRY, 200 * MS, (math.nan, 0.0, 0.0)))
    wire.send(posed(ODOMETRY, 200 * MS, drive(0.2), child="lidar"))
    wire.heard["/odom"](b"\x00\x01\x00\x00", ODOMETRY, EPOCH_NS)
    assert [text.partition(": ")[0] for text in wire.unusable] == ["/odom"] * 4
    assert "0.080 s older" in wire.unusable[0]
    assert "finite" in wire.unusable[1]
    assert "about lidar, not base_link" in wire.unusable[2]
    assert wire.feed.base.samples.newest_ns == EPOCH_NS + 180 * MS


def test_a_jump_of_odometry_ends_the_run_but_not_the_time_before(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "/odom"})
    still = [posed(ODOMETRY, k * PERIOD, (0.0, 0.0, 0.0)) for k in range(20)]
    for one in still:
        wire.send(one)
    wire.send(posed(ODOMETRY, 400 * MS, (3.0, 0.0, 0.0)))
    assert not wire.feed.broken
    assert not wire.feed.base.ready
    for k in range(21, 40):
        wire.send(posed(ODOMETRY, k * PERIOD, (3.0, 0.0, 0.0)))
    wire.feed.begin_run()
    wire.send(posed(ODOMETRY, 40 * PERIOD, (3.5, 0.0, 0.0)))
    assert wire.feed.broken == "odometry on /odom jumps by 0.500 m and 0.000 rad within 0.020 s"


def test_skipped_motion_is_bridged(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "/odom", "start": "/amcl_pose"})
    wire.send(amcl(0, START))
    for one in odometry():
        wire.send(one)
    wire.feed.begin_run()
    wire.played(0, 100 * MS)
    wire.send(amcl(1000 * MS, planar(matrix(*START) @ matrix(*drive(1.0)))))
    wire.feed.base.skip(EPOCH_NS + 500 * MS, 1800 * MS)
    wire.feed.base.samples.remove_interval(EPOCH_NS + 500 * MS, EPOCH_NS + 2500 * MS, 200 * MS)
    ((_, found, _),) = wire.played(1200 * MS, 1201 * MS)
    near(found, planar(matrix(*START) @ matrix(*drive(3.0))))


@pytest.mark.parametrize(
    ("base", "topics", "words"),
    [
        ({"odometry": "/odm"}, ["/odom"], ("robot.base.odometry", "within 3 s", "perhaps '/odom'")),
        ({"odometry": "/odom"}, [], ("robot.base.odometry", "nav_msgs/msg/Odometry")),
        ({"odometry": "tf"}, [], ("robot.base.odometry", "base_link moves", "frames none")),
    ],
)
def test_topics_that_are_absent(
    tmp_path: Path, base: Any, topics: list[str], words: Sequence[str]
) -> None:
    wire = TopicPair(tmp_path, base, topics)
    for word in words:
        assert word in str(wire.feed.missing(3.0, wire))


def test_topics_of_another_type_and_frame(tmp_path: Path) -> None:
    wire = TopicPair(tmp_path, {"odometry": "/odom"})
    wire.heard["/odom"](b"", TF, EPOCH_NS)
    assert isinstance(wire.feed.problem, BadInput)
    assert "tf2_msgs/msg/TFMessage" in str(wire.feed.missing(3.0, wire))
    wire = TopicPair(tmp_path, {"odometry": "/odom"})
    wire.send(posed(ODOMETRY, 0, (0.0, 0.0, 0.0), child="lift"))
    assert "lift_joint moves" in str(wire.feed.problem)
