"""The base by transforms: through the tree, with a map that jumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.mobile_recordings import (
    PERIOD,
    Planar,
    bound,
    cart,
    drive,
    follows,
    matrix,
    odometry,
    planar,
    tf,
)
from support.recorded_bags import MS, Recorded, write_bag

from hetwin_core.ensemble.errors import BadInput

MAP = (3.0, 1.0, -0.6)
CORRECTED = (3.1, 1.0, -0.55)
TIMES = range(0, 6_000_000_001, PERIOD)


def mapped(seconds: float) -> Planar:
    """Where it is in the map, which is corrected after 3 s."""
    return planar(matrix(*(MAP if seconds < 3.0 else CORRECTED)) @ matrix(*drive(seconds)))


def published(prefix: str = "", *, localized: bool = True) -> Iterator[Recorded]:
    """A footprint is on the way; the localization stamps for later, as AMCL does."""
    yield tf(0, [(prefix + "footprint", prefix + "base_link", (0, 0, 0.1, 0, 0, 0))], "/tf_static")
    for t in TIMES:
        yield tf(t, [("odom", prefix + "footprint", drive(t / 1e9))])
        if localized and t % (100 * MS) == 0:
            at = MAP if t < 3000 * MS else CORRECTED
            yield tf(t, [("map", "odom", at)], stamp_ns=t + 500 * MS)


@pytest.mark.parametrize("prefix", ["", "left/"])
def test_odometry_alone(tmp_path: Path, prefix: str) -> None:
    bag = write_bag(tmp_path / "bag", published(prefix, localized=False))
    source = bound(bag, cart(tmp_path), {"odometry": "tf"})
    follows(source, drive)
    assert source.base(0).odometry[2] == pytest.approx(0.1)
    assert source.base(0).state[2] == 0.0


def test_the_map_is_the_world(tmp_path: Path) -> None:
    source = bound(
        write_bag(tmp_path / "bag", published()),
        cart(tmp_path),
        {"odometry": "tf", "start": "tf"},
    )
    assert not source.base(2980 * MS).corrected
    assert source.base(3000 * MS).corrected.startswith("map puts it 1")
    follows(source, mapped)
    assert source.base(6000 * MS).state[2] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("base", "start"),
    [({"odometry": "tf"}, (0.0, 0.0, 0.0)), ({"odometry": "tf", "start": [1, 2, 3]}, (1, 2, 3))],
)
def test_only_corrections_count_if_it_starts_elsewhere(
    tmp_path: Path, base: dict[str, Any], start: Planar
) -> None:
    world = matrix(*start) @ np.linalg.inv(matrix(*MAP))
    source = bound(write_bag(tmp_path / "bag", published()), cart(tmp_path), base)
    follows(source, lambda seconds: planar(world @ matrix(*mapped(seconds))))


def test_a_map_that_does_not_move(tmp_path: Path) -> None:
    fixed = tf(0, [("map", "odom", MAP)], "/tf_static")
    bag = write_bag(tmp_path / "bag", [fixed, *published(localized=False)])
    source = bound(bag, cart(tmp_path), {"odometry": "tf", "start": "tf"})
    follows(source, lambda seconds: planar(matrix(*MAP) @ matrix(*drive(seconds))))


def others() -> Iterator[Recorded]:
    for t in TIMES:
        yield tf(t, [("odom", "trolley", drive(t / 1e9))])


def nan() -> Iterator[Recorded]:
    yield from published()
    yield tf(6020 * MS, [("odom", "footprint", (float("nan"), 0.0, 0.0))])


def two_parents() -> Iterator[Recorded]:
    yield from published()
    for t in TIMES:
        yield tf(t, [("mocap", "base_link", drive(t / 1e9))])


@pytest.mark.parametrize(
    ("messages", "base", "words"),
    [
        (odometry(), {"odometry": "tf"}, ("robot.base.odometry", "no transforms", "/odom")),
        (others(), {"odometry": "tf"}, ("how base_link moves", "odom, trolley", "to base_link")),
        (nan(), {"odometry": "tf"}, ("not a pose", "footprint in odom at 6.020 s", "nan")),
        (two_parents(), {"odometry": "tf"}, ("several", "base_link in mocap", "footprint in odom")),
        (
            published(localized=False),
            {"odometry": "tf", "start": "tf"},
            ("robot.base.start", "in a map", "x y yaw"),
        ),
    ],
)
def test_transforms_that_do_not_say_it(
    tmp_path: Path, messages: Iterator[Recorded], base: dict[str, Any], words: Sequence[str]
) -> None:
    with pytest.raises(BadInput) as error:
        bound(write_bag(tmp_path / "bag", messages), cart(tmp_path), base)
    for word in words:
        assert word in str(error.value)
