"""The bases of robots that move, and the objects that are carried when a base is repositioned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hetwin_gazebo.shadow import Shadow
from hetwin_gazebo.touching import FramePair
from hetwin_suite.engine import CopiedPart, frame_name, rotation_by, rotation_vector
from hetwin_suite.model import (
    WORLD,
    Floats,
    compose,
    conjugate,
    extrapolate,
    multiply,
    relative_to,
    rotate,
)


class Bases(CopiedPart):
    """The commands to the bases of robots.

    Attributes:
        followed: names of the robots whose base follows its command.
        placed: robot -> (13,) pose and twist of its base to set before the next step.
    """

    saved_fields = ("_to",)

    def __init__(self, shadow: Shadow, period: float) -> None:
        self._shadow, self._period = shadow, period
        self.followed = shadow.tables.followed
        self.placed: dict[str, Floats] = {}
        self._from = {name: shadow.bases[name] for name in self.followed}
        self._to = dict(self._from)

    def __contains__(self, robot: str) -> bool:
        return robot in self._shadow.bases

    @property
    def any(self) -> bool:
        """Whether any base moves."""
        return bool(self._shadow.bases)

    def place(self, robot: str, state: Floats) -> None:
        """Set the base of a robot to (13,) pose and twist; requires a call of `Shadow.jump` afterwards."""
        state = np.array(state)
        self._shadow.set_bases({robot: state})
        self.placed[robot] = state
        if robot in self._from:
            self._from[robot] = self._to[robot] = state

    def place_all(self) -> None:
        """Set all bases to their current states."""
        self.placed.update(self._shadow.bases)

    def command(self, states: Floats) -> None:
        """Set the (n, 13) states of the followed bases at the end of the next step."""
        self._to.update(zip(self.followed, np.array(states), strict=True))

    def at(self, fraction: float) -> dict[str, Floats]:
        """Return the (13,) commanded state of each followed base after a fraction of the step."""
        if fraction >= 1.0:
            return dict(self._to)
        return {
            name: _interpolate(self._from[name], self._to[name], fraction) for name in self.followed
        }

    def expected(self, fraction: float) -> Mapping[str, Floats]:
        """Return the states of `at`, and those of free bases extrapolated by their twists."""
        return {
            name: extrapolate(pose, fraction * self._period)
            for name, pose in self._shadow.bases.items()
        } | self.at(fraction)

    def accelerations(self) -> dict[str, Floats]:
        """Return (6,) accelerations of the followed bases in this step, in the coordinates of free joints.

        The first three numbers are in the world's axes [m/s^2], the others in the root link's axes [rad/s^2].
        """
        found: dict[str, Floats] = {}
        for name, end in self._to.items():
            change = (end[7:] - self._from[name][7:]) / self._period
            turning = rotate(conjugate(end[3:7].tolist()), change[3:].tolist())
            found[name] = np.array((*change[:3], *turning))
        return found

    def end_step(self) -> None:
        """Store that the commanded states are reached."""
        self._from = dict(self._to)

    def copy_from(self, before: Bases) -> None:
        """Copy the commands of another world with the same robots; the shadow must have copied the bases before."""
        self._from, self._to = dict(before._from), dict(before._to)

    def restore(self, state: Any) -> None:
        """Restore saved commands; the bases are set to their states in the shadow."""
        super().restore(state)
        self._from = dict(self._to)
        self.place_all()


def _interpolate(begin: Floats, end: Floats, fraction: float) -> Floats:
    """Interpolate between two states, on a straight path with one rotation."""
    state = begin + fraction * (end - begin)
    part = rotation_by((fraction * rotation_vector(begin[3:7], end[3:7])).tolist())
    state[3:7] = multiply(part, begin[3:7].tolist())
    return state


def objects_moving_with(robot: str, shadow: Shadow, touching: Iterable[FramePair]) -> set[str]:
    """Return the objects that move with a robot.

    These are objects that are led in its frames or attached to such objects, and objects that touch the robot or these,
    directly or through other such objects. An object that touches anything else, such as the floor, stays.

    Args:
        robot: name of the robot.
        shadow: shadow of the world.
        touching: pairs of frames that touch.
    """
    bodies = shadow.world.bodies
    owner = {frame_name(body, link.name): body.name for body in bodies for link in body.links}
    carriers = {n: owner.get(v.parent, WORLD) for n, v in shadow.kinematic.values.items()}
    carriers |= {name: owner[load.to] for name, load in shadow.loads.items()}
    held = {name for name in carriers if _root_carrier(name, carriers) == robot}
    standing = {name for name in carriers if _root_carrier(name, carriers) == WORLD}
    pairs: list[tuple[str, str]] = []
    for keys in touching:
        first, second = (owner.get(shadow.tables.frames[key], WORLD) for key in keys)
        for name, partner in ((first, second), (second, first)):
            if partner == robot or partner in shadow.poses:
                pairs.append((partner, name))
            else:
                standing.add(name)
    moving, new = {robot, *held}, {robot, *held}
    while new:
        new = {name for partner, name in pairs if partner in new}
        new = (new & shadow.poses.keys()) - standing - moving
        moving |= new
    return moving - {robot}


def _root_carrier(name: str, carriers: dict[str, str]) -> str:
    """Return the last element of the chain of frames that an object is led by or attached to."""
    visited: set[str] = set()
    while name in carriers and name not in visited:
        visited.add(name)
        name = carriers[name]
    return name


def states_after_placing(
    robot: str, state: Floats, held: Iterable[str], shadow: Shadow
) -> dict[str, Floats]:
    """Return object -> (13,) its state after the base of a robot is set to a state (13,)."""
    before, after = shadow.bases[robot].copy(), np.array(state)
    before[7:], after[7:] = 0.0, 0.0
    return {name: compose(after, relative_to(before, shadow.poses[name])) for name in held}
