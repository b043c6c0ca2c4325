"""Verdicts by rules without simulation, from recorded joints, announcements, beliefs, and geometry."""

from __future__ import annotations

import math
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import mujoco as mj
import numpy as np
import yaml

from hetwin_bauer2022.containers import CONTAINERS
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.insertions.draw import TIP_IN_PALM
from hetwin_bauer2022.insertions.program import PRESS_S, PUSH_S, REST_S
from hetwin_bauer2022.mismatch import JointStates, read_recording
from hetwin_bauer2022.mismatch.belief import believed_pose
from hetwin_bauer2022.mismatch.recording_file import Recording
from hetwin_bauer2022.tennis_table import BALL_RADIUS
from hetwin_bauer2022.two_hands.blocked_fingers import closures, stay_blocked
from hetwin_bauer2022.two_hands.joints import ARMS, FINGERS, GRASP_OFFSET, PALM
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput, resource

THRESHOLDS = Path(__file__).with_name("rules.yaml")
_GRAVITY = 9.81
_OPEN_SHARE = 0.05
"""Share of its travel by which a finger has opened since the release command when it counts as open."""
_OPENING_S = 0.035
"""Delay between the opening command and free fall, used if no finger is seen to open [s]."""
_VELOCITY_HALF_SPAN_S = 0.02
"""Velocities are central differences over twice this time [s]."""


class Thresholds(NamedTuple):
    """Thresholds of the rules, see `rules.yaml`."""

    closed: float
    margin: float
    short: float
    sunk: float


class Quantities(NamedTuple):
    """The quantities that `kinematic` compares with its thresholds; both must be at most the threshold.

    Attributes:
        first: closure of the fingers, or height of the probe's tip above the believed bottom of the hole [m].
        second: distance outside the rim at which the ball falls; or upward motion of the tip from its first rest to
            the release [m].
    """

    first: float
    second: float


@cache
def thresholds() -> Thresholds:
    """Return the shipped thresholds."""
    values: dict[str, Any] = yaml.safe_load(THRESHOLDS.read_text(encoding="utf-8"))
    return Thresholds(*(float(values[name]) for name in Thresholds._fields))


class ObservedEpisode:
    """An episode as the robot itself observed it.

    Args:
        episode: the episode; only recording, believed scene and robot are read.

    Raises:
        BadInput: if the episode cannot be read.
    """

    def __init__(self, episode: LabelledEpisode) -> None:
        self._episode = episode
        self._recording = read_recording(episode.recording)
        self._announcement_times = _announcement_times(self._recording)
        self._hand, self._hand_times = self._joints(FINGERS["right"])
        self._shares = closures(self._hand)
        self._arm, self._arm_times = self._joints(ARMS["right"])

    @cached_property
    def release(self) -> float:
        """Return the announced time of the release [s]."""
        return self._announced_time("release")

    def stay_blocked(self) -> tuple[bool, str]:
        """Return whether the fingers stay blocked until the release, as the verdict, and the reason."""
        success = stay_blocked(self._shares[self._holding])
        return success, "fingers blocked until release" if success else "fingers closed"

    def kinematic(self, limits: Thresholds | None = None) -> tuple[bool, str]:
        """Return the verdict of forward kinematics and ballistic fall, and the reason."""
        limits = limits or thresholds()
        quantities = self.measured()
        if self._episode.scenario == "insertion":
            success = quantities.first <= limits.short and quantities.second <= -limits.sunk
            return (
                success,
                f"tip {quantities.first:.4f} m short, sunk by {-quantities.second:.4f} m",
            )
        success = quantities.first <= limits.closed and quantities.second <= -limits.margin
        return (
            success,
            f"fingers closed by {quantities.first:.2f}, falls {-quantities.second:.4f} m inside",
        )

    def measured(self) -> Quantities:
        """Return the quantities that `kinematic` compares with its thresholds."""
        if self._episode.scenario == "insertion":
            return self._insertion_quantities()
        return Quantities(float(self._shares[self._holding].max()), -self._margin())

    def opening(self) -> float:
        """Return the start of the ball's fall [s]: the mean of the times at which the fingers open."""
        after = self._hand_times >= self.release
        times = []
        for finger in np.split(self._hand[after], 4, axis=1):
            shares = closures(finger)
            opening_times = (
                self._hand_times[after][shares < shares[0] - _OPEN_SHARE] if len(shares) else ()
            )
            times += [*opening_times[:1]]
        return float(np.mean(times)) if times else self.release + _OPENING_S

    def _insertion_quantities(self) -> Quantities:
        start = float(self._arm_times[0])
        offset = self._believed("dip")[2] - self._point_at(start, TIP_IN_PALM)[2]
        pressed, pushes = self._announced_time("insert") + PRESS_S, self.release - REST_S - PUSH_S
        first, before, last = (
            float(self._point_at(time, TIP_IN_PALM)[2]) for time in (pressed, pushes, self.release)
        )
        depth = last + offset - self._believed("spu")[2]
        return Quantities(float(depth), last - max(first, before))

    def _margin(self) -> float:
        """Return how far inside a believed rim the ball falls [m]."""
        held = self._believed("ball")[:3] - self._point_at(
            self._announced_time("bind"), GRASP_OFFSET
        )
        opening = self.opening()
        times = (opening - _VELOCITY_HALF_SPAN_S, opening, opening + _VELOCITY_HALF_SPAN_S)
        positions = [self._point_at(time, GRASP_OFFSET) for time in times]
        velocity = (positions[2] - positions[0]) / (2 * _VELOCITY_HALF_SPAN_S)
        ball = positions[1] + self._ball_offset(held)
        containers = [
            container for container in CONTAINERS if container.name in self._episode.scene
        ]
        margins = [self._fall_margin(ball, velocity, container.name) for container in containers]
        return max(margins, default=-math.inf)

    def _ball_offset(self, held: Floats) -> Floats:
        """Return the position of the ball in the hand: on its axis, at its height when the fingers closed."""
        return np.array([0.0, 0.0, held[2]])

    def _fall_margin(self, ball: Floats, velocity: Floats, name: str) -> float:
        target = next(container for container in CONTAINERS if container.name == name)
        pose = self._believed(name)
        drop_height = max(ball[2] - (pose[2] + target.height + BALL_RADIUS), 0.0)
        upward_speed = float(velocity[2])
        duration = (
            upward_speed + math.sqrt(upward_speed * upward_speed + 2 * _GRAVITY * drop_height)
        ) / _GRAVITY
        x, y = ball[:2] + duration * velocity[:2] - pose[:2]
        yaw = 2 * math.atan2(pose[6], pose[3])
        in_container = (
            x * math.cos(yaw) + y * math.sin(yaw),
            y * math.cos(yaw) - x * math.sin(yaw),
        )
        return target.margin(np.array(in_container))

    @property
    def _holding(self) -> Any:
        return (self._hand_times >= self._announced_time("bind")) & (
            self._hand_times <= self.release
        )

    def _believed(self, thing: str) -> Floats:
        return np.array(believed_pose(self._episode.scene, thing), np.float64)

    def _announced_time(self, operation: str) -> float:
        if operation not in self._announcement_times:
            raise BadInput(
                "the recording does not announce the grasp and the release",
                file=self._episode.recording,
                found=", ".join(self._announcement_times),
                expected="action annotations `bind` and `release`",
            )
        return self._announcement_times[operation]

    def _point_at(self, time: float, offset: tuple[float, float, float]) -> Floats:
        joints = [np.interp(time, self._arm_times, column) for column in self._arm.T]
        file = self._episode.robot or resource("urdf") / "two_hand_robot.urdf"
        return _reacher(file, offset).point(np.array(joints))

    def _joints(self, containers: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Return (n, joints) positions, and (n,) their times [s]."""
        for states in self._recording.joint_states:
            if set(containers) <= set(states.names):
                return _ordered(states, containers), states.stamps / 1e9
        raise BadInput(
            "the joints of the right arm and hand are not recorded together",
            file=self._episode.recording,
            expected=", ".join(containers),
        )


def _ordered(states: JointStates, containers: tuple[str, ...]) -> Floats:
    return np.asarray(states.positions[:, [states.names.index(name) for name in containers]])


def _announcement_times(recording: Recording) -> dict[str, float]:
    """Return operation -> time of its first announcement [s]."""
    quantities: dict[str, float] = {}
    for message in recording.others:
        kind = recording.connections[message.topic].msgtype
        if kind == "hetwin/msg/ActionAnnotation":
            announcement: Any = recording.types.deserialize_cdr(message.data, kind)
            stamp = announcement.header.stamp
            quantities.setdefault(announcement.operation, stamp.sec + stamp.nanosec / 1e9)
    return quantities


@cache
def _reacher(robot: Path, offset: tuple[float, float, float]) -> ArmKinematics:
    return ArmKinematics(mj.MjModel.from_xml_path(str(robot)), ARMS["right"], PALM, offset)
