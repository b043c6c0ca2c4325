"""Unannounced furniture is found at its measured position."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("hetwin_calibration", reason="hetwin_calibration is not installed")
import paper_tables


def test_each_piece_is_found_once_and_nearer_than_the_detectors_noise() -> None:
    found = paper_tables.estimated(seed=5)
    assert found.keys() == paper_tables.PLACES.keys()
    for name, (real, *_) in paper_tables.PLACES.items():
        assert 0.0 < math.dist(found[name], real) < 2.0 * paper_tables.NOISE_CM
