"""The search for the smallest change, on futures that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np
import pytest

from hetwin_core.ensemble.scenario.uncertainty import Sigma, Spread, Uniform
from hetwin_futures.explanation import Change, Place, with_change
from hetwin_futures.search import FUTURES, SHIFTS_M, Candidate, Search, Sufficient, candidates
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.run_result import RunResult
from hetwin_suite._study.uncertain import UncertainPose, UncertainQuantity, Uncertainty

AT = np.array([0.4, -0.3, 0.7, 1.0, 0.0, 0.0, 0.0])
SIGMA = 0.002
BIN = UncertainPose("bin", Spread(sigma=[SIGMA, SIGMA, 0.0]), {"bin": AT})
BALL = UncertainQuantity("ball", "mass", Sigma(sigma=0.001), 0.058)
UNCERTAIN = Uncertainty("physics", (BIN,), (BALL,))


class World:
    """Futures succeed if the bin is so far off in a direction, whatever else is drawn."""

    def __init__(self, angle: float, distance: float, broken: bool = False) -> None:
        self.towards = np.array([np.cos(angle), np.sin(angle)])
        self.distance, self.broken, self.made = distance, broken, 0

    def fork(self, draws: Sequence[Draw]) -> list[RunResult]:
        """Return the futures, the last one first."""
        self.made += len(draws)
        return [self._future(draw) for draw in reversed(draws)]

    def _future(self, draw: Draw) -> RunResult:
        place = np.array(draw.scene.get("bin", {"pose": AT})["pose"][:2]) - AT[:2]
        good = float(place @ self.towards) >= self.distance
        error = "it broke" if self.broken else None
        return RunResult(draw.index, outcomes={"in": good}, error=error)


def found_in(world: World, candidate: Candidate, below: float = float("inf")) -> Sufficient | None:
    """What the search finds."""
    places = [Place("bin", {"bin": AT})]

    def certain(change: Change, index: int) -> Draw:
        return with_change(change, places, Uncertainty("physics"), 0, index)

    def drawn(change: Change, number: int, index: int) -> Draw:
        one = with_change(change, places, UNCERTAIN, 3, number)
        return Draw(index, one.seed, one.inputs, one.scene, one.parameters)

    return Search(certain, drawn, world.fork).smallest(candidate, below)


def bin_shifts() -> Candidate:
    """The bin in any direction."""
    (one,) = candidates(UNCERTAIN, "bin")
    return one


@pytest.mark.parametrize("angle", [0.0, 0.4, pi / 2, -2.5])
def test_the_smallest_shift_that_nearly_always_mends_is_found(angle: float) -> None:
    found = found_in(World(angle, 0.03), bin_shifts())
    assert found is not None
    shift = np.array(found.change.shift[:2])
    assert found.p.p >= 0.9
    assert found.p.of == FUTURES
    assert found.change.entity == "bin"
    assert 0.03 <= np.linalg.norm(shift) < 0.03 + 6 * SIGMA
    assert shift @ World(angle, 0.03).towards >= 0.03


def test_a_shift_on_the_boundary_is_not_enough() -> None:
    found = found_in(World(0.0, 0.03), bin_shifts())
    assert found is not None
    assert found.amount > 0.03 + SIGMA / 2  # at 30 mm half of the futures fail


def test_nothing_is_found_beyond_what_is_tried_or_asked_for() -> None:
    assert found_in(World(0.0, SHIFTS_M[-1] + 0.02), bin_shifts()) is None
    assert found_in(World(0.0, 0.05), bin_shifts(), below=0.03) is None


def test_futures_that_break_down_never_count_as_mended() -> None:
    assert found_in(World(0.0, 0.0, broken=True), bin_shifts()) is None


def test_a_search_needs_few_futures() -> None:
    world = World(0.3, 0.03)
    found_in(world, bin_shifts())
    assert world.made < 130


def test_a_number_is_tried_both_ways() -> None:
    (mass,) = candidates(UNCERTAIN, "ball.mass")
    assert [ray.change_by(2.0).after for ray in mass.rays] == pytest.approx([0.06, 0.056])
    draw = with_change(mass.rays[0].change_by(2.0), [], UNCERTAIN, 0, 0)
    assert draw.inputs["ball.mass"] == pytest.approx(0.06)
    assert draw.parameters["physics"]["bodies"]["ball"]["mass"] == pytest.approx(0.06 / 0.058)


def test_a_number_between_two_is_tried_from_the_middle() -> None:
    bounce = UncertainQuantity("ball", "bounce", Uniform(between=[0.2, 0.4]))
    (one,) = candidates(Uncertainty("physics", (), (bounce,)), "ball.bounce")
    assert [ray.change_by(one.amounts[-1]).after for ray in one.rays] == pytest.approx([0.4, 0.2])


def test_a_change_is_added_to_what_is_drawn_and_moves_what_is_carried() -> None:
    stand = UncertainPose(
        "stand", Spread(sigma=[SIGMA, SIGMA, 0.0]), {"stand": AT, "ball": AT + 0.01}
    )
    uncertain = Uncertainty("physics", (stand,))
    places = [Place("stand", stand.poses)]
    plain = uncertain.draw(1, 5)
    moved = with_change(Change("stand", (0.0, 0.02, 0.0)), places, uncertain, 1, 5)
    for name in ("stand", "ball"):
        apart = np.array(moved.scene[name]["pose"]) - np.array(plain.scene[name]["pose"])
        assert apart == pytest.approx([0.0, 0.02, 0.0, 0.0, 0.0, 0.0, 0.0])
