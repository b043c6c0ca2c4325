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
from hetwin_bauer2022.two_hands.joints import ARMS, FINGERS, GRASP_OFFSET, PALM
from hetwin_bauer2022.two_hands.still_fingers import blocked, closed_shares
from hetwin_stand_ins.reaching import Reacher
from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput, resource

THRESHOLDS = Path(__file__).with_name("rules.yaml")
_GRAVITY = 9.81
_OPENS_BY = 0.05
"""Share of its travel by which a finger has opened since the release command when it counts as open."""
_OPENING_S = 0.035
"""Delay between the opening command and free fall, used if no finger is seen to open [s]."""
_ABOUT_S = 0.02
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
    found: dict[str, Any] = yaml.safe_load(THRESHOLDS.read_text(encoding="utf-8"))
    return Thresholds(*(float(found[name]) for name in Thresholds._fields))


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
        self._said = _said(self._recording)
        self._hand, self._hand_at = self._joints(FINGERS["right"])
        self._shares = closed_shares(self._hand)
        self._arm, self._arm_at = self._joints(ARMS["right"])

    @cached_property
    def release(self) -> float:
        """Return the announced time of the release [s]."""
        return self._when("release")

    def blocked(self) -> tuple[bool, str]:
        """Return whether the fingers stay blocked until the release, as the verdict, and the reason."""
        success = blocked(self._shares[self._holding])
        return success, "fingers blocked until release" if success else "fingers closed"

    def kinematic(self, limits: Thresholds | None = None) -> tuple[bool, str]:
        """Return the verdict of forward kinematics and ballistic fall, and the reason."""
        limits = limits or thresholds()
        found = self.measured()
        if self._episode.scenario == "insertion":
            success = found.first <= limits.short and found.second <= -limits.sunk
            return success, f"tip {found.first:.4f} m short, sunk by {-found.second:.4f} m"
        success = found.first <= limits.closed and found.second <= -limits.margin
        return success, f"fingers closed by {found.first:.2f}, falls {-found.second:.4f} m inside"

    def measured(self) -> Quantities:
        """Return the quantities that `kinematic` compares with its thresholds."""
        if self._episode.scenario == "insertion":
            return self._inserted()
        return Quantities(float(self._shares[self._holding].max()), -self._margin())

    def opening(self) -> float:
        """Return the start of the ball's fall [s]: the mean of the times at which the fingers open."""
        after = self._hand_at >= self.release
        times = []
        for finger in np.split(self._hand[after], 4, axis=1):
            shares = closed_shares(finger)
            opened = self._hand_at[after][shares < shares[0] - _OPENS_BY] if len(shares) else ()
            times += [*opened[:1]]
        return float(np.mean(times)) if times else self.release + _OPENING_S

    def _inserted(self) -> Quantities:
        start = float(self._arm_at[0])
        offset = self._believed("dip")[2] - self._point(start, TIP_IN_PALM)[2]
        pressed, pushes = self._when("insert") + PRESS_S, self.release - REST_S - PUSH_S
        first, before, last = (
            float(self._point(time, TIP_IN_PALM)[2]) for time in (pressed, pushes, self.release)
        )
        depth = last + offset - self._believed("spu")[2]
        return Quantities(float(depth), last - max(first, before))

    def _margin(self) -> float:
        """Return how far inside a believed rim the ball falls [m]."""
        held = self._believed("ball")[:3] - self._point(self._when("bind"), GRASP_OFFSET)
        opening = self.opening()
        about = [self._point(opening + t, GRASP_OFFSET) for t in (-_ABOUT_S, 0.0, _ABOUT_S)]
        velocity = (about[2] - about[0]) / (2 * _ABOUT_S)
        ball = about[1] + self._lifted(held)
        names = [one for one in CONTAINERS if one.name in self._episode.scene]
        margins = [self._falls(ball, velocity, one.name) for one in names]
        return max(margins, default=-math.inf)

    def _lifted(self, held: Floats) -> Floats:
        """Return the position of the ball in the hand: on its axis, at its height when the fingers closed."""
        return np.array([0.0, 0.0, held[2]])

    def _falls(self, ball: Floats, velocity: Floats, name: str) -> float:
        box = next(one for one in CONTAINERS if one.name == name)
        pose = self._believed(name)
        way = max(ball[2] - (pose[2] + box.height + BALL_RADIUS), 0.0)
        up = float(velocity[2])
        lasts = (up + math.sqrt(up * up + 2 * _GRAVITY * way)) / _GRAVITY
        x, y = ball[:2] + lasts * velocity[:2] - pose[:2]
        yaw = 2 * math.atan2(pose[6], pose[3])
        turned = (x * math.cos(yaw) + y * math.sin(yaw), y * math.cos(yaw) - x * math.sin(yaw))
        return box.margin(np.array(turned))

    @property
    def _holding(self) -> Any:
        return (self._hand_at >= self._when("bind")) & (self._hand_at <= self.release)

    def _believed(self, thing: str) -> Floats:
        return np.array(believed_pose(self._episode.scene, thing), np.float64)

    def _when(self, operation: str) -> float:
        if operation not in self._said:
            raise BadInput(
                "the robot did not say when it took and let go",
                file=self._episode.recording,
                found=", ".join(self._said),
                expected="action annotations `bind` and `release`",
            )
        return self._said[operation]

    def _point(self, time: float, offset: tuple[float, float, float]) -> Floats:
        joints = [np.interp(time, self._arm_at, column) for column in self._arm.T]
        file = self._episode.robot or resource("urdf") / "two_hand_robot.urdf"
        return _reacher(file, offset).point(np.array(joints))

    def _joints(self, names: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Return (n, joints) positions, and (n,) their times [s]."""
        for one in self._recording.joint_states:
            if set(names) <= set(one.names):
                return _ordered(one, names), one.stamps / 1e9
        raise BadInput(
            "the joints of the right arm and hand are not recorded together",
            file=self._episode.recording,
            expected=", ".join(names),
        )


def _ordered(one: JointStates, names: tuple[str, ...]) -> Floats:
    return np.asarray(one.positions[:, [one.names.index(name) for name in names]])


def _said(recording: Recording) -> dict[str, float]:
    """Return operation -> time of its first announcement [s]."""
    found: dict[str, float] = {}
    for message in recording.others:
        kind = recording.connections[message.topic].msgtype
        if kind == "hetwin/msg/ActionAnnotation":
            said: Any = recording.types.deserialize_cdr(message.data, kind)
            stamp = said.header.stamp
            found.setdefault(said.operation, stamp.sec + stamp.nanosec / 1e9)
    return found


@cache
def _reacher(robot: Path, offset: tuple[float, float, float]) -> Reacher:
    return Reacher(mj.MjModel.from_xml_path(str(robot)), ARMS["right"], PALM, offset)
