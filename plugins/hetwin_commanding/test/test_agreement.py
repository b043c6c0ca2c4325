"""What is only late agrees, and what does something else deviates, whatever way it moves."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_commanding.consistency.agreement import (
    Agreement,
    BaseDifference,
    ExpectedMotion,
    Figures,
    Parting,
)

LIMIT = 0.0125


def twin(time: float) -> ExpectedMotion:
    """Two joints that swing, slower and faster."""
    rates = np.array([1.5, 2.5])
    return ExpectedMotion(0.4 * np.sin(rates * time), 0.4 * rates * np.cos(rates * time))


def looks(
    robot: object, seconds: float = 4.0, seed: int = 1
) -> tuple[list[float], list[float], Agreement]:
    """When they parted and agreed again, for a robot as a function of time."""
    agreement, random = Agreement(np.full(2, LIMIT)), np.random.default_rng(seed)
    parted: list[float] = []
    agreed: list[float] = []
    for i in range(round(seconds * 100)):
        time = i / 100
        measured = robot(time) + 3e-4 * random.standard_normal(2)  # type: ignore[operator]
        found = agreement.compare(time, measured, twin)
        if found.changed:
            (parted if found.deviates else agreed).append(time)
    return parted, agreed, agreement


@pytest.mark.parametrize("lag", [0.0, 0.02, 0.06, 0.12])
def test_a_constant_lag_is_learned_and_does_not_deviate(lag: float) -> None:
    parted, _, agreement = looks(lambda time: twin(max(0.0, time - lag)).positions)
    if lag <= 0.02:
        assert parted == []
    assert agreement.lag == pytest.approx(lag, abs=0.01)


@pytest.mark.parametrize("since", [1.0, 1.7, 2.2])
def test_a_robot_that_freezes_or_drifts_deviates_in_half_a_second(since: float) -> None:
    parted, _, _ = looks(lambda time: twin(min(time, since) - 0.01).positions)
    assert since < parted[0] < since + 0.5
    drift = np.array([0.05, 0.05])
    parted, _, _ = looks(lambda time: twin(time - 0.01).positions + drift * max(0.0, time - since))
    assert since < parted[0] < since + 0.5


def test_a_moment_of_lateness_deviates_only_without_patience() -> None:
    def parted(seconds: float, patience: float) -> float | None:
        agreement = Agreement(np.full(2, LIMIT), patience)
        for i in range(300):
            time = i / 100
            late = 0.06 if 1.0 < time < 1.0 + seconds else 0.01
            found = agreement.compare(time, twin(time - late).positions, twin)
            if found.changed and found.deviates:
                return time
        return None

    assert parted(0.1, 0.0) is not None
    assert parted(0.1, 0.12) is None
    after = parted(1.0, 0.12)
    assert after is not None
    assert 1.12 < after < 1.3


def test_they_agree_again_when_they_are_together_for_a_while() -> None:
    def pushed(time: float) -> np.ndarray:
        return twin(time - 0.01).positions + (0.03 if 1.0 < time < 2.0 else 0.0)

    parted, agreed, _ = looks(pushed)
    assert len(parted) == len(agreed) == 1
    assert 2.2 <= agreed[0] < 3.2


def test_a_single_sample_and_an_unknown_joint_are_nothing() -> None:
    parting = Parting(np.array([0.1, 0.1]))
    apart = [[0.0, 0.2], [0.0, 0.0], [np.nan, 0.0], [np.nan, np.nan]]
    assert not any(parting.update(i / 100, np.array(row)) for i, row in enumerate(apart))
    assert not parting.update(0.05, np.array([0.2, np.nan]))
    assert parting.update(0.06, np.array([-0.2, np.nan]))
    assert parting.deviates


def test_figures_leave_out_what_was_not_compared() -> None:
    figures = Figures(["a", "b"])
    assert figures.to_json() is None
    figures.add(np.array([0.3, np.nan]), lag=0.0125)
    figures.add(np.array([-0.4, np.nan]), lag=0.0125, tip=0.02)
    found = figures.to_json()
    assert found is not None
    assert found["joints"] == {
        "rms": pytest.approx(0.125**0.5),
        "max": 0.4,
        "of": {"a": {"rms": pytest.approx(0.125**0.5, abs=1e-6), "max": 0.4}},
    }
    assert found["tip"] == {"rms": 0.02, "max": 0.02}
    assert found["lag"] == {"median": pytest.approx(0.0125), "p95": pytest.approx(0.0125)}
    assert found["base"] is found["heading"] is None


def planar(x: float, y: float, yaw: float) -> np.ndarray:
    return np.array([x, y, 0, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2), *[0.0] * 6])


def test_a_base_is_compared_with_its_odometry_wherever_that_began() -> None:
    base = BaseDifference(planar(2, 1, np.pi / 2), planar(0, 0, 0))
    distance, angle = base.compare(planar(2, 2, np.pi / 2 + 0.1), planar(1, 0, 0), False)
    assert (distance, angle) == (pytest.approx(0.0, abs=1e-9), pytest.approx(0.1))
    distance, _ = base.compare(planar(2, 2.5, 0), planar(1, 0, 0), False)
    assert distance == pytest.approx(0.5)
    assert base.compare(planar(2, 2.5, 0), planar(1, 0, 0), True) == (0.0, 0.0)
