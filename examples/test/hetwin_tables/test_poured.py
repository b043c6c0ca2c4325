"""A jug that is tilted there and back pours as much whether its fluid is split off or not."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("hetwin_fluid", reason="hetwin_fluid is not installed")

from poured import Tilt, Way, poured

COUNT = 25
SOME = Tilt(1.9, 0.5)


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> int:
    return poured(Way.SINGLE, SOME, COUNT, tmp_path_factory.mktemp("single"))


def test_the_tilt_pours_a_part(single: int) -> None:
    assert 3 <= single <= COUNT - 1


@pytest.mark.parametrize("way", [Way.SPHERES, Way.POINTS])
def test_splitting_the_fluid_off_pours_the_same(way: Way, single: int, tmp_path: Path) -> None:
    """Within a tenth of the fluid; where each particle begins makes as much of a difference."""
    assert poured(way, SOME, COUNT, tmp_path) == pytest.approx(single, abs=0.1 * COUNT + 0.5)


def test_a_long_pour_empties_the_jug(tmp_path: Path) -> None:
    assert poured(Way.POINTS, Tilt(1.9, 0.5, 1.0), COUNT, tmp_path) == COUNT
