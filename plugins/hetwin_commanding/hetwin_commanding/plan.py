"""A planned motion of a robot: stages from rest to rest, each with its expected effects in the twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hetwin_programs import seen_from
from hetwin_programs.base_moves import BaseMove, BaseState
from hetwin_suite.model import Entity, Floats, Json
from hetwin_suite.robot import JointTrajectory, PlanarPose
from hetwin_suite.shapes import interior_of
from hetwin_suite.source import MotionState as State


@dataclass(frozen=True, slots=True)
class Stage:
    """The part of a plan that leads to one goal.

    Attributes:
        begin: start in the plan [s].
        motion: motion of all joints of the plan; joints that are not moved rest.
        moved: names of the moved joints.
        link: link of a goal for a tip; empty for other goals.
        touches: entities that may be touched.
        base: motion of the base; None: it rests.
        presses: finger joints that stop at contact.
        expects: expected effect at the end; None: reaching the goal suffices.
    """

    begin: float
    motion: JointTrajectory
    moved: frozenset[str]
    link: str = ""
    touches: frozenset[str] = frozenset()
    base: BaseMove | None = None
    presses: frozenset[str] = frozenset()
    expects: ExpectedEffect | None = None

    @property
    def end(self) -> float:
        """End in the plan [s]."""
        return self.begin + self.motion.duration


class Plan:
    """The motion of the n commanded joints from their present positions; they rest after its end.

    Args:
        names: names of the joints.
        start: (n,) positions at time 0 [rad or m].
        stages: consecutive stages of the same joints.
        place: pose of the base at time 0.

    Attributes:
        names, start, stages, place: the arguments.
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
        """End of the last stage [s]."""
        return self.stages[-1].end if self.stages else 0.0

    @property
    def moved(self) -> frozenset[str]:
        """Names of the moved joints."""
        return frozenset().union(*(stage.moved for stage in self.stages))

    @property
    def presses(self) -> frozenset[str]:
        """Names of the finger joints that stop at contact."""
        return frozenset().union(*(stage.presses for stage in self.stages))

    @property
    def drives(self) -> bool:
        """Whether the plan moves the base."""
        return any(stage.base is not None for stage in self.stages)

    def base_at(self, time: float) -> BaseState:
        """Return the planned state of the base at a time [s], in the world."""
        state = BaseState(self.place)
        for stage in self.stages:
            if stage.base is not None and time >= stage.begin:
                state = stage.base.at(time - stage.begin)
        return state

    def stage_at(self, time: float) -> Stage:
        """Return the stage at a time [s]: the first one before the start, the last one after the end."""
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


class ExpectedEffect(Protocol):
    """An expected effect on an object."""

    @property
    def what(self) -> str:
        """Name of the object."""

    @property
    def wanted(self) -> Json:
        """The effect as a short text."""

    def missed(self, look: Look) -> Json | None:
        """Return the actual state at the end if the effect is missing; None if it has come about."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hand holds an object, without any other support.

    Attributes:
        what: name of the object.
        hand: name of the hand.
        members: links of the hand, by their names in the scene.
    """

    what: str
    hand: str
    members: frozenset[str]

    @property
    def wanted(self) -> Json:
        """The effect as a short text."""
        return f"held by {self.hand}"

    def missed(self, look: Look) -> Json | None:
        """Return the contacts of the object if it is not held by the hand alone; None if it is."""
        touching = look.touching(self.what)
        if touching & self.members and not touching - self.members:
            return None
        return f"touches {', '.join(sorted(touching)) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class ReleaseEffect:
    """An object lies in or on an entity, and the robot does not touch it.

    Attributes:
        what: name of the object.
        into: entity that receives the object.
        robot: links of the robot, by their names in the scene.
    """

    what: str
    into: Entity
    robot: frozenset[str]

    @property
    def wanted(self) -> Json:
        """The effect as a short text."""
        return f"in or on {self.into.name}"

    def missed(self, look: Look) -> Json | None:
        """Return the contacts of the object if it is elsewhere or touched; None if the effect has come about."""
        touching = look.touching(self.what)
        if touching and not touching & self.robot and self._there(look, touching):
            return None
        return f"touches {', '.join(sorted(touching)) or 'nothing'}"

    def _there(self, look: Look, touching: frozenset[str]) -> bool:
        """Whether the object touches the entity or lies inside it."""
        if self.into.name in touching:
            return True
        pose = look.poses[self.into.name].tolist()
        x, y, z = seen_from(pose, look.poses[self.what].tolist())[:3]
        return interior_of(self.into).holds((x, y, z))


TOUCHING_M = 1e-3
"""Distance below which a pair touches [m]."""


@dataclass(frozen=True, slots=True)
class Look:
    """The state of the twin at one time of a plan.

    Attributes:
        time: time of the plan [s]; negative before its start.
        near: (entity, other) -> distance [m], of links to static bodies and other links, and of objects to everything,
            up to the requested reach.
        poses: entity -> (7,) x y z [m], qw qx qy qz in the world.
    """

    time: float
    near: Mapping[tuple[str, str], float]
    poses: Mapping[str, Floats]

    def touching(self, entity: str) -> frozenset[str]:
        """Return the entities that touch an object."""
        pairs = [pair for pair, distance in self.near.items() if distance <= TOUCHING_M]
        return frozenset(other for pair in pairs if entity in pair for other in pair) - {entity}
