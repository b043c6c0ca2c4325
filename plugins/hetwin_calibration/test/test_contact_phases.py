"""Contact phases (joints move on, stall or slip under a push), and temporary loads."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from effort_split import Arm
from support.robot_files import TABLETOP_ARM

from hetwin_calibration.efforts.bodies import link_loads
from hetwin_calibration.efforts.carried import carried_load
from hetwin_calibration.efforts.fitting import split
from hetwin_calibration.efforts.phases import Phase, phase_of
from hetwin_calibration.efforts.samples import Samples, sampled
from hetwin_core.ensemble.scene.values import Floats

MASS_KG, LIFTED_S, DOWN_S = 0.3, 8.0, 17.0


@cache
def arm() -> Arm:
    return Arm(str(TABLETOP_ARM))


def samples_of(seed: int = 2, carried_kg: float = 0.0) -> Samples:
    times, positions, efforts = arm().recording(np.random.default_rng(seed), 25.0, {})
    samples = sampled(times, positions, efforts, arm().dynamics)
    during = (samples.times >= LIFTED_S) & (samples.times < DOWN_S)
    more = carried_kg * samples.loads[:, :, 0] * during[:, None]
    return replace(samples, measured=samples.measured + more)


def with_speeds(samples: Samples, speeds: Floats) -> Samples:
    motion = samples.motion.copy()
    motion[1, :, 1] = speeds
    return replace(samples, motion=motion)


@pytest.mark.parametrize(
    ("rests", "moves_again", "phase"),
    [(False, False, Phase.TOUCH), (True, False, Phase.STALL), (True, True, Phase.SLIP)],
)
def test_kinds_of_phases(rests: bool, moves_again: bool, phase: Phase) -> None:
    samples = samples_of()
    speeds = np.full(len(samples.times), 0.3)
    if rests:
        speeds[(samples.times >= 10.0) & (samples.times < 10.6)] = 0.0
    if rests and not moves_again:
        speeds[samples.times >= 10.6] = 0.0
    found = phase_of(with_speeds(samples, speeds), 10.0, 10.8, [1])
    assert found is phase


def test_a_joint_that_rested_all_the_time_neither_stalls_nor_slips() -> None:
    samples = samples_of()
    still = with_speeds(samples, np.zeros(len(samples.times)))
    assert phase_of(still, 10.0, 10.8, [1]) is Phase.TOUCH


def test_a_load_that_is_carried_for_a_while_is_weighed() -> None:
    samples = samples_of(carried_kg=MASS_KG)
    found = carried_load(samples, link_loads(samples, arm().links), split(samples))
    assert found is not None
    assert found.mass == pytest.approx(MASS_KG, abs=0.03)
    assert found.begin == pytest.approx(LIFTED_S, abs=0.25)
    assert found.end == pytest.approx(DOWN_S, abs=0.25)


def test_nothing_is_carried_where_nothing_is() -> None:
    samples = samples_of()
    assert carried_load(samples, link_loads(samples, arm().links), split(samples)) is None
