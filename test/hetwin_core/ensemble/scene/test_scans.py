"""What the numbers of a laser scan mean."""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest

from hetwin_core.ensemble.scene.scans import ScanPattern

UNMOVED = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
PATTERN = ScanPattern("front", UNMOVED, -pi / 2, pi / 2, 5, 0.1, 4.0, 10.0)


def test_the_beams_go_evenly_from_the_first_angle_to_the_last() -> None:
    assert PATTERN.angles == pytest.approx([-pi / 2, -pi / 4, 0.0, pi / 4, pi / 2])
    assert PATTERN.increment == pytest.approx(pi / 4)


def test_what_is_too_near_and_what_is_nothing_are_told_apart() -> None:
    scan = PATTERN.as_measured(np.array([0.05, 0.1, 2.0, 3.99, 4.0]))
    assert scan.tolist() == [0.0, 0.1, 2.0, 3.99, 4.0]
    assert PATTERN.as_published(scan).tolist() == [-inf, 0.1, 2.0, 3.99, inf]


def test_a_scanner_that_is_moved_on_its_link_has_a_frame_of_its_own() -> None:
    raised = ScanPattern("front", (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0), 0.0, 1.0, 5, 0.1, 4.0, 10.0)
    assert PATTERN.frame_on("head") == "head"
    assert raised.frame_on("head") == "front"
    assert raised.frame_on("left::head") == "left::front"


def test_it_comes_back_from_json() -> None:
    assert ScanPattern.from_json(PATTERN.to_json()) == PATTERN
