"""The split of simulated efforts of an arm, with and without planted parameters."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from effort_split import Arm
from support.robot_files import TABLETOP_ARM

from hetwin_calibration.efforts.fitting import split
from hetwin_calibration.efforts.samples import sampled
from hetwin_calibration.efforts.splitting import Split
from hetwin_core.ensemble.scene.values import Floats

Planted = dict[tuple[str, int | None], float]
SECONDS = 15.0
FRICTION: Planted = {("dry", 1): 4.0, ("viscous", 1): 3.0}
LOAD: Planted = {("mass", None): 0.8, ("mass_x", None): 0.05}


@cache
def arm() -> Arm:
    return Arm(str(TABLETOP_ARM))


def recorded(planted: Planted, seed: int = 1) -> tuple[Floats, Floats, Floats]:
    return arm().recording(np.random.default_rng(seed), SECONDS, planted)


def found_in(planted: Planted, seed: int = 1) -> Split:
    return arm().split(*recorded(planted, seed))


def claimed(found: Split) -> set[tuple[str, int | None]]:
    return {(one.name, one.joint) for one in found.claims}


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_claimed_where_nothing_was_added(seed: int) -> None:
    found = found_in({}, seed)
    assert found.claims == ()
    assert (found.signs == 1.0).all()
    assert found.is_torque


@pytest.mark.parametrize(
    "planted",
    [FRICTION, LOAD, {("offset", 2): -2.0}, {("lag", j): 0.03 for j in (0, 1, 2)}, FRICTION | LOAD],
    ids=["friction", "load", "offset", "lag", "friction and load"],
)
def test_what_was_planted_is_claimed_and_nothing_else(planted: Planted) -> None:
    found = found_in(planted)
    assert claimed(found) == set(planted)
    for claim in found.claims:
        value = planted[claim.name, claim.joint]
        assert claim.value == pytest.approx(value, abs=4.0 * claim.sd)
        assert claim.sd < 0.2 * abs(value)


def test_a_joint_that_counts_the_other_way_round_is_named() -> None:
    found = found_in(FRICTION | {("sign", 1): -1.0})
    assert found.signs.tolist() == [1.0, -1.0, 1.0, 1.0, 1.0, 1.0]
    assert found.values("dry")[1] == pytest.approx(4.0, rel=0.05)


def test_currents_have_a_factor_and_are_called_so() -> None:
    times, positions, efforts = recorded({("dry", 1): 4.0})
    found = arm().split(times, positions, 0.05 * efforts)
    assert not found.is_torque
    assert found.factors[1:4] == pytest.approx([0.05] * 3, rel=0.05)
    assert found.load.tolist() == [0.0] * 4
    assert found.values("dry")[1] == pytest.approx(0.2, rel=0.1)


def test_a_touch_is_left_and_changes_nothing() -> None:
    times, positions, efforts = recorded(FRICTION)
    during = (times > 7.0) & (times < 7.2)
    efforts[during, 1] += 12.0
    samples = sampled(times, positions, efforts, arm().dynamics)
    found = split(samples)
    left = found.left(samples)[:, 1]
    inside = (samples.times > 7.05) & (samples.times < 7.15)
    assert left[inside] == pytest.approx(12.0, abs=1.0)
    assert np.abs(left[~inside & (np.abs(samples.times - 7.1) > 0.2)]).max() < 3.0
    assert found.values("dry")[1] == pytest.approx(4.0, rel=0.05)


def test_a_joint_that_rests_says_nothing_of_its_friction() -> None:
    times, positions, efforts = recorded({})
    positions = np.repeat(positions[:1], len(times), axis=0)
    efforts = np.tile(arm().dynamics.rigid(positions[0], *np.zeros((2, 6))), (len(times), 1))
    noise = np.random.default_rng(3).normal(0.0, 0.1, efforts.shape)
    efforts = efforts + noise
    efforts[:, 1] += 3.0
    found = arm().split(times, positions, efforts)
    assert {"dry", "viscous"} <= set(found.unknown[1])
    (offset,) = [one for one in found.claims if one.joint == 1]
    assert offset.name == "offset"
    assert offset.value == pytest.approx(3.0, abs=0.2)
    assert offset.instead == (("dry", 1),)  # friction may hold a joint that rests


def test_joints_without_efforts_are_not_judged() -> None:
    times, positions, efforts = recorded(FRICTION)
    efforts[:, 4:] = 0.0
    found = arm().split(times, positions, efforts)
    assert np.isnan(found.noise).tolist() == [False] * 4 + [True] * 2
    with pytest.raises(ValueError, match="found 0 samples with efforts; expected at least 25"):
        arm().split(times, positions, np.zeros_like(efforts))


def test_what_is_too_short_is_refused() -> None:
    times, positions, efforts = recorded({})
    with pytest.raises(ValueError, match=r"found 0\.49 s with efforts; expected at least 1 s"):
        arm().split(times[:50], positions[:50], efforts[:50])


def test_longer_recordings_give_spans_that_lie_in_all_of_it() -> None:
    times = np.arange(0.0, 300.0, 0.02)
    positions = 0.3 * np.sin(0.7 * times)[:, None] * np.ones(6)
    samples = sampled(times, positions, np.ones((len(times), 6)), arm().dynamics)
    assert len(samples.times) == 1000
    assert samples.times[0] < 1.0
    assert samples.times[-1] > 299.0
    assert np.count_nonzero(~samples.within()) == 16


def test_what_is_explained_is_what_was_measured() -> None:
    samples = sampled(*recorded(FRICTION | LOAD), arm().dynamics)
    found = split(samples)
    inside = samples.within(3)
    left = found.left(samples)[inside]
    assert left.std(axis=0) == pytest.approx(found.noise, rel=0.3)
    assert found.share(1) > 0.95
