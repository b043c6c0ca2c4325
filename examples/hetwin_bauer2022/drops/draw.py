"""The random variables of a drop, all drawn from one generator per episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from hetwin_bauer2022.containers import CONTAINERS, Container
from hetwin_bauer2022.tennis_table import BALL_MASS, STAND_AT, TABLE_TOP
from hetwin_bauer2022.two_hands.joints import ALL
from hetwin_suite.model import Floats


class Flaw(StrEnum):
    """Flaw of an episode, apart from its aim."""

    NONE = "none"
    FADING = "fading"
    """The finger drives lose their force after closing."""
    ELSEWHERE = "elsewhere"
    """The ball is not where the robot believes."""
    HIGH = "high"
    """The fingers close too far above the ball's centre."""


class Grasp(StrEnum):
    """Grasp of the ball."""

    CAGE = "cage"
    """The fingers close below the ball's equator and bear it from below, without friction."""
    PINCH = "pinch"
    """The fingers close about the equator, and friction holds the ball."""


FLAWS = {Flaw.NONE: 0.82, Flaw.FADING: 0.08, Flaw.ELSEWHERE: 0.05, Flaw.HIGH: 0.05}
"""Flaw -> its share of all episodes."""
AIMED_INSIDE = 0.60
"""Share of the episodes whose program aims inside the container."""
FARTHEST_M = 0.08
"""Maximum distance of the aim from the rim, inside or outside [m], times ..."""
AIM_EXPONENT = 0.8
"""... this power of a uniform number from 0 to 1; below 1, aims close to the rim are rare."""
THROWN = 0.35
"""Share of the episodes in which the arm is moving when the hand opens."""
BELIEF_BALL_M = 0.003
BELIEF_CONTAINER_M = 0.002
"""Standard deviations along x and y of the believed positions of ball and container [m]."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One episode's random numbers; metres, radians, kg, N, s.

    Attributes:
        container: the container to drop into.
        place: believed x, y, yaw of the container.
        place_error: true minus believed x, y, yaw of the container.
        stand: believed x, y of ball and stand.
        stand_error: true minus believed x, y of ball and stand.
        flaw: flaw apart from the aim.
        grasp: grasp of the ball.
        height_error: height of the grasp frame's goal above the ball's centre.
        force: force of each finger tip.
        fading: time constant with which the force decays; infinite if it does not.
        finger_friction: coefficient of friction of the finger tips.
        ball_mass: true mass of the ball.
        bounce: damping ratio of the ball's contacts; lower bounces higher.
        aim: signed distance of the aim from the rim, positive inside.
        bearing: direction of the aim from the container's centre, in the container's frame.
        clearance: distance between the ball's lowest point and the rim when the hand opens.
        speed: speed of the arm when the hand opens, 0 for a drop.
        course: direction of the motion relative to the direction from stand to container.
        gravity_factors: (joints,) factors of the robot's gravity compensation, 1 if exact.
        late: (4,) delay of each finger's opening after the first one.
        knock: (3,) displacement of the hand by a knock while it carries the ball.
    """

    container: Container
    place: Floats
    place_error: Floats
    stand: Floats
    stand_error: Floats
    flaw: Flaw
    grasp: Grasp
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
    late: Floats = field(default_factory=lambda: np.zeros(4))
    knock: Floats = field(default_factory=lambda: np.zeros(3))

    def container_pose(self, true: bool) -> Floats:
        """Return (7,) the container's true or believed pose."""
        x, y, yaw = self.place + self.place_error if true else self.place
        return np.array([x, y, TABLE_TOP, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])

    def stand_pose(self, true: bool) -> Floats:
        """Return (7,) the stand's true or believed pose."""
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
    stand_error = draw_stand_error(flaw, random)
    return Draw(
        container=container,
        place=random.uniform([0.42, -0.46, -0.4], [0.50, -0.38, 0.4]),
        place_error=random.normal(0.0, [BELIEF_CONTAINER_M, BELIEF_CONTAINER_M, 0.01]),
        stand=np.array(STAND_AT[:2]) + random.uniform(-0.02, 0.02, 2),
        stand_error=stand_error,
        flaw=flaw,
        grasp=Grasp.CAGE,
        height_error=draw_height_error(flaw, random),
        force=draw_force(flaw, random),
        fading=draw_fading(flaw, random),
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


def draw_stand_error(flaw: Flaw, random: np.random.Generator) -> Floats:
    """Return (2,) true minus believed x, y of ball and stand [m]."""
    error = random.normal(0.0, BELIEF_BALL_M, 2)
    if flaw is not Flaw.ELSEWHERE:
        return error
    direction = random.uniform(0.0, 2 * np.pi)
    return random.uniform(0.07, 0.1) * np.array([np.cos(direction), np.sin(direction)])


def draw_height_error(flaw: Flaw, random: np.random.Generator) -> float:
    """Return the height of the grasp frame's goal above the ball's centre [m]."""
    return random.uniform(0.035, 0.06) if flaw is Flaw.HIGH else random.normal(0.0, 0.002)


def draw_force(flaw: Flaw, random: np.random.Generator) -> float:
    """Return the force of each finger tip [N]."""
    return random.uniform(1.5, 3.0) if flaw is Flaw.FADING else random.uniform(2.5, 5.0)


def draw_fading(flaw: Flaw, random: np.random.Generator) -> float:
    """Return the time constant with which the force decays [s]; infinite if it does not."""
    return random.uniform(0.3, 0.9) if flaw is Flaw.FADING else np.inf
