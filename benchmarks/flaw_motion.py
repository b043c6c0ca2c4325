"""Recordings of an arm that fetches things, made from its program alone: the set points, with the noise of sensors.

The things are where the program believes them to be; a twin that has them elsewhere shows what then happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_stand_ins.motion import TICK_S, Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_suite.robot import Reading
from hetwin_tables import stand_in
from hetwin_tables.pick_and_place import HOME

OPENED = 0.04
FINGER_SPEED = 0.12
"""m/s of each finger."""
SQUEEZED = 0.0006
"""How far the fingers close beyond what they hold [m]."""
GRASP_HEIGHT = 0.015
"""The hand grasps so far above the middle of a thing [m]."""
TABLE_TOP = 0.75


@dataclass(frozen=True)
class Thing:
    """Something that can be fetched.

    Attributes:
        name: in the scene.
        width: between the fingers [m].
        height: [m].
        shape: ``box`` or ``cylinder``.
        mass: [kg].
    """

    name: str
    width: float = 0.05
    height: float = 0.1
    shape: str = "box"
    mass: float = 0.3

    def sdf(self, *, static: bool = False, depth: float | None = None) -> str:
        """Return its model as SDFormat; `depth` is the other width of a box."""
        w, h, d = self.width, self.height, self.width if depth is None else depth
        geometry = (
            f"<box><size>{d} {w} {h}</size></box>"
            if self.shape == "box"
            else f"<cylinder><radius>{w / 2}</radius><length>{h}</length></cylinder>"
        )
        across, along = self.mass * (w * w + h * h) / 12, self.mass * (w * w + d * d) / 12
        inertia = f"<ixx>{across}</ixx><iyy>{across}</iyy><izz>{along}</izz>"
        friction = "<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction></surface>"
        return (
            f'<sdf version="1.9"><model name="{self.name}"><static>{str(static).lower()}</static><link name="link">'
            f"<inertial><mass>{self.mass}</mass><inertia>{inertia}</inertia></inertial>"
            f'<collision name="c"><geometry>{geometry}</geometry>{friction}</collision>'
            f'<visual name="v"><geometry>{geometry}</geometry></visual></link></model></sdf>\n'
        )


@cache
def _reacher() -> ArmKinematics:
    model = stand_in.robot_with_motors().compile()
    return ArmKinematics(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)


def _program() -> Program:
    return Program(_reacher(), HOME)


@dataclass
class Motion:
    """The robot's program, and where it believes things to be meanwhile.

    Attributes:
        program: of the arm.
        pace: how many times as long as usual everything takes.
        places: thing -> (time [s], middle (3,)) in order; it moves straight from one to the next.
    """

    pace: float = 1.0
    program: Program = field(default_factory=_program)
    places: dict[str, list[tuple[float, Floats]]] = field(default_factory=dict)
    _stops: list[tuple[float, float]] = field(default_factory=list)
    _held: Thing | None = None

    def __post_init__(self) -> None:
        self.program.grip(OPENED)
        self._stops.append((0.0, OPENED))
        self.wait(0.6)

    @property
    def now(self) -> float:
        """How long the program is so far [s]."""
        return self.program.now

    def wait(self, seconds: float) -> None:
        """Hold still."""
        self.program.wait(seconds * self.pace)

    def reach(self, thing: Thing, at: Floats) -> None:
        """Go to where a thing is believed to be, from above."""
        self.places.setdefault(thing.name, [(0.0, at)])
        grasp = at + up(GRASP_HEIGHT)
        above = grasp + up(0.13)
        self.program.move_joints(_reacher().solve(above, HOME), 1.8 * self.pace)
        self.program.move_straight(grasp, 1.2 * self.pace)
        self.wait(0.1)

    def close(self, thing: Thing) -> None:
        """Close the fingers around a thing."""
        self._grip(thing.width / 2 - SQUEEZED)
        self.wait(1.0)
        self._held = thing
        self._note()

    def line(self, to: Floats, seconds: float) -> None:
        """Move what is held, or the hand, so that its middle goes straight to a place."""
        start, begin = self._middle(), self.now
        self.program.move_straight(to + up(GRASP_HEIGHT), seconds * self.pace)
        if self._held is not None:
            for share in np.linspace(0.0, 1.0, 13)[1:]:
                eased = share**3 * (10 - 15 * share + 6 * share**2)
                time = begin + share * (self.now - begin)
                self.places[self._held.name].append((time, start + eased * (to - start)))

    def open(self) -> None:
        """Open the fingers."""
        self._note()
        self._held = None
        self._grip(OPENED)
        self.wait(0.8)

    def slip(self) -> None:
        """Open the fingers for a moment, as a weak gripper does."""
        self._grip(OPENED)
        self.wait(0.5)

    def sweep(self, begin: Floats, end: Floats) -> None:
        """Go from home to a place, and straight from there to another, with the fingers open."""
        self.program.move_joints(_reacher().solve(begin + up(0.08), HOME), 1.5 * self.pace)
        self.program.move_straight(begin, 0.8 * self.pace)
        self.program.move_straight(end, 1.5 * self.pace)

    def home(self) -> None:
        """Go up and home."""
        self.line(self._middle() + up(0.13), 0.9)
        self.program.move_joints(HOME, 1.6 * self.pace)

    def believed(self, thing: str, time: float) -> list[float]:
        """Return where the program believes a thing to be: x y z, qw qx qy qz."""
        times, middles = zip(*self.places[thing], strict=True)
        at = np.array([np.interp(time, times, column) for column in np.array(middles).T])
        return [*at.tolist(), 1.0, 0.0, 0.0, 0.0]

    def readings(self, random: np.random.Generator) -> list[Reading]:
        """Return what the joints' sensors say: the arm's a hundred times a second, the fingers' fifty times."""
        points = self.program.set_points()
        ticks = np.arange(len(points)) * TICK_S
        times = np.arange(0.0, ticks[-1], 0.01)
        arm = np.stack([np.interp(times, ticks, column) for column in points.T], axis=1)
        speeds = np.gradient(arm, 0.01, axis=0)
        arm += random.normal(0.0, 1e-4, arm.shape)
        fingers = self._fingers(times)
        found = []
        for row, time in enumerate(times.tolist()):
            found.append(_reading(time, stand_in.ARM_JOINTS, arm[row], speeds[row]))
            if row % 2 == 0:
                both = np.full(2, fingers[row])
                found.append(_reading(time, stand_in.FINGER_JOINTS, both, np.zeros(2)))
        return found

    def _fingers(self, times: Floats) -> Floats:
        at, number, path = OPENED, 0, []
        step = FINGER_SPEED * 0.01
        for time in times.tolist():
            while number + 1 < len(self._stops) and self._stops[number + 1][0] <= time:
                number += 1
            at += float(np.clip(self._stops[number][1] - at, -step, step))
            path.append(at)
        return np.array(path)

    def _grip(self, goal: float) -> None:
        self.program.grip(goal)
        self._stops.append((self.now, goal))

    def _middle(self) -> Floats:
        return _reacher().point(self.program.last) - up(GRASP_HEIGHT)

    def _note(self) -> None:
        if self._held is not None:
            self.places[self._held.name].append((self.now, self._middle()))


def _reading(time: float, joints: tuple[str, ...], at: Floats, speed: Floats) -> Reading:
    return Reading(round(time, 6), joints, at, speed, np.empty(0))


def up(height: float) -> Floats:
    """Return (3,) the way up by a height [m]."""
    return np.array([0.0, 0.0, height])


def at_angle(radius: float, angle: float, height: float) -> Floats:
    """Return (3,) a place around the arm's base; the angle is counted from x [rad]."""
    return np.array([radius * np.cos(angle), radius * np.sin(angle), height])


def pose(at: Floats, yaw: float = 0.0) -> dict[str, list[float]]:
    """Return a place as a scene has it."""
    turned = [float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2))]
    return {"pose": [*(round(float(v), 6) for v in at), *turned]}


def chosen(random: np.random.Generator, options: Mapping[str, float]) -> str:
    """Return one of some names, drawn by their weights."""
    weights = np.array(list(options.values()))
    return str(random.choice(list(options), p=weights / weights.sum()))


def pairs(items: list[tuple[float, Floats]]) -> Iterator[tuple[float, list[float]]]:
    """Yield times and places as lists."""
    for time, at in items:
        yield time, at.tolist()
