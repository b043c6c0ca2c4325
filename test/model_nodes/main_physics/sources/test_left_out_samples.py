"""Positions and efforts that are no numbers, missing or in other units: left out of their joints alone, counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.odd_recordings import (
    COUNT,
    NAN,
    error,
    in_degrees,
    lost,
    messages,
    opened,
    said,
    written,
)
from support.recorded_bags import Recorded, joints, write_bag
from support.tabletop import JOINTS

from hetwin_core.ensemble.concern_words import concern_text
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import PositionUnit

CLOSE = 2e-3
FINGERS = [i for i, name in enumerate(JOINTS) if "finger" in name]


def but(values: Sequence[float], odd: float, *at: int) -> list[float]:
    return [odd if i in at else value for i, value in enumerate(values)]


@pytest.mark.parametrize("odd", [NAN, math.inf, -math.inf])
def test_what_is_no_number_is_left_out_of_its_joint(tmp_path: Path, odd: float) -> None:
    made = messages(positions=lambda k, p: but(p, odd, 1, 3) if 50 <= k < 56 else p)
    source = written(tmp_path, made)
    assert said(source)["not_a_number"].arguments["count"] == 12
    assert said(source)["not_a_number"].arguments["joints"] == [JOINTS[1], JOINTS[3]]
    assert lost(source) == pytest.approx(6 / COUNT)
    assert error(source) < CLOSE
    assert source.joint_names == tuple(sorted(JOINTS))


def test_nothing_is_known_until_the_robot_is_activated(tmp_path: Path) -> None:
    made = messages(positions=lambda k, p: [NAN] * len(p) if k < 6 else p)
    source = written(tmp_path, made)
    assert lost(source) == pytest.approx(6 / COUNT)
    assert np.isfinite(source.bind(JOINTS, 10**6)).all()
    assert np.isfinite(source.motion(0).positions).all()


def test_joints_that_the_robot_does_not_have_never_matter(tmp_path: Path) -> None:
    made = messages(positions=lambda k, p: [*p, NAN, math.inf], names=[*JOINTS, "castor", "tool"])
    source = written(tmp_path, made)
    assert source.findings == ()
    assert error(source) < CLOSE


def test_a_joint_that_never_has_a_position_rests(tmp_path: Path) -> None:
    source = written(tmp_path, messages(positions=lambda k, p: but(p, NAN, 2)))
    assert lost(source) == 1.0
    driven = source.bind(JOINTS, 10**6)
    assert [joint for joint, known in zip(JOINTS, driven, strict=True) if not known] == [JOINTS[2]]


def test_no_joint_ever_has_a_position(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="all positions of which are not numbers"):
        written(tmp_path, messages(positions=lambda k, p: [NAN] * len(p)))


def test_messages_with_empty_or_too_few_positions(tmp_path: Path) -> None:
    def some(k: int, values: list[float]) -> list[float]:
        return [] if k in (40, 41) else values[:2] if k == 90 else values

    source = written(tmp_path, messages(positions=some))
    assert said(source)["no_positions"].arguments["count"] == 2
    assert said(source)["misfit"].arguments["count"] == 1
    assert lost(source) == pytest.approx(3 / COUNT)
    assert error(source) < CLOSE


def test_efforts_that_are_no_numbers(tmp_path: Path) -> None:
    def some(k: int) -> list[float]:
        return (
            but([1.0] * len(JOINTS), math.inf if k == 80 else NAN, 0)
            if k in (80, 81)
            else [1.0] * len(JOINTS)
        )

    source = written(tmp_path, messages(efforts=some))
    assert said(source)["efforts_not_a_number"].arguments["count"] == 1
    source.bind(JOINTS, 10**6)
    assert math.isnan(source.motion(80 * 12_500_000).efforts[0])
    assert source.motion(83 * 12_500_000).efforts[0] == 1.0
    assert lost(source) == 0.0


def test_samples_of_the_same_time_that_differ_are_counted(tmp_path: Path) -> None:
    made = messages(stamp=lambda k, t: t - 12_500_000 * (k % 2))
    source = written(tmp_path, made)
    assert said(source)["same_time"].arguments["count"] == COUNT // 2
    assert lost(source) == pytest.approx(0.5)


# --- units


def test_degrees_are_recognised_and_converted(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", messages(positions=in_degrees))
    (found,) = [one for one in opened(bag).findings if one.name == "other_units"]
    text = concern_text(found.name, found.arguments)
    assert "look like degrees, as joint limits are passed by up to 57 times" in text
    assert "--units degrees" in text
    assert error(opened(bag, units=[PositionUnit.DEGREES])) < CLOSE


def test_millimetres_are_recognised_and_converted(tmp_path: Path) -> None:
    def wide(k: int, values: list[float]) -> list[float]:
        return [v * 1e3 if i in FINGERS else v for i, v in enumerate(values)]

    bag = write_bag(tmp_path / "bag", messages(positions=wide))
    (found,) = [one for one in opened(bag).findings if one.name == "other_units"]
    assert (found.arguments["unit"], found.arguments["factor"]) == ("millimetres", 1000)
    source = opened(bag, units=[PositionUnit.MILLIMETRES])
    source.bind(JOINTS, 10**6)
    assert source.motion(10**9).positions[FINGERS[0]] == pytest.approx(0.02)
    assert not [one for one in source.findings if one.name == "other_units"]


def test_radians_and_another_robots_joints_do_not_look_like_degrees(tmp_path: Path) -> None:
    assert written(tmp_path, messages()).findings == ()
    wild = messages(positions=lambda k, p: [1e4 * v for v in p])
    names = {one.name for one in written(tmp_path / "wild", wild).findings}
    assert "other_units" not in names


def test_one_of_two_topics_is_out_of_order(tmp_path: Path) -> None:
    """What is not the robot's is not spoken of."""
    other: list[Recorded] = [
        joints(k * 10**7, ["belt"], [0.1 * k], stamp_ns=k * 10**7 - (k % 5) * 10**8, topic="/belt")
        for k in range(100)
    ]
    made = sorted([*messages(), *other], key=lambda one: one.time_ns)
    assert written(tmp_path, made).findings == ()
