"""A planned motion of a robot: stages, each from rest to rest, and what is to have come of each in the twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hetwin_suite.model import Entity, Floats, Json
from hetwin_suite.robot import BaseMove, BaseState, JointTrajectory, PlanarPose, seen_from
from hetwin_suite.shapes import inside_of
from hetwin_suite.source import MotionState as State


@dataclass(frozen=True, slots=True)
class Stage:
    """The part of a plan that leads to one goal.

    Attributes:
        begin: time of the plan at which it begins [s].
        motion: motion of all joints of the plan; those that it does not move rest.
        moved: names of the joints that it moves.
        link: the link that a goal for a tip names; empty for other goals.
        touches: entities that may be touched.
        base: the way of the base; None: it rests.
        presses: fingers that stop at what they touch.
        expects: what is to have come of it at its end; None: it is enough that the robot is there.
    """

    begin: float
    motion: JointTrajectory
    moved: frozenset[str]
    link: str = ""
    touches: frozenset[str] = frozenset()
    base: BaseMove | None = None
    presses: frozenset[str] = frozenset()
    expects: Expected | None = None

    @property
    def end(self) -> float:
        """Time of the plan at which it is over [s]."""
        return self.begin + self.motion.duration


class Plan:
    """The motion of the n commanded joints from where they are now, at rest after its end.

    Args:
        names: names of the joints.
        start: (n,) where they are at time 0 [rad or m].
        stages: one after the other, of the same joints.
        place: where the base is at time 0.

    Attributes:
        names, start, stages, place: as given.
    """

    def __init__(
        self,
        names: Sequence[str],
        start: Floats,
        stages: Sequence[Stage],
        place: PlanarPose = PlanarPose(),  # noqa: B008 (it cannot be changed)
    ) -> None:
        self.names, self.start = tuple(names), start
        self.stages, self.place = tuple(stages), place

    @property
    def duration(self) -> float:
        """Time of the end [s]."""
        return self.stages[-1].end if self.stages else 0.0

    @property
    def moved(self) -> frozenset[str]:
        """Names of the joints that it moves."""
        return frozenset().union(*(stage.moved for stage in self.stages))

    @property
    def presses(self) -> frozenset[str]:
        """Names of the fingers that stop at what they touch."""
        return frozenset().union(*(stage.presses for stage in self.stages))

    @property
    def drives(self) -> bool:
        """Whether it moves the base."""
        return any(stage.base is not None for stage in self.stages)

    def base_at(self, time: float) -> BaseState:
        """Return where the base is to be at a time [s], in the world."""
        state = BaseState(self.place)
        for stage in self.stages:
            if stage.base is not None and time >= stage.begin:
                state = stage.base.at(time - stage.begin)
        return state

    def stage_at(self, time: float) -> Stage:
        """Return the stage that is under way at a time [s]: the first before the beginning, the last after the end."""
        return next((stage for stage in self.stages if time < stage.end), self.stages[-1])

    def at(self, time: float) -> State:
        """Return the commanded state at a time [s], each (n,)."""
        if not self.stages or time <= 0.0:
            zeros = np.zeros(len(self.names))
            return State(self.start.copy(), zeros, zeros.copy())
        stage = self.stage_at(time)
        return stage.motion.at(time - stage.begin)

    def sample(self, times: Floats) -> State:
        """Return the commanded states at times (m,) [s], each (m, n)."""
        states = [self.at(float(time)) for time in times]
        return State(
            *(np.array(part).reshape(len(states), -1) for part in zip(*states, strict=True))
        )


class Expected(Protocol):
    """What is to have come about."""

    @property
    def what(self) -> str:
        """The object."""

    @property
    def wanted(self) -> Json:
        """What is to have come about, in a word."""

    def missed(self, look: Look) -> Json | None:
        """Return what is instead, at the end; None if it has come about."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hand holds an object, and nothing else supports it.

    Attributes:
        what: the object.
        hand: the hand.
        members: links of the hand, by their names in the scene.
    """

    what: str
    hand: str
    members: frozenset[str]

    @property
    def wanted(self) -> Json:
        """In a word."""
        return f"held by {self.hand}"

    def missed(self, look: Look) -> Json | None:
        """Return what the object touches instead of the hand alone; None if the hand holds it."""
        touching = look.touching(self.what)
        if touching & self.members and not touching - self.members:
            return None
        return f"touches {', '.join(sorted(touching)) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Released:
    """An object is in or on something, and the robot does not touch it.

    Attributes:
        what: the object.
        into: what is to have taken it.
        robot: links of the robot, by their names in the scene.
    """

    what: str
    into: Entity
    robot: frozenset[str]

    @property
    def wanted(self) -> Json:
        """In a word."""
        return f"in or on {self.into.name}"

    def missed(self, look: Look) -> Json | None:
        """Return what the object touches; None if it is where it is to be."""
        touching = look.touching(self.what)
        if touching and not touching & self.robot and self._there(look, touching):
            return None
        return f"touches {', '.join(sorted(touching)) or 'nothing'}"

    def _there(self, look: Look, touching: frozenset[str]) -> bool:
        """Whether it touches it, or is inside of it."""
        if self.into.name in touching:
            return True
        pose = look.poses[self.into.name].tolist()
        x, y, z = seen_from(pose, look.poses[self.what].tolist())[:3]
        return inside_of(self.into).holds((x, y, z))


TOUCHING_M = 1e-3
"""Pairs that are nearer than this touch [m]."""


@dataclass(frozen=True, slots=True)
class Look:
    """The twin at one time of a plan.

    Attributes:
        time: time of the plan [s]; negative before it begins.
        near: (entity, other) -> distance [m], of links of robots to static bodies and other links, and of objects to
            everything, as far as the twin was asked to see.
        poses: (7,) x y z [m], qw qx qy qz in the world, by entity.
    """

    time: float
    near: Mapping[tuple[str, str], float]
    poses: Mapping[str, Floats]

    def touching(self, entity: str) -> frozenset[str]:
        """Return what an object touches."""
        pairs = [pair for pair, distance in self.near.items() if distance <= TOUCHING_M]
        return frozenset(other for pair in pairs if entity in pair for other in pair) - {entity}
