"""Replaces some draws of a drop by fixed choices; all other draws of the seed and episode stay.

Replacements that are random have their own generator for each option, seed and episode.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hetwin_bauer2022.drops.boundary import redraw_near_boundary
from hetwin_bauer2022.drops.draw import (
    Draw,
    Flaw,
    Grasp,
    draw_fading,
    draw_force,
    draw_height_error,
    draw_stand_error,
)
from hetwin_bauer2022.kind import FlawChoice, GraspChoice
from hetwin_bauer2022.recipe import Recipe, Shifts
from hetwin_suite.runs import BadInput

STAND = "stand"
PINCHED = 0.5
"""Share of pinches among mixed grasps."""
PINCH_HEIGHT_M = (0.010, 0.022)
"""Height of the grasp frame's goal above the ball's centre in a pinch [m], so that the tips close at the equator."""
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


def with_choices(drawn: Draw, recipe: Recipe) -> Draw:
    """Return the draw with the chosen grasp, flaw, aim and shifts; unchanged if the recipe makes no choices.

    Args:
        drawn: draw of the episode without options.
        recipe: recipe with the choices.

    Raises:
        BadInput: if a shifted entity is not in the episode.
    """
    if recipe.flaw is not FlawChoice.ANY:
        drawn = _with_flaw(drawn, Flaw(recipe.flaw.value), recipe.random("flaw"))
    if recipe.near_rim is not None:
        drawn = _near_rim(drawn, recipe.near_rim, recipe.random("near_rim"))
    if recipe.boundary:
        drawn = redraw_near_boundary(drawn, recipe.random("boundary"))
    if recipe.aim is not None:
        inside, bearing = recipe.aim
        drawn = replace(drawn, aim=inside, bearing=bearing)
    if recipe.grasp is not GraspChoice.CAGE:
        random = recipe.random("grasp")
        # Also drawn for --grasp pinch, so that a pinch is the same with 'mixed' and 'pinch'.
        pinched = random.random() < PINCHED or recipe.grasp is GraspChoice.PINCH
        drawn = _pinch(drawn, random) if pinched else drawn
    return _shifted(drawn, recipe.shifts)


def _near_rim(drawn: Draw, distance: float, random: np.random.Generator) -> Draw:
    """Draw an aim on the same side of the rim, up to a distance from it [m]."""
    fraction = random.random()
    if drawn.aim < 0.0:
        return replace(drawn, aim=-fraction * distance)
    return replace(drawn, aim=fraction * min(distance, drawn.container.margin(np.zeros(2))))


def _shifted(drawn: Draw, shifts: Shifts) -> Draw:
    """Add offsets to the true position of the stand (and the ball on it) or of the container."""
    for name, shift in shifts.items():
        if name == STAND:
            drawn = replace(drawn, stand_error=drawn.stand_error + shift)
        elif name == drawn.container.name:
            drawn = replace(drawn, place_error=drawn.place_error + np.array([*shift, 0.0]))
        else:
            raise BadInput(
                "this episode has no such object to shift",
                where="--shift",
                found=name,
                expected=f"{STAND}, with the ball on it, or {drawn.container.name}",
            )
    return drawn


def _with_flaw(drawn: Draw, flaw: Flaw, random: np.random.Generator) -> Draw:
    if drawn.flaw is flaw:
        return drawn
    redrawn: dict[str, Any] = {
        "stand_error": draw_stand_error(flaw, random),
        "height_error": draw_height_error(flaw, random),
        "force": draw_force(flaw, random),
        "fading": draw_fading(flaw, random),
    }
    names = (*_AFFECTED[drawn.flaw], *_AFFECTED[flaw])
    return replace(drawn, flaw=flaw, **{name: redrawn[name] for name in names})


def _pinch(drawn: Draw, random: np.random.Generator) -> Draw:
    height = random.uniform(*PINCH_HEIGHT_M)
    return replace(
        drawn,
        grasp=Grasp.PINCH,
        height_error=drawn.height_error if drawn.flaw is Flaw.HIGH else height,
        force=random.uniform(*PINCH_FORCE_N),
        finger_friction=random.uniform(*PINCH_FRICTION),
    )
