"""Plans the paths of a robot from its reported poses, and returns the motion of each leg."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hetwin_suite.model import (
    Amount,
    BadInput,
    Changes,
    Contribution,
    EntityName,
    Finite,
    Floats,
    Json,
    Model,
    Parameters,
    Snapshot,
    Text,
    Tick,
    parameter,
    relative_to,
)
from hetwin_suite.robot import PlanarPose, nearest_turn
from hetwin_twin_lab.event_names import PLANNED, POINTED
from hetwin_twin_lab.free_space import FreeSpace, Obstacle, Point, known_obstacles, split_long_legs

MAX_LEGS = 7
"""Maximum number of legs of a path; a longer path is returned in parts, and reported with `MAX_LEGS` + 1 legs."""
_CORNER_TOLERANCE = 0.03
"""Distance within which a corner is reached [m]."""
_MATCH_DISTANCE = 0.25
"""A ray that ends within this distance of a known obstacle is attributed to it [m]."""
_MAX_RAY = 1.2
"""Maximum length of rays that are evaluated [m]."""
_OBSTACLE_RADIUS = 0.1
"""Radius of the disc that is assumed behind the end of a ray [m]."""
_NUMBERED_PATH = 2
"""Kind of a requested plan that follows one of the paths; others lead to one of the places."""

Pair = tuple[Finite, Finite]


class Settings(Parameters):
    """The parameters of the model."""

    robot: EntityName = parameter("the robot; obstacles in the initial scene are known to it")
    listens_to: Text = parameter(
        "model whose ask_plan and ask_leg events are answered", "execution"
    )
    answers: Text = parameter(
        "model whose events `reply` have the robot's pose in the world: x, y, qw, qz"
    )
    paths: dict[int, list[Pair]] = parameter("number -> corners x y of a path in the world, m", {})
    places: dict[int, Pair] = parameter("number -> x y of a place in the world, m", {})
    radius: Amount = parameter("radius of the robot", 0.2, "m")
    clear: Amount = parameter("clearance from obstacles", 0.12, "m")
    height: Amount = parameter("height of the robot; bodies above it are not obstacles", 0.3, "m")
    scanner: str = parameter(
        "link with the laser scanner; its rays arrive as replies with the code `ray`; empty: none",
        "",
    )
    ray: int = parameter(
        "reply code that marks a ray; such a reply has distance [m] and beam (index)", 3
    )
    longest: Amount = parameter("maximum length of a leg on a path to a place", 1.5, "m", gt=0)
    cell: Amount = parameter("cell size of the grid for path search", 0.05, "m", gt=0)


class PathPlanner(Model[Settings]):
    """Computes for a controller: the number of legs of a path, and rotation and length of each leg.

    It knows the static obstacles of the scene, and obstacles that scanner rays have hit since the start.
    """

    summary = "Plans a robot's paths around obstacles, and gives rotation and length of each leg."
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        PLANNED: "a path was planned: legs (0: there is none), way (its length) [m]",
        POINTED: "motion of a leg: leg, rotation [rad], displacement [m]",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Check paths and places.

        Raises:
            BadInput: if a path is empty or too long.
        """
        for number, path in settings.paths.items():
            if not 1 <= len(path) <= MAX_LEGS:
                raise BadInput(
                    "the path has no corners, or too many",
                    where=f"paths.{number}",
                    found=len(path),
                    expected=f"1 to {MAX_LEGS} corners; longer paths must be split",
                )
        links = [name for name in (settings.robot, settings.scanner) if name]
        scene.needs(*((name, "pose") for name in links))

    def start(self, scene: Snapshot) -> None:
        """Find the robot and the obstacles.

        Raises:
            BadInput: if the robot has no pose, or the link has no scanner.
        """
        if not scene.layout.has(self.settings.robot, "pose"):
            raise BadInput(
                "the robot has no pose in the scene", where="robot", found=self.settings.robot
            )
        robot = scene.pose(self.settings.robot)
        self._pose = PlanarPose(float(robot[0]), float(robot[1]), _yaw(robot))
        self._bearings, self._scanner = np.zeros(0), (0.0, 0.0, 0.0)
        if self.settings.scanner:
            self._set_scanner(scene, robot, self.settings.scanner)
        x, y = self._pose.x, self._pose.y
        self._obstacles = known_obstacles(scene, self.settings.height)
        self._space = self._free_space((x, y))
        self._plan: list[Point] = []

    def _set_scanner(self, scene: Snapshot, robot: Floats, link: str) -> None:
        has_pose = scene.layout.has(link, "pose")
        pattern = scene.layout.entity(link).scanner if has_pose else None
        if pattern is None:
            raise BadInput("this link has no laser scanner", where="scanner", found=link)
        self._bearings = pattern.angles
        offset = relative_to(robot, scene.pose(link))
        self._scanner = float(offset[0]), float(offset[1]), _yaw(offset)

    def step(self, tick: Tick) -> Changes:
        """Update the robot's pose, and answer requests."""
        settings, changes = self.settings, tick.changes()
        for event in tick.events:
            if event.source == settings.answers and event.name == "reply":
                self._on_reply(event.arguments)
            elif event.source == settings.listens_to and event.name == "ask_plan":
                self._plan_path(event.arguments, changes)
            elif event.source == settings.listens_to and event.name == "ask_leg":
                self._answer_leg(event.arguments, changes)
        return changes

    def _free_space(self, robot: Point) -> FreeSpace:
        settings = self.settings
        corners = [
            robot,
            *settings.places.values(),
            *(p for path in settings.paths.values() for p in path),
        ]
        corners += [obstacle.centre for obstacle in self._obstacles]
        low, high = np.min(corners, axis=0) - 0.5, np.max(corners, axis=0) + 0.5
        return FreeSpace(
            self._obstacles,
            (float(low[0]), float(low[1])),
            (float(high[0]), float(high[1])),
            settings.radius + settings.clear,
            settings.cell,
        )

    def _on_reply(self, reply: Mapping[str, Json]) -> None:
        """Store the robot's reported pose, and the end of a ray."""
        pose = [_number(reply, name) for name in ("x", "y", "qw", "qz")]
        if None not in pose:
            x, y, qw, qz = (float(number or 0.0) for number in pose)
            self._pose = PlanarPose(x, y, 2.0 * math.atan2(qz, qw))
        distance, beam = _number(reply, "distance"), _number(reply, "beam")
        is_ray = reply.get("code") == self.settings.ray
        if (
            is_ray
            and distance is not None
            and beam is not None
            and beam in range(len(self._bearings))
        ):
            self._add_obstacle(distance, float(self._bearings[int(beam)]))

    def _add_obstacle(self, distance: float, bearing: float) -> None:
        """Add an obstacle at the end of a ray, at a distance [m] and a bearing [rad] from the scanner."""
        if not 0.0 < distance < _MAX_RAY:
            return
        x, y, yaw = self._scanner
        scanner = self._pose.offset(x, y)
        heading = self._pose.yaw + yaw + bearing

        def along(length: float) -> Point:
            return scanner.x + length * math.cos(heading), scanner.y + length * math.sin(heading)

        end = tuple(np.array(part) for part in along(distance))
        if all(float(obstacle.distance(*end)) > _MATCH_DISTANCE for obstacle in self._obstacles):
            self._space.add(
                Obstacle(along(distance + _OBSTACLE_RADIUS), 0.0, (0.0, 0.0), _OBSTACLE_RADIUS)
            )

    def _plan_path(self, request: Mapping[str, Json], changes: Changes) -> None:
        settings, goal = self.settings, request.get("goal")
        position = (self._pose.x, self._pose.y)
        number = goal if isinstance(goal, int) and not isinstance(goal, bool) else -1
        if request.get("kind") == _NUMBERED_PATH:
            self._plan = list(settings.paths.get(number, []))
        elif number in settings.places:
            corners = self._space.shortest_path(position, settings.places[number])
            self._plan = split_long_legs(position, corners, settings.longest)
        else:
            self._plan = []
        corners = [position, *self._plan]
        shortest_path = sum(math.dist(a, b) for a, b in itertools.pairwise(corners))
        changes.event(PLANNED, legs=min(len(self._plan), MAX_LEGS + 1), shortest_path=shortest_path)

    def _answer_leg(self, request: Mapping[str, Json], changes: Changes) -> None:
        leg = request.get("leg")
        number = leg if isinstance(leg, int) and not isinstance(leg, bool) else -1
        rotation = displacement = 0.0
        if 0 <= number < len(self._plan):
            x, y = self._plan[number]
            displacement = math.hypot(x - self._pose.x, y - self._pose.y)
            if displacement < _CORNER_TOLERANCE:
                displacement = 0.0
            else:
                bearing = math.atan2(y - self._pose.y, x - self._pose.x)
                rotation = nearest_turn(bearing - self._pose.yaw)
        changes.event(POINTED, leg=number, rotation=rotation, displacement=displacement)


def _yaw(pose: Floats) -> float:
    w, i, j, k = pose[3:7].tolist()
    return math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))


def _number(arguments: Mapping[str, Json], name: str) -> float | None:
    value = arguments.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
