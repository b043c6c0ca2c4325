"""Fixes draws of a drop, and leaves all others of that seed and episode as they are.

What takes the place of a draw comes from a generator of its own per option, seed and episode.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.proving_ground.drops.draw import (
    Draw,
    Flaw,
    Grasp,
    draw_fading,
    draw_force,
    draw_height_error,
    draw_stand_error,
)
from hetwin_suite.proving_ground.kind import FlawChoice, GraspChoice
from hetwin_suite.proving_ground.recipe import Recipe

PINCHED = 0.5
"""Share of pinches among mixed grasps."""
PINCH_HEIGHT_M = (0.010, 0.022)
"""Height above the ball's middle at which a pinch aims the grasp frame, so that the tips close at the equator."""
PINCH_FORCE_N = (4.0, 6.0)
PINCH_FRICTION = (0.80, 0.95)
_AFFECTED = {
    Flaw.NONE: (),
    Flaw.FADING: ("force", "fading"),
    Flaw.ELSEWHERE: ("stand_error",),
    Flaw.HIGH: ("height_error",),
}
"""Draws that depend on the flaw."""


def check_choices(grasp: GraspChoice, flaw: FlawChoice) -> None:
    """Check that no two options fix the same draw.

    Raises:
        BadInput: if both fix the height at which the fingers close.
    """
    if flaw is FlawChoice.HIGH and grasp is not GraspChoice.CAGE:
        raise BadInput(
            f"--flaw {flaw} and --grasp {grasp} both fix the height at which the fingers close",
            where="--grasp",
            found=grasp.value,
            expected="one of the two options, or --grasp cage",
        )


def fixed(drawn: Draw, recipe: Recipe) -> Draw:
    """Return the draw with the chosen grasp and flaw; itself if it has them.

    Args:
        drawn: the episode, as drawn without options.
        recipe: with the choice.
    """
    if recipe.flaw is not FlawChoice.ANY:
        drawn = _with_flaw(drawn, Flaw(recipe.flaw.value), recipe.random("flaw"))
    if recipe.grasp is GraspChoice.CAGE:
        return drawn
    random = recipe.random("grasp")
    # Drawn for pinches too, so that a mixed pinch equals the pinch of that seed and episode.
    pinched = random.random() < PINCHED or recipe.grasp is GraspChoice.PINCH
    return _pinch(drawn, random) if pinched else drawn


def _with_flaw(drawn: Draw, flaw: Flaw, random: np.random.Generator) -> Draw:
    if drawn.flaw is flaw:
        return drawn
    again: dict[str, Any] = {
        "stand_error": draw_stand_error(flaw, random),
        "height_error": draw_height_error(flaw, random),
        "force": draw_force(flaw, random),
        "fading": draw_fading(flaw, random),
    }
    names = (*_AFFECTED[drawn.flaw], *_AFFECTED[flaw])
    return replace(drawn, flaw=flaw, **{name: again[name] for name in names})


def _pinch(drawn: Draw, random: np.random.Generator) -> Draw:
    height = random.uniform(*PINCH_HEIGHT_M)
    return replace(
        drawn,
        grasp=Grasp.PINCH,
        height_error=drawn.height_error if drawn.flaw is Flaw.HIGH else height,
        force=random.uniform(*PINCH_FORCE_N),
        finger_friction=random.uniform(*PINCH_FRICTION),
    )
