"""Signals of a stand-in besides joint states: the wrench at a wrist, controller states, and a gripper's status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_suite.episode import Encoded, Topic, header, known_types
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

WRENCH = Topic("wrist/wrench", "geometry_msgs/msg/WrenchStamped", "force and torque at the wrist")
_CONTROLLER = "control_msgs/msg/JointTrajectoryControllerState"
_STATUS = "robotiq_2f_gripper_control/msg/Robotiq2FGripper_robot_input"
_FORCE_NOISE, _TORQUE_NOISE = 0.05, 0.0025
"""Standard deviation of a sample [N, Nm], as in HIRO_SA_DATA (HongminWu) before the arm touches anything."""
_OFFSET = np.array([2.0, 2.5, 3.0, 0.2, 0.15, 0.12])
"""Standard deviation of the offset of a sensor that was not zeroed [N, Nm], as in the data set PickApp."""
_DELAY_S = (150e-6, 60e-6)
"""Delay from stamp to reception [s]: minimum, and scale of a gamma distribution of shape 2."""
_STATUS_S, _STALL_S, _STALL_SHARE, _GOAL_SHARE = 0.05, 0.1, 0.02, 0.02
"""Period of a gripper's status [s]; time and share of its travel that define a stop; share that defines its goal."""
_MOVES, _STOPPED_OPENING, _STOPPED_CLOSING, _REACHED = 0, 1, 2, 3
"""Values of gOBJ of a Robotiq gripper."""


@dataclass
class Wrist:
    """A force-torque sensor between a link and its parent, not zeroed, in the link's frame.

    The weight of everything on the link pulls it along gravity.

    Args:
        model: model of the world.
        link: name of the body.
        random: generator of noise and offset.
        period_steps: steps of the physics between two samples; with steps of 1 ms: 125 Hz, as in PickApp.
    """

    model: mj.MjModel
    link: str
    random: np.random.Generator
    period_steps: int = 8
    samples: list[tuple[float, Floats]] = field(default_factory=list)
    """Times [s], and (6,) force [N] and torque [Nm]."""

    def __post_init__(self) -> None:
        self._body = self.model.body(self.link).id
        self._offset = self.random.normal(0.0, _OFFSET)
        self._noise = np.repeat((_FORCE_NOISE, _TORQUE_NOISE), 3)

    def sample(self, step: int, data: mj.MjData) -> None:
        """Sample the sensor if it is due at this step of the physics."""
        if step % self.period_steps:
            return
        mj.mj_rnePostConstraint(self.model, data)
        internal_forces, body = data.cfrc_int[self._body], self._body
        arm = data.subtree_com[self.model.body_rootid[body]] - data.xpos[body]
        rotation = data.xmat[body].reshape(3, 3)
        force = rotation.T @ -internal_forces[3:]
        torque = rotation.T @ -(internal_forces[:3] + np.cross(arm, internal_forces[3:]))
        reading = np.concatenate((force, torque)) + self._offset
        reading += self.random.normal(0.0, self._noise)
        self.samples.append((step * self.model.opt.timestep, reading))

    def messages(self, start_ns: int) -> Iterator[Encoded]:
        """Yield its messages; time 0 has the given stamp."""
        vector = known_types().types["geometry_msgs/msg/Vector3"]
        wrench = known_types().types["geometry_msgs/msg/Wrench"]
        for time, reading in self.samples:
            stamp_ns = start_ns + round(time * 1e9)
            force, torque = (vector(*map(float, part)) for part in (reading[:3], reading[3:]))
            content = {"header": header(stamp_ns, self.link), "wrench": wrench(force, torque)}
            yield _encoded(WRENCH, stamp_ns + delay_ns(self.random), **content)


@dataclass(frozen=True)
class Gripper:
    """A gripper that reports whether it has stopped at its goal or on an object, like those of Robotiq.

    Args:
        name: namespace of its topics.
        joints: joints of its fingers.
        opened: positions of the open fingers [rad or m].
        closed: positions of the fingers when closed without an object [rad or m].
    """

    name: str
    joints: tuple[str, ...]
    opened: Floats
    closed: Floats

    def messages(
        self,
        readings: Sequence[Reading],
        goals: Sequence[tuple[float, float]],
        start_ns: int,
        random: np.random.Generator,
    ) -> Iterator[Encoded]:
        """Yield its status while it has a goal.

        Args:
            readings: readings of its joints.
            goals: times [s] and goals as shares of the travel towards closed, in order.
            start_ns: stamp of time 0 [ns].
            random: generator of delays.
        """
        topic = Topic(f"{self.name}/status", _STATUS, "of a gripper")
        own_readings = [
            joint_reading for joint_reading in readings if joint_reading.joints == self.joints
        ]
        due, moved_at, rest_share = 0.0, 0.0, np.inf
        for joint_reading, share in zip(
            own_readings, self._shares(own_readings).tolist(), strict=True
        ):
            past_goals = [goal for goal in goals if goal[0] <= joint_reading.time]
            if abs(share - rest_share) > _STALL_SHARE or not past_goals:
                moved_at, rest_share = joint_reading.time, share
            if joint_reading.time < due or not past_goals:
                continue
            due, (goal_time, goal) = joint_reading.time + _STATUS_S, past_goals[-1]
            is_still = joint_reading.time - max(moved_at, goal_time) >= _STALL_S
            object_status = _REACHED if abs(goal - share) <= _GOAL_SHARE else _MOVES
            if is_still and object_status == _MOVES:
                object_status = _STOPPED_CLOSING if goal > share else _STOPPED_OPENING
            position, goal_position = (
                round(255.0 * min(1.0, max(0.0, part))) for part in (share, goal)
            )
            yield _encoded(
                topic,
                start_ns + round(joint_reading.time * 1e9) + delay_ns(random),
                gACT=1,
                gGTO=1,
                gSTA=3,
                gOBJ=object_status,
                gFLT=0,
                gPR=goal_position,
                gPO=position,
                gCU=min(255, round(100.0 * float(np.abs(joint_reading.efforts).mean()))),
            )

    def _shares(self, readings: Sequence[Reading]) -> Floats:
        at = np.array([joint_reading.positions for joint_reading in readings]).reshape(
            -1, len(self.joints)
        )
        shares: Floats = ((at - self.opened) / (self.closed - self.opened)).mean(axis=1)
        return shares


def controller_messages(
    name: str,
    joints: Sequence[str],
    readings: Sequence[Reading],
    start_ns: int,
    random: np.random.Generator,
) -> Iterator[Encoded]:
    """Yield the states of a controller: desired and actual positions of its joints.

    Args:
        name: name of the controller.
        joints: joints of the controller; readings without `targets` are skipped.
        readings: readings of the robot.
        start_ns: stamp of time 0 [ns].
        random: generator of delays.
    """
    topic = Topic(f"{name}/controller_state", _CONTROLLER, "where a controller wants its joints")
    for joint_reading in readings:
        if joint_reading.targets is None or not set(joints) <= set(joint_reading.joints):
            continue
        places = [joint_reading.joints.index(joint) for joint in joints]
        stamp_ns = start_ns + round(joint_reading.time * 1e9)
        error = joint_reading.targets[places] - joint_reading.positions[places]
        yield _encoded(
            topic,
            stamp_ns + delay_ns(random),
            header=header(stamp_ns),
            joint_names=list(joints),
            reference=_point(joint_reading.targets[places]),
            feedback=_point(joint_reading.positions[places]),
            error=_point(error),
            output=_point(np.zeros(0)),
            multi_dof_joint_names=[],
            **{
                f"multi_dof_{part}": _empty_multi_dof_point()
                for part in ("reference", "feedback", "error", "output")
            },
            speed_scaling_factor=1.0,
        )


def delay_ns(random: np.random.Generator) -> int:
    """Draw the time from a message's stamp to its reception [ns]."""
    minimum, scale = _DELAY_S
    return round(1e9 * (minimum + random.gamma(2.0, scale)))


def _point(positions: Floats) -> Any:
    empty, types = np.zeros(0), known_types().types
    zero_duration = types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0)
    kind: Any = types["trajectory_msgs/msg/JointTrajectoryPoint"]
    return kind(np.ascontiguousarray(positions), empty, empty, empty, zero_duration)


def _empty_multi_dof_point() -> Any:
    types = known_types().types
    zero_duration = types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0)
    return types["trajectory_msgs/msg/MultiDOFJointTrajectoryPoint"]([], [], [], zero_duration)


def _encoded(topic: Topic, received_ns: int, **fields: Any) -> Encoded:
    types = known_types()
    content = types.types[topic.type](**fields)
    return Encoded(topic, received_ns, types.serialize_cdr(content, topic.type))
