"""The pieces of which a chain is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Segment:
    """A link and the joint that moves it.

    Attributes:
        link: name of the link.
        pose: (7) x y z [m], qw qx qy qz in the link before it, with the joint at 0.
        joint: name of the joint; empty: the link is fixed to the one before it.
        slides: whether the joint slides; else it turns.
        axis: (3) unit vector in the link's frame.
        anchor: (3) point on the axis of a joint that turns, in the link's frame [m].
        lower, upper: limits of the joint [rad or m]; infinite if there are none.
        follows: name of the joint that this one mimics; empty: it moves by itself.
        multiplier, offset: its position is that of the joint it mimics, times and plus these.
    """

    link: str
    pose: Sequence[float]
    joint: str = ""
    slides: bool = False
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    anchor: Sequence[float] = (0.0, 0.0, 0.0)
    lower: float = -inf
    upper: float = inf
    follows: str = ""
    multiplier: float = 1.0
    offset: float = 0.0

    @property
    def leader(self) -> str:
        """The joint whose position moves the link."""
        return self.follows or self.joint
