"""Odometry and transforms whose clock is wrong, or that pass each other: the base drives as it did; that is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.mobile_recordings import (
    ODOMETRY,
    PERIOD,
    amcl,
    bound,
    cart,
    drive,
    follows,
    odometry,
    posed,
    tf,
)
from support.recorded_bags import EPOCH_NS, MS, Recorded, write_bag

from hetwin_core.ensemble.concern_words import concern_text
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.plan import Plan

COUNT = 301
Clock = Callable[[int, int], int]
"""Number of a message and when it was sent [ns] -> its stamp, or when it was logged [ns]."""


def sent(_: int, time_ns: int) -> int:
    return time_ns


def as_odometry(log_ns: int, time_ns: int, stamp_ns: int) -> Recorded:
    return posed(ODOMETRY, log_ns, drive(time_ns / 1e9), stamp_ns=stamp_ns)


def as_transform(log_ns: int, time_ns: int, stamp_ns: int) -> Recorded:
    return tf(log_ns, [("odom", "base_link", drive(time_ns / 1e9))], stamp_ns=stamp_ns)


def driven(
    folder: Path, origin: str, *, stamp: Clock = sent, log: Clock = sent
) -> tuple[Plan, dict[str, Finding]]:
    """The drive by odometry or by transforms, and what was mended by its kind."""
    made = as_transform if origin == "tf" else as_odometry
    times = [(k, k * PERIOD) for k in range(COUNT)]
    messages = [made(log(k, t), t, stamp(k, t)) for k, t in times]
    bag = write_bag(folder / "bag", sorted(messages, key=lambda one: one.time_ns))
    source = bound(bag, cart(folder), {"odometry": origin})
    mended = (f for f in source.findings if f.name == "mended")
    return source, {str(f.arguments["what"]): f for f in mended}


both = pytest.mark.parametrize("origin", ["/odom", "tf"])


@both
@pytest.mark.parametrize("late_ms", [30, 470])
def test_a_late_message_is_sorted(tmp_path: Path, origin: str, late_ms: int) -> None:
    source, mended = driven(
        tmp_path, origin, log=lambda k, t: t + (late_ms * MS if k == 111 else 0)
    )
    follows(source, drive)
    assert mended.keys() == {"sorted"}
    assert mended["sorted"].arguments["count"] == 1
    assert mended["sorted"].arguments["topic"] == origin.replace("tf", "/tf")


@both
def test_a_message_that_is_much_too_late_is_left_out(tmp_path: Path, origin: str) -> None:
    source, mended = driven(tmp_path, origin, log=lambda k, t: t + (800 * MS if k == 111 else 0))
    follows(source, drive)
    assert mended["late"].arguments["count"] == 1
    (lost,) = (f for f in source.findings if f.name == "left_out")
    assert lost.arguments["share"] == pytest.approx(1 / COUNT)
    assert "1 of 301 samples are not used" in concern_text("left_out", lost.arguments)


@both
@pytest.mark.parametrize("back_ms", [40, 350, 990])
def test_a_clock_that_is_set_back_is_bridged(tmp_path: Path, origin: str, back_ms: int) -> None:
    source, mended = driven(
        tmp_path, origin, stamp=lambda k, t: t - (back_ms * MS if k > 120 else 0)
    )
    follows(source, drive)
    assert mended.keys() == {"set_back"}
    assert mended["set_back"].from_ns == 120 * PERIOD
    assert mended["set_back"].arguments["size"] == pytest.approx(back_ms / 1e3, abs=1e-3)


@both
def test_a_clock_that_stands_is_bridged(tmp_path: Path, origin: str) -> None:
    source, mended = driven(
        tmp_path, origin, stamp=lambda k, t: 100 * PERIOD if 100 <= k < 130 else t
    )
    follows(source, drive)
    assert mended.keys() == {"stood"}


@both
def test_stamps_of_zero_do_not_count(tmp_path: Path, origin: str) -> None:
    source, mended = driven(tmp_path, origin, stamp=lambda k, t: -EPOCH_NS if k < 30 else t)
    follows(source, drive)
    assert mended["unset"].arguments["count"] == 30


@both
def test_a_robot_that_stands_and_repeats_its_last_message_is_not_mended(
    tmp_path: Path, origin: str
) -> None:
    """After 5 s it stands, and what was sent last is sent again with its stamp."""
    source, mended = driven(tmp_path, origin, stamp=lambda k, t: min(t, 5_200 * MS))
    follows(source, drive)
    assert not mended


def test_poses_of_a_localization_that_come_late(tmp_path: Path) -> None:
    times = {1000 * MS: 1000 * MS, 2100 * MS: 2100 * MS, 2000 * MS: 2300 * MS}
    poses = [amcl(log, drive(t / 1e9), stamp_ns=t) for t, log in times.items()]
    messages = sorted([*odometry(), *poses], key=lambda one: one.time_ns)
    bag = write_bag(tmp_path / "bag", messages)
    source = bound(bag, cart(tmp_path), {"odometry": "/odom", "start": "/amcl_pose"})
    follows(source, drive)
    (mended,) = (f for f in source.findings if f.name == "mended")
    assert (mended.arguments["what"], mended.arguments["topic"]) == ("sorted", "/amcl_pose")
