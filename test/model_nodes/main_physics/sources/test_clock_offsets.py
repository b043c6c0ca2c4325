"""How far the clocks of a recording's topics are apart is said where it is clear, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.moved_together import (
    ACTION,
    PERIOD_NS,
    STATE,
    controlled,
    feedback,
    felt,
    states,
    steps,
    wrenches,
)
from support.recorded_bags import MS, Recorded, write_bag
from support.robot_recordings import JOINT_STATES, Recording, needs

from hetwin_core.ensemble.concern_words import concern_text
from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.clock_offsets import Offset, Signal, offset_between
from model_nodes.main_physics.sources.factory import open_source

SEEDS = range(6)


def offsets(folder: Path, *topics: Sequence[Recorded]) -> list[Finding]:
    """What is said of the clocks of a recording with the messages of some topics."""
    made = sorted((one for topic in topics for one in topic), key=lambda one: one.time_ns)
    source = open_source(write_bag(folder / "bag", made))
    return [one for one in source.findings if one.name == "clock_offset"]


@pytest.mark.parametrize("shift_ms", [-700, -60, 60, 200])
def test_a_wrench_that_is_off_the_efforts(tmp_path: Path, shift_ms: int) -> None:
    efforts = steps(1, 3)
    (found,) = offsets(
        tmp_path, states(steps(2, 3), efforts), wrenches(felt(efforts), shift_ms * MS)
    )
    said = found.arguments
    assert (said["topic"], said["other"]) == ("/wrench", "/joint_states")
    assert said["offset"] == pytest.approx(shift_ms / 1e3, abs=0.015)
    assert found.to_ns > 15_000 * MS


@pytest.mark.parametrize("shift_ms", [-20, 0, 10, 20])
def test_what_is_within_two_samples_is_not_said(tmp_path: Path, shift_ms: int) -> None:
    efforts = steps(1, 3)
    assert not offsets(
        tmp_path, states(steps(2, 3), efforts), wrenches(felt(efforts), shift_ms * MS)
    )


def test_without_efforts_nothing_is_known_of_a_wrench(tmp_path: Path) -> None:
    efforts = steps(1, 3)
    assert not offsets(tmp_path, states(steps(2, 3)), wrenches(felt(efforts), 200 * MS))


def test_feedback_that_comes_late(tmp_path: Path) -> None:
    positions = steps(3, 3)
    (found,) = offsets(tmp_path, states(positions), feedback(positions[:, 2].tolist(), 250 * MS))
    assert found.arguments["offset"] == pytest.approx(0.25, abs=0.015)
    text = concern_text(found.name, found.arguments)
    assert text.startswith(f"{ACTION}/_action/feedback is 0.25 s behind /joint_states (within 0.0")


def test_a_controller_whose_clock_is_ahead(tmp_path: Path) -> None:
    positions = steps(3, 3)
    (found,) = offsets(tmp_path, states(positions), controlled(positions, -180 * MS))
    assert (found.arguments["topic"], found.arguments["way"]) == (STATE, "ahead of")
    assert found.arguments["size"] == pytest.approx(0.18, abs=0.015)


def test_values_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    efforts = steps(1, 3)
    numbers = felt(efforts)
    numbers[400:500:7] = np.nan
    numbers[900:1000:9, 2] = np.inf
    (found,) = offsets(tmp_path, states(steps(2, 3), efforts), wrenches(numbers, 200 * MS))
    assert found.arguments["offset"] == pytest.approx(0.2, abs=0.015)


def track(numbers: Floats, shift: float = 0.0) -> Signal:
    times = np.arange(len(numbers)) * PERIOD_NS / 1e9
    return Signal("/topic", times + shift, numbers)


@pytest.mark.parametrize("seed", SEEDS)
def test_motions_that_have_nothing_to_do_with_each_other(seed: int) -> None:
    assert offset_between(track(steps(seed, 3)), track(steps(100 + seed, 6))) is None
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(2000, 4))
    assert offset_between(track(steps(seed, 3)), track(noise.cumsum(axis=0))) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_an_offset_is_as_far_off_as_it_says_at_most(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, shift = steps(seed, 4), float(rng.uniform(0.1, 0.9)) * (-1) ** seed
    noise = rng.normal(scale=rng.uniform(0.0, 0.05), size=one.shape)
    found = offset_between(track(one), track(one + noise, shift))
    assert found is not None
    assert abs(found.seconds - shift) <= found.uncertainty


def test_a_motion_to_and_fro_does_not_say_which_time_is_meant() -> None:
    times = np.arange(2000) * PERIOD_NS / 1e9
    swing = np.sin(2.0 * np.pi * times)[:, None]
    assert offset_between(track(swing), track(swing, 0.2)) is None
    circle = np.stack((np.sin(times), np.cos(times)), axis=1)
    assert offset_between(track(circle), track(circle, 0.2)) is None


def test_an_offset_that_changes_is_not_said() -> None:
    """Half a second more at the end than at the beginning."""
    numbers = steps(1, 3)
    drifting = track(numbers)._replace(times=np.linspace(0.2, 20.69, len(numbers)))
    assert offset_between(track(numbers), drifting) is None


def test_what_rests_or_is_short_says_nothing() -> None:
    numbers = steps(1, 3)
    assert offset_between(track(numbers), track(np.ones((2000, 1)), 0.2)) is None
    assert offset_between(track(np.ones((2000, 1))), track(numbers, 0.2)) is None
    assert offset_between(track(numbers[:700]), track(numbers[:700], 0.2)) is None


@needs("baxter_pnp_mcap")
@pytest.mark.parametrize("shift", [0.0, -0.3, 0.2, 0.7])
def test_a_real_wrist_whose_clock_is_shifted(shift: float) -> None:
    """A real robot's wrist fits its efforts up to 0.02 s; shifted, by what it is shifted."""
    one, other = real_tracks()
    found = offset_between(one, other._replace(times=other.times + shift))
    if shift:
        assert isinstance(found, Offset)
        assert found.seconds == pytest.approx(shift, abs=0.025)
    else:
        assert found is None
    backwards = other._replace(numbers=other.numbers[::-1], times=other.times + shift)
    assert offset_between(one, backwards) is None


@cache
def real_tracks() -> tuple[Signal, Signal]:
    """The efforts of the right arm, and what its wrist feels."""
    recording = Recording.read(data_folder() / "baxter_pnp_mcap")
    arm = [(at, one) for at, one in recording.messages[JOINT_STATES] if "right_e0" in one.name]
    right = [i for i, name in enumerate(arm[0][1].name) if name.startswith("right_")]
    efforts = np.array([one.effort[right] for _, one in arm])
    felt_at, wrench = recording.series("/wrench", numbers_of)
    return Signal("", np.array([at for at, _ in arm]), efforts), Signal("", felt_at, wrench)


def numbers_of(message: Any) -> tuple[float, ...]:
    parts = message.wrench.force, message.wrench.torque
    return tuple(getattr(part, axis) for part in parts for axis in "xyz")
