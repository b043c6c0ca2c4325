"""Travel times: trapezoidal profiles, recovery of simulated robots from their laps, and the choice of the predictor."""

from __future__ import annotations

import numpy as np
import pytest
from travelling import PERIOD_S, SHEET, hidden_robot, laps_of

from hetwin_calibration.travel.model import NAMES, Lap, TravelModel, choose, travel_model


@pytest.mark.parametrize(
    ("rotation", "displacement", "time"),
    [
        (0.0, 0.0, 0.1),
        (2.0, 0.0, 0.1 + 2.0 / 1.0 + 1.0 / 2.0),  # long: ramps and constant speed
        (-0.08, 0.0, 0.1 + 2.0 * 0.2),  # short: a triangle
        (2.0, 1.0, 0.1 + 2.5 + 1.0 / 0.5 + 0.5),
    ],
)
def test_time_of_a_command(rotation: float, displacement: float, time: float) -> None:
    model = TravelModel(1.0, 2.0, 0.5, 1.0, 0.1)
    assert model.time(rotation, displacement) == pytest.approx(time)


def test_exact_laps_give_the_exact_robot() -> None:
    rng = np.random.default_rng(0)
    robot = TravelModel(1.2, 3.6, 0.45, 0.7, 0.25)
    commands = rng.uniform([-3.0, 0.0], [3.0, 2.0], (60, 2)).tolist()
    laps = [Lap(r, d, robot.time(r, d), SHEET.time(r, d)) for r, d in commands]
    fit = travel_model(laps)
    for name in NAMES:
        assert fit.parameters[name] == pytest.approx(getattr(robot, name), rel=0.01), name


def test_units_do_not_matter() -> None:
    """Degrees and millimetres instead of radians and metres; here without a virtual robot."""
    laps = laps_of(hidden_robot(np.random.default_rng(3)), 45, np.random.default_rng(4))
    plain = travel_model([lap._replace(virtual=None) for lap in laps])
    other = travel_model([Lap(np.rad2deg(lap[0]), 1000.0 * lap[1], lap[2], None) for lap in laps])
    assert other.time(90.0, 800.0) == pytest.approx(plain.time(np.pi / 2, 0.8), abs=0.01)


@pytest.mark.parametrize("seed", range(2))
def test_hidden_robots_are_predicted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = hidden_robot(rng)
    learned, others = laps_of(robot, 45, rng), laps_of(robot, 45, rng)
    times = np.array([lap.real for lap in others])
    before = np.median(np.abs([lap.virtual for lap in others] - times))
    after = np.median(np.abs(choose(learned).predict(others) - times))
    assert after < 0.35 * before


def test_the_deviations_hold() -> None:
    """Of 40 robots; benchmarks/travel_intervals.py has 400."""
    off = []
    for seed in range(40):
        rng = np.random.default_rng(1000 + seed)
        robot = hidden_robot(rng)
        fit = travel_model(laps_of(robot, 60, rng))
        off.append([(fit.parameters[n] - getattr(robot, n)) / fit.sd[n] for n in NAMES])
    inside = np.abs(off)
    assert (inside < 1.0).mean() == pytest.approx(0.68, abs=0.1)
    assert (inside < 1.96).mean() == pytest.approx(0.95, abs=0.05)


def test_laps_that_are_counted_in_cycles_last_half_a_cycle_longer() -> None:
    rng = np.random.default_rng(5)
    robot = hidden_robot(rng)
    fit = travel_model(laps_of(robot, 60, rng))
    assert fit.cycle == pytest.approx(PERIOD_S)
    assert fit.time(0.0, 0.0) == pytest.approx(fit.parameters["lag"] + PERIOD_S / 2.0)
    assert (
        travel_model(
            [
                lap._replace(real=(lap.real or 0.0) * 1.0371 + 0.01234 * rng.random())
                for lap in laps_of(robot, 60, rng)
            ]
        ).cycle
        == 0.0
    )


def test_nothing_is_learned_where_there_is_nothing_to_learn() -> None:
    laps = [lap._replace(real=lap.virtual) for lap in laps_of(SHEET, 45, np.random.default_rng(1))]
    assert choose(laps).name == "nothing"


def test_laps_that_are_lost_are_left_out() -> None:
    rng = np.random.default_rng(2)
    laps = laps_of(SHEET, 30, rng)
    holes = [lap._replace(real=None) for lap in laps_of(SHEET, 10, rng)]
    plain, with_holes = travel_model(laps).parameters, travel_model([*laps, *holes]).parameters
    assert with_holes == pytest.approx(plain, rel=0.02)


def test_too_few_laps() -> None:
    laps = laps_of(SHEET, 5, np.random.default_rng(2))
    with pytest.raises(ValueError, match="found 5 laps of the real robot; expected at least 6"):
        choose(laps)
