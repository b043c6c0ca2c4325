"""Takes in what the robot believes: brings its poses into the world, and passes them to the listeners alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from hetwin_core.ensemble.annotations import ROBOT
from hetwin_core.ensemble.beliefs import BeliefFields, Pose, belief_fields, problem_of
from hetwin_core.ensemble.conductor.reporting.listener_group import ListenerGroup
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scenario.believed_entities import BelievedNames
from hetwin_core.ensemble.scene.poses import compose, multiply, relative_to, rotate
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import ODOMETRY, WORLD, Floats, pose_value
from hetwin_core.ensemble.words import seconds


class BeliefIntake(Restorable):
    """Passes beliefs on, with poses in the world frame.

    A belief about what the scene does not have, or in a frame that it does not have, is left out; the first of its kind
    on a topic is a warning, and at the end of the run their number. The frames are the scene's entities, ``world`` or
    ``map``, which are the same, and ``odom`` of a robot with odometry, where it was when it was first needed: nothing
    tells the robot of the drift.

    Args:
        scene: poses and entities.
        listeners: receive the beliefs, and the warnings.
        expected: topics from which beliefs or tasks are to come -> the scenario's keys that name them.
    """

    saved_fields = ("_silent", "_begins", "_left_out")

    def __init__(
        self, scene: Scene, listeners: ListenerGroup, expected: Mapping[str, str] | None = None
    ) -> None:
        self._scene = scene
        self._listeners = listeners
        self._silent = dict(expected or {})
        self._names = BelievedNames(scene.layout)
        self._begins: dict[str, Floats] = {}
        self._left_out: Counter[tuple[str, str]] = Counter()

    def heard(self, source: str) -> None:
        """Take note that something came from a topic."""
        self._silent.pop(source, None)

    def take(self, event: Event) -> None:
        """Pass a belief on, or warn that it cannot be used."""
        self.heard(event.source)
        problem = problem_of(event)
        if problem:
            self._leave_out(event, "not a belief", problem)
            return
        fields, robot = belief_fields(event), str(event.arguments.get(ROBOT, ""))
        entities = [self._names.entity(name, robot) for name in fields.arguments]
        for name, known in zip(fields.arguments, entities, strict=True):
            if known is None:
                found = f"{fields.fluent} of {name!r}; expected an entity of the scene"
                self._leave_out(event, name, found + perhaps(name, self._names.entities))
                return
        frame = self._frame(fields.frame, robot) if fields.pose else None
        if fields.pose and frame is None:
            expected = one_of(fields.frame, self._names.known_frames)
            self._leave_out(event, fields.frame, f"frame {fields.frame!r}; expected {expected}")
            return
        self._listeners.belief(_resolved(event, fields, [str(name) for name in entities], frame))

    def end(self) -> None:
        """Warn of topics on which nothing came, and say how much was left out."""
        for source, where in self._silent.items():
            self._warn(where, f"nothing came on {source}")
        for (source, _), count in self._left_out.items():
            if count > 1:
                self._warn(source, f"{count} messages in all were left out for the same reason")

    def _leave_out(self, event: Event, kind: str, problem: str) -> None:
        key = event.source, kind
        self._left_out[key] += 1
        if self._left_out[key] == 1:
            text = f"at {seconds(event.time_ns, 3)}: {problem}; such messages are left out"
            self._warn(event.source, text)

    def _warn(self, source: str, text: str) -> None:
        self._listeners.note(self._scene.time_ns, "warning", source, text)

    def _frame(self, name: str, robot: str) -> Floats | None:
        """(13,) the pose of a frame in the world; None if there is no such frame."""
        known = self._names.frame(name, robot)
        if known is None or known == WORLD:
            return None if known is None else _WORLD_POSE
        if known in self._names.odometries:
            return self._odometry_began(known)
        return self._scene.snapshot().pose(known)

    def _odometry_began(self, frame: str) -> Floats:
        """(13,) where a robot's odometry began, as it was when it was first asked for."""
        if frame not in self._begins:
            robot, scene = self._names.odometries[frame], self._scene.snapshot()
            odometry = scene.get(robot.name, ODOMETRY.name)
            self._begins[frame] = compose(
                scene.pose(robot.root), relative_to(odometry, _WORLD_POSE)
            )
        return self._begins[frame]


_WORLD_POSE: Floats = pose_value((0.0, 0.0, 0.0)).data


def _moved(frame: list[float], pose: Pose) -> list[Json]:
    """A pose in a frame as one in the world; the frame's twist does not matter."""
    x, y, z = rotate(frame[3:7], pose[:3])
    return [x + frame[0], y + frame[1], z + frame[2], *multiply(frame[3:7], pose[3:])]


def _resolved(
    event: Event, fields: BeliefFields, entities: list[str], frame: Floats | None
) -> Event:
    """The belief with the scene's names and its pose in the world."""
    arguments: dict[str, Json] = {**event.arguments, "arguments": [*entities], "frame": WORLD}
    if frame is not None and frame is not _WORLD_POSE:
        arguments["pose"] = _moved(frame.tolist(), fields.pose)
    return replace(event, arguments=arguments)
