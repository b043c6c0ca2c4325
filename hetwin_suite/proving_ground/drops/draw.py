"""What differs from drop to drop: everything is drawn from one generator per episode."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.containers import CONTAINERS, Container
from hetwin_suite.proving_ground.tennis_table_sdf import BALL_MASS, STAND_AT, TABLE_TOP
from hetwin_suite.proving_ground.two_hands.joints import ALL


class Flaw(StrEnum):
    """What is wrong with an episode beside its aim."""

    NONE = "none"
    FADING = "fading"
    """The drives of the fingers lose their force after closing."""
    ELSEWHERE = "elsewhere"
    """The ball stands somewhere else than the robot believes."""
    HIGH = "high"
    """The fingers close too far above the ball's middle."""


FLAWS = {Flaw.NONE: 0.82, Flaw.FADING: 0.08, Flaw.ELSEWHERE: 0.05, Flaw.HIGH: 0.05}
"""Shares of all episodes."""
AIMED_INSIDE = 0.60
"""Share of the episodes whose program aims at a place inside the container."""
FARTHEST_M = 0.08
"""The program aims at places at most so far from the rim, inside or outside ..."""
AIM_EXPONENT = 0.8
"""... which is this power of a number drawn evenly from 0 to 1; below 1, it seldom aims at the rim itself."""
THROWN = 0.35
"""Share of the episodes whose arm still moves when the hand opens."""
BELIEF_BALL_M = 0.003
BELIEF_CONTAINER_M = 0.002
"""Standard deviations along x and y of where the robot believes ball and container."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One episode's random numbers; metres, radians, kg, N, s.

    Attributes:
        container: which one is used.
        place: x, y, yaw of it, as the robot believes.
        place_error: what must be added to get the truth.
        stand: x, y of ball and stand, as the robot believes.
        stand_error: what must be added to get the truth.
        flaw: what is wrong beside the aim.
        height_error: by how much the fingers close above the ball's middle.
        force: of each finger tip.
        fading: seconds in which the force falls to 1/e; infinite if it does not.
        finger_friction: coefficient of friction of the finger tips.
        ball_mass: true mass.
        bounce: damping ratio of the ball's contacts; lower is livelier.
        aim: distance from the rim to the place that the program aims at, inside > 0.
        bearing: direction of that place from the container's middle, in the container.
        clearance: between the ball's lowest point and the rim's height when the hand opens.
        speed: of the arm when the hand opens, 0 for a drop.
        course: direction of that, added to the direction from stand to container.
        gravity_factors: (joints,) by which the robot's model of its weight is wrong.
    """

    container: Container
    place: Floats
    place_error: Floats
    stand: Floats
    stand_error: Floats
    flaw: Flaw
    height_error: float
    force: float
    fading: float
    finger_friction: float
    ball_mass: float
    bounce: float
    aim: float
    bearing: float
    clearance: float
    speed: float
    course: float
    gravity_factors: Floats

    def container_pose(self, true: bool) -> Floats:
        """(7,) of the container, true or believed."""
        x, y, yaw = self.place + self.place_error if true else self.place
        return np.array([x, y, TABLE_TOP, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])

    def stand_pose(self, true: bool) -> Floats:
        """(7,) of the stand, true or believed."""
        x, y = self.stand + self.stand_error if true else self.stand
        return np.array([x, y, TABLE_TOP, 1.0, 0.0, 0.0, 0.0])


def draw(random: np.random.Generator) -> Draw:
    """Draw an episode."""
    container = CONTAINERS[random.integers(len(CONTAINERS))]
    flaw = list(FLAWS)[random.choice(len(FLAWS), p=list(FLAWS.values()))]
    inradius = container.margin(np.zeros(2))
    inside = random.random() < AIMED_INSIDE
    depth = random.random() ** AIM_EXPONENT
    aim = depth * min(inradius, FARTHEST_M) if inside else -depth * FARTHEST_M
    thrown = random.random() < THROWN
    stand_error = random.normal(0.0, BELIEF_BALL_M, 2)
    if flaw is Flaw.ELSEWHERE:
        direction = random.uniform(0.0, 2 * np.pi)
        stand_error = random.uniform(0.07, 0.1) * np.array([np.cos(direction), np.sin(direction)])
    return Draw(
        container=container,
        place=random.uniform([0.42, -0.46, -0.4], [0.50, -0.38, 0.4]),
        place_error=random.normal(0.0, [BELIEF_CONTAINER_M, BELIEF_CONTAINER_M, 0.01]),
        stand=np.array(STAND_AT[:2]) + random.uniform(-0.02, 0.02, 2),
        stand_error=stand_error,
        flaw=flaw,
        height_error=random.uniform(0.035, 0.06)
        if flaw is Flaw.HIGH
        else random.normal(0.0, 0.002),
        force=random.uniform(1.5, 3.0) if flaw is Flaw.FADING else random.uniform(2.5, 5.0),
        fading=random.uniform(0.3, 0.9) if flaw is Flaw.FADING else np.inf,
        finger_friction=random.uniform(0.6, 0.9),
        ball_mass=random.normal(BALL_MASS, 0.001),
        bounce=random.uniform(0.35, 0.55),
        aim=aim,
        bearing=random.uniform(0.0, 2 * np.pi),
        clearance=random.uniform(0.03, 0.09),
        speed=random.uniform(0.25, 0.7) if thrown else 0.0,
        course=random.uniform(-0.5, 0.5),
        gravity_factors=random.normal(1.0, 0.03, len(ALL)),
    )
