"""Options that fix a draw of a drop, and leave all others as they are."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hetwin_bauer2022.drops import draw as drops
from hetwin_bauer2022.drops import episode
from hetwin_bauer2022.drops.choices import (
    PINCH_FORCE_N,
    PINCH_FRICTION,
    PINCH_HEIGHT_M,
    check_choices,
    with_choices,
)
from hetwin_bauer2022.drops.draw import Draw, Flaw, Grasp
from hetwin_bauer2022.drops.program import plan
from hetwin_bauer2022.insertions import draw as insertions
from hetwin_bauer2022.kind import FlawChoice, GraspChoice
from hetwin_bauer2022.recipe import Recipe
from hetwin_bauer2022.two_hands.stage import right_hand
from hetwin_bauer2022.two_hands.witness import contact_heights
from hetwin_core.ensemble.errors import BadInput

ROOT = Path(__file__).resolve().parents[3]
SEED = 5
OF_FLAW = {
    Flaw.NONE: set[str](),
    Flaw.FADING: {"force", "fading"},
    Flaw.ELSEWHERE: {"stand_error"},
    Flaw.HIGH: {"height_error"},
}
OF_PINCH = {"grasp", "height_error", "force", "finger_friction"}


def generator(seed: int, index: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


def drawn(index: int) -> Draw:
    return drops.draw(generator(SEED, index))


def recipe(index: int, grasp: str = "cage", flaw: str = "any") -> Recipe:
    return Recipe(SEED, index, GraspChoice(grasp), FlawChoice(flaw))


def differences(one: Draw, other: Draw) -> set[str]:
    names = {field.name for field in fields(Draw)} - {"container"}
    assert one.container is other.container
    return {n for n in names if not np.array_equal(getattr(one, n), getattr(other, n))}


def digest(module: ModuleType, names: list[str]) -> str:
    """Of the drawn values of the first 40 episodes of three seeds."""
    found = hashlib.sha256()
    for seed in (1, 12, 20262):
        for index in range(40):
            one = module.draw(generator(seed, index))
            for name in names:
                value: Any = getattr(one, name)
                value = value.name if name == "container" else value
                text = value if isinstance(value, str) else np.float64(value).tobytes().hex()
                found.update(text.encode())
    return found.hexdigest()


def test_a_seed_draws_what_it_drew_before_there_were_options() -> None:
    names = [field.name for field in fields(Draw) if field.name not in ("grasp", "late", "knock")]
    before = "e40b392b08058b39e0c5c9dbd1055e43f119dd1a0f5a63b66ea529c7c95a21fa"
    assert digest(drops, names) == before
    names = [field.name for field in fields(insertions.Draw) if field.name != "beyond"]
    before = "5fbfa92998ac5e03e33691b3cddbb8db007828cfc3a6a06361c6b8a9c9ef6dc5"
    assert digest(insertions, names) == before


@pytest.mark.parametrize("flaw", list(Flaw))
def test_a_fixed_flaw_leaves_all_other_draws(flaw: Flaw) -> None:
    for index in range(60):
        before = drawn(index)
        after = with_choices(before, recipe(index, flaw=flaw.value))
        assert after.flaw is flaw
        if before.flaw is flaw:
            assert after is before
        else:
            expected = OF_FLAW[before.flaw] | OF_FLAW[flaw]
            assert differences(before, after) == expected | {"flaw"}
        assert np.isfinite(after.fading) == (flaw is Flaw.FADING)
        assert (np.linalg.norm(after.stand_error) > 0.05) == (flaw is Flaw.ELSEWHERE)
        assert (after.height_error > 0.02) == (flaw is Flaw.HIGH)


def test_a_pinch_leaves_all_other_draws() -> None:
    for index in range(60):
        before = drawn(index)
        after = with_choices(before, recipe(index, "pinch"))
        changed = OF_PINCH - ({"height_error"} if before.flaw is Flaw.HIGH else set())
        assert differences(before, after) == changed
        assert after.grasp is Grasp.PINCH
        assert PINCH_FORCE_N[0] <= after.force <= PINCH_FORCE_N[1]
        assert PINCH_FRICTION[0] <= after.finger_friction <= PINCH_FRICTION[1]
        if before.flaw is not Flaw.HIGH:
            assert PINCH_HEIGHT_M[0] <= after.height_error <= PINCH_HEIGHT_M[1]


def test_mixed_grasps_are_cages_and_pinches_of_the_same_episodes() -> None:
    pinches = 0
    for index in range(60):
        cage, pinch = drawn(index), with_choices(drawn(index), recipe(index, "pinch"))
        mixed = with_choices(drawn(index), recipe(index, "mixed"))
        pinches += mixed.grasp is Grasp.PINCH
        assert not differences(mixed, pinch if mixed.grasp is Grasp.PINCH else cage)
    assert 20 <= pinches <= 40


@pytest.mark.parametrize("grasp", [GraspChoice.PINCH, GraspChoice.MIXED])
def test_two_options_that_fix_the_same_draw_are_refused(grasp: GraspChoice) -> None:
    with pytest.raises(BadInput, match=r"--flaw high and --grasp .* both fix the height"):
        check_choices(grasp, FlawChoice.HIGH)
    check_choices(GraspChoice.CAGE, FlawChoice.HIGH)
    check_choices(grasp, FlawChoice.FADING)


@pytest.mark.long
def test_a_pinch_holds_the_ball_about_its_equator_by_friction() -> None:
    chosen = with_choices(drawn(0), recipe(0, "pinch", "none"))
    program = plan(right_hand(ROOT / episode.ROBOT), chosen)
    drop = episode.execute_draw(chosen, program, generator(SEED, 0), ROOT)
    assert drop.verdict.success
    (hold,) = drop.verdict.holds
    assert hold[1] > program.time_of("release")
    heights = contact_heights(drop.samples, program.time_of("bind"))
    assert all(height is not None and -0.003 <= height <= 0.008 for height in heights), heights
    high = [s for s in drop.samples if s.pose[2] > 0.95 and hold[0] < s.time < hold[1] - 0.01]
    assert min(s.fingers.min() for s in high) > 3.0
    moved = np.ptp([s.in_palm[:3] for s in high], axis=0)
    assert np.all(moved < 0.002), "it does not creep"
    assert contact_heights(drop.samples, 0.1) == [None] * 4


def test_aims_near_the_rim_stay_on_their_side_and_leave_all_other_draws() -> None:
    nearest, farthest = 1.0, 0.0
    for index in range(60):
        before = drawn(index)
        after = with_choices(before, Recipe(SEED, index, near_rim=0.01))
        assert differences(before, after) == {"aim"}
        assert (after.aim > 0) == (before.aim > 0)
        nearest, farthest = min(nearest, abs(after.aim)), max(farthest, abs(after.aim))
    assert nearest < 0.001
    assert 0.009 < farthest <= 0.01


def test_what_is_shifted_is_elsewhere_in_truth_alone() -> None:
    before = drawn(0)
    name = before.container.name
    after = with_choices(
        before, Recipe(SEED, 0, shifts={name: (0.02, -0.01), "stand": (0.0, 0.003)})
    )
    assert differences(before, after) == {"place_error", "stand_error"}
    moved = after.container_pose(True) - before.container_pose(True)
    assert np.allclose(moved, [0.02, -0.01, 0, 0, 0, 0, 0])
    assert np.allclose((after.stand_pose(True) - before.stand_pose(True))[:2], [0.0, 0.003])
    assert np.array_equal(after.container_pose(False), before.container_pose(False))
    with pytest.raises(BadInput, match=f"found 'moon'; expected stand.*{name}"):
        with_choices(before, Recipe(SEED, 0, shifts={"moon": (0.02, -0.01)}))


def test_an_aim_is_all_that_differs() -> None:
    for index in range(20):
        found = with_choices(drawn(index), Recipe(SEED, index, aim=(-0.01, 0.5)))
        assert (found.aim, found.bearing) == (-0.01, 0.5)
        assert differences(drawn(index), found) <= {"aim", "bearing"}
