"""Drive calibration: simulated robots are recovered, useless data changes nothing, and anomalies cause warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from made_up_drives import SHEET, World, driven, hidden_drive, off_after

from hetwin_calibration.drives.calibrating import TooLittle, calibrate
from hetwin_calibration.drives.choosing import windows_for
from hetwin_calibration.drives.drive import NAMES, Drive, Recording, reckoned
from hetwin_calibration.drives.fitting import fitted

HIDDEN = Drive(0.0507, 0.0515, 0.285, 0.08)
GEOMETRY = NAMES[:4]
FIELD = World(slip=0.01)


@cache
def recording(seed: int = 0, world: World = FIELD, duration: float = 160.0) -> Recording:
    return driven(HIDDEN, duration, np.random.default_rng(seed), world)


def test_dead_reckoning_of_an_arc() -> None:
    times = np.linspace(0.0, 2.0, 41)
    wheels = np.outer(times, [4.0, 6.0])
    path = reckoned(Drive(0.1, 0.1, 0.5), Recording("", times, wheels, times, wheels, None))
    assert path.headings[-1] == pytest.approx(0.8)
    radius = 1.0 / 0.8
    expected = [radius * np.sin(0.8), radius * (1.0 - np.cos(0.8))]
    np.testing.assert_allclose(path.places[-1], expected, atol=1e-12)


def test_lag_bias_and_swapped_wheels_mean_what_is_said() -> None:
    """The pose at t belongs to the angles stamped t + lag; the bias is added to the turn."""
    times = np.linspace(0.0, 4.0, 81)
    wheels = np.column_stack([times**2, 2.0 * times**2])
    made = Recording("", times, wheels, times[:60], wheels[:60], None)
    path = reckoned(Drive(0.1, 0.1, 0.5, lag=0.5, yaw_bias=0.01), made)
    end = (times[59] + 0.5) ** 2 - 0.25
    assert path.headings[-1] == pytest.approx(0.1 * end / 0.5 + 0.01 * times[59])
    assert path.ways[-1] == pytest.approx(0.1 * 1.5 * end)
    other = reckoned(Drive(0.1, 0.1, 0.5, lag=0.5, swapped=True), made)
    assert other.headings[-1] == pytest.approx(-0.1 * end / 0.5)


@pytest.mark.parametrize("headings", [True, False])
def test_a_hidden_robot_is_found(headings: bool) -> None:
    made = recording() if headings else replace(recording(), headings=None)
    fit = fitted(windows_for([made], 30.0), SHEET, GEOMETRY)
    for name in GEOMETRY[:3]:
        assert fit.drive.parameters[name] == pytest.approx(HIDDEN.parameters[name], rel=0.004)
    assert fit.drive.lag == pytest.approx(0.08, abs=0.02)


def test_the_deviations_hold() -> None:
    """Half of the parameters are off by less than about one standard deviation."""
    off = []
    for seed in range(4):
        fit = fitted(windows_for([recording(seed)], 30.0), SHEET, GEOMETRY)
        off += [(fit.drive.parameters[n] - HIDDEN.parameters[n]) / fit.sd[n] for n in GEOMETRY]
    assert 0.3 < np.median(np.abs(off)) < 1.6


def test_other_drives_of_the_robot_are_predicted() -> None:
    found = calibrate([recording()], SHEET)
    assert found.verdict == "updated"
    assert not found.warnings
    place, heading = off_after(SHEET, recording(1), 30.0)
    place_after, heading_after = off_after(found.drive, recording(1), 30.0)
    assert place_after < 0.4 * place
    assert heading_after < 0.55 * heading


def test_nothing_is_updated_where_there_is_nothing_to_learn() -> None:
    found = calibrate([recording()], HIDDEN)
    assert (found.verdict, found.chosen, found.drive) == ("unchanged", (), HIDDEN)
    assert set(found.sd.values()) == {0.0}


ODD: dict[str, tuple[Callable[[Recording], Recording], Drive, str]] = {
    "swapped, from places": (
        lambda r: replace(r, wheels=r.wheels[:, ::-1], headings=None),
        SHEET,
        "the wheels are swapped",
    ),
    "left wheel backwards": (
        lambda r: replace(r, wheels=r.wheels * [-1.0, 1.0]),
        SHEET,
        "the left wheel's angle counts backwards",
    ),
    "half the base": (lambda r: r, SHEET.but(base=0.6), "the base is 0.4"),
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=(pytest.mark.long,) if "base" in kind else ()) for kind in ODD],
)
def test_what_is_odd_is_found_and_said(kind: str) -> None:
    change, sheet, words = ODD[kind]
    made = change(recording())
    found = calibrate([made], sheet)
    assert any(text.startswith(words) for text in found.warnings), found.warnings
    assert found.drive.swapped is ("swapped" in kind)
    seen = replace(made, headings=recording().headings)
    place, _ = off_after(found.drive, seen, 30.0)
    assert place < 0.1
    assert abs(found.drive.base) == pytest.approx(HIDDEN.base, rel=0.01)


def test_swapped_wheels_are_found_in_a_quarter_of_a_minute() -> None:
    made = recording().between(20.0, 35.0)
    swapped = replace(made, wheels=made.wheels[:, ::-1])
    found = calibrate([swapped], SHEET)
    assert found.length == 3.0
    assert found.drive.swapped
    assert off_after(SHEET, swapped, 10.0)[0] > 1.0
    assert off_after(found.drive, swapped, 10.0)[0] < 0.025


def straight() -> Recording:
    times = np.linspace(0.0, 100.0, 1001)
    ways = 0.3 * times
    places = np.column_stack([ways, np.zeros_like(ways)])
    return Recording(
        "", times, np.outer(ways / 0.05, [1.0, 1.0]), times, places, np.zeros_like(ways)
    )


LITTLE = {
    "too short": (lambda: recording().between(0.0, 8.0), "expected at least 13 s"),
    "too few turns": (straight, "the robot turns by 0.0 rad; expected at least 2 rad"),
    "at rest": (
        lambda: replace(straight(), places=np.zeros((1001, 2)), wheels=np.zeros((1001, 2))),
        "the robot drives 0.00 m",
    ),
}


@pytest.mark.parametrize("kind", LITTLE)
def test_too_little_to_learn_from(kind: str) -> None:
    make, words = LITTLE[kind]
    with pytest.raises(TooLittle, match=words):
        calibrate([make()], SHEET)


def test_hidden_drives_differ() -> None:
    drives = {hidden_drive(np.random.default_rng(seed)) for seed in range(5)}
    assert len(drives) == 5
