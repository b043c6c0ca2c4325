"""What could have been different: where something stands, or a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scenario.uncertainty import Values
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._study.drawing.draw import Draw
from hetwin_suite._study.drawing.uncertain import Uncertainty

_ASIDE = 0.4
"""A part of a shift that is smaller than this share of the other one is not put into words."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is different.

    Attributes:
        entity: which stands elsewhere, or whose mass, friction or bounce differs; empty for a parameter of a model.
        shift: x y z in the world [m]; zeros if it is a number that differs.
        parameter: the number's name, e.g. ``in_hand.noise`` or ``ball.mass``; empty of a shift.
        before: the number as it was; None if that is not known.
        after: what it would be.
    """

    entity: str
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    parameter: str = ""
    before: float | None = None
    after: float | None = None

    @property
    def size(self) -> float:
        """How large it is [m]; 0 of a number."""
        return float(np.linalg.norm(self.shift))


class Place(NamedTuple):
    """Where an entity is at the moment, and what would be moved with it.

    Attributes:
        entity: its name.
        poses: entity -> (7,) pose in the world; the entity first.
    """

    entity: str
    poses: Mapping[str, Floats]


def with_change(
    change: Change, places: Sequence[Place], uncertainty: Uncertainty, seed: int, index: int
) -> Draw:
    """Draw what is uncertain, and apply a change.

    Args:
        change: the change; a number takes the place of what is drawn for it.
        places: of all that can be moved.
        uncertainty: what is drawn beside it.
        seed: of the draws.
        index: of the draw.
    """
    if change.parameter:
        return _fixed(uncertainty, change).draw(seed, index)
    draw = uncertainty.draw(seed, index)
    poses = next(place.poses for place in places if place.entity == change.entity)
    scene = {**draw.scene}
    for entity, pose in poses.items():
        drawn = np.array(scene.get(entity, {"pose": pose})["pose"], np.float64)
        drawn[:3] += change.shift
        scene[entity] = {**scene.get(entity, {}), "pose": drawn.tolist()}
    return replace(draw, scene=scene)


def _fixed(uncertainty: Uncertainty, change: Change) -> Uncertainty:
    only = Values(values=[change.after])
    return replace(
        uncertainty,
        varied=tuple(
            one._replace(spread=only) if one.name == change.parameter else one
            for one in uncertainty.varied
        ),
        physical=tuple(
            one._replace(spread=only) if one.name == change.parameter else one
            for one in uncertainty.physical
        ),
    )


def change_words(change: Change, ahead: Floats) -> str:
    """Return a change in words, e.g. ``the bin 24 mm nearer``.

    Args:
        change: the change.
        ahead: (2,) direction in which the robot looks, a unit vector in the world.
    """
    if change.parameter:
        before = "" if change.before is None else f" instead of {change.before:.4g}"
        return f"{change.parameter} {change.after:.4g}{before}"
    return f"the {change.entity} {_shift_words(np.array(change.shift), ahead)}"


def _shift_words(shift: Floats, ahead: Floats) -> str:
    parts = [
        (-float(shift[:2] @ ahead), "nearer", "farther"),
        (float(shift[1] * ahead[0] - shift[0] * ahead[1]), "to the left", "to the right"),
        (float(shift[2]), "higher", "lower"),
    ]
    largest = max(abs(amount) for amount, _, _ in parts)
    said = [
        f"{abs(amount) * 1000:.0f} mm {up if amount > 0.0 else down}"
        for amount, up, down in sorted(parts, key=lambda part: -abs(part[0]))
        if abs(amount) > _ASIDE * largest
    ]
    return " and ".join(said)
