"""What the choice between picking and sweeping is learnt from."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_truck.choice import features_of
from hetwin_truck.program import aim


def packet(x: float, y: float, z: float, size: float = 0.3) -> list[float]:
    return [x, y - size / 2, z, x + size, y + size / 2, z + size]


TALL: Floats = np.array([packet(1.0, y, 0.3 * i) for y in (-0.3, 0.0, 0.3) for i in range(5)])
"""Three columns of five packets side by side."""


def test_of_a_wall_it_tells_how_many_the_cups_meet_and_how_many_stand_on_the_floor() -> None:
    meets, in_way, height, depth, swept, floor, loose, before, gap, front = features_of(TALL)
    assert aim(TALL).y == -0.3
    # The cups reach the upper two packets of two of the columns.
    assert (meets, in_way) == (4, 0)
    assert (height, depth, front) == (1.5 - 0.22, 0.0, 1.5)
    assert (swept, floor, loose, before, gap) == (15, 3, 3, 0, 0.0)


def test_of_what_lies_before_the_wall_it_tells_how_many_and_how_far() -> None:
    boxes = np.concatenate([TALL, [packet(0.4, 0.5, 0.0), packet(0.6, -0.5, 0.0)]])
    before_it, behind_it = features_of(TALL), features_of(boxes)
    assert np.array_equal(behind_it[:4], before_it[:4])
    assert behind_it[4:8].tolist() == [17, 5, 5, 2]
    assert np.isclose(behind_it[8], 0.6)


def test_what_stands_before_the_face_that_is_aimed_at_is_in_the_cups_way() -> None:
    tall = np.array([packet(1.2, 0.0, 0.3 * i) for i in range(5)])
    boxes = np.concatenate([tall, [packet(1.0, 0.1, 0.9)]])
    assert aim(boxes).face == 1.2
    meets, in_way, _, depth, *_ = features_of(boxes)
    assert (meets, in_way) == (2, 1)
    assert np.isclose(depth, 0.2)
