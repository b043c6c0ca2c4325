"""The lab robot rolls as its wheels turn, and on a slippery floor it does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.gazebo_servers import needs_gazebo

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import MainTick
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.sources.part import JointMotion, Part

PERIOD_NS = 2_500_000
RADIUS, SEPARATION = 0.06, 0.25
LEFT, RIGHT = "left_wheel_joint", "right_wheel_joint"
MOST, GAIN = 0.4, 1.0
"""Speed on the straight [m/s], and how fast speeds change [m/s^2]; a turn's likewise."""


class Course(Part):
    """A straight, a curve and turns on the spot, as speeds of the wheels."""

    joint_names = (LEFT, RIGHT)
    duration_ns = None

    def __init__(self, speeds: Callable[[float], tuple[float, float]]) -> None:
        self._speeds = speeds

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        self._wheels = [joints.index(LEFT), joints.index(RIGHT)]
        self._count = len(joints)
        return np.array([name in self.joint_names for name in joints])

    def motion(self, time_ns: int) -> JointMotion:
        forward, turn = self._speeds(time_ns * 1e-9)
        aside = turn * SEPARATION / 2
        velocities = np.zeros(self._count)
        velocities[self._wheels] = (forward - aside) / RADIUS, (forward + aside) / RADIUS
        still = np.zeros(self._count)
        return JointMotion(still, velocities, still, np.full(self._count, np.nan))

    def events(self, time_ns: int) -> list[Event]:
        return []

    def ended(self, time_ns: int) -> bool:
        return False

    def close(self) -> None:
        """There is nothing to close."""


def course(time: float) -> tuple[float, float]:
    """Speed forward [m/s] and turn [rad/s] at a time [s]: 6 s straight, 6 s of a curve, 7 s on the spot."""
    straight, curve, spot = (
        ramped(time, *span) for span in ((0.2, 6.0), (6.2, 12.5), (12.7, 19.5))
    )
    return MOST * straight + 0.75 * MOST * curve, 0.8 * curve - 1.2 * spot


def ramped(time: float, begin: float, end: float) -> float:
    """1 between begin and end, with ramps."""
    ramp = MOST / GAIN
    return max(0.0, min(1.0, (time - begin) / ramp, (end - time) / ramp))


def kinematics(seconds: float) -> tuple[float, float, float, float]:
    """x, y [m], yaw [rad] and way [m] of a base that does not slip, by small steps."""
    x = y = yaw = way = 0.0
    step = 1e-3
    for i in range(round(seconds / step)):
        forward, turn = course((i + 0.5) * step)
        x += forward * math.cos(yaw + turn * step / 2) * step
        y += forward * math.sin(yaw + turn * step / 2) * step
        yaw += turn * step
        way += abs(forward) * step
    return x, y, yaw, way


def driven(world: Path, seconds: float, engine: str) -> tuple[Floats, Floats]:
    """Drive the course in a world; returns pose and odometry at the end."""
    robot = {
        "urdf": str(resource("urdf") / "lab_robot.urdf"),
        "base": "free",
        "drives": {"wheels": {"joints": ["*_wheel_joint"], "mode": "velocity"}},
        "wheels": {"left": [LEFT], "right": [RIGHT]},
    }
    parameters = {"world": str(world), "robot": robot, "source": Course(course), "watch_rate": 0.0}
    model = MainPhysics()
    start = model.contribute({**parameters, "rate": 1e9 / PERIOD_NS, "engine": engine}, 0)
    layout = Layout.build(start.entities, ((a.entity, a.attribute) for a in start.attributes))
    nothing = np.zeros(len(layout.slots), np.int32)
    scene = Snapshot(layout, ("physics",), 0, np.zeros(layout.size), nothing, nothing)
    try:
        for i in range(1, round(seconds * 1e9 / PERIOD_NS) + 1):
            block = model.step(MainTick(i * PERIOD_NS, PERIOD_NS, scene)).block
    finally:
        model.stop()
    assert block is not None
    pose, odometry = (layout.range_of("lab_robot", name) for name in ("pose", "odometry"))
    return block[pose].copy(), block[odometry].copy()


def place(pose: Floats) -> Floats:
    """x, y [m] and yaw [rad], the latter within half a turn."""
    return np.array([pose[0], pose[1], 2 * np.arctan2(pose[6], pose[3])])


def apart(one: Floats, other: Floats) -> tuple[float, float]:
    """How far two places are apart [m], and how far they are turned against each other [degrees]."""
    turn = float(np.degrees(np.angle(np.exp(1j * (one[2] - other[2])))))
    return float(np.hypot(*(one[:2] - other[:2]))), abs(turn)


@pytest.mark.parametrize(
    ("engine", "most", "turned"),
    [("mujoco", 0.02, 3.0), pytest.param("gz", 0.05, 6.0, marks=needs_gazebo)],
)
def test_it_ends_where_its_wheels_bring_it(engine: str, most: float, turned: float) -> None:
    """Measured: 12 mm and 1.6 degrees off from the commands, 1 mm and 0.02 degrees from what the wheels turned.

    In Gazebo 0.6 mm and less than 0.001 degrees off from both.

    Args:
        engine: that computes.
        most: how far from the kinematics it may end [share of the way].
        turned: by how much it may be turned against them [degrees].
    """
    pose, odometry = driven(resource("worlds") / "empty.sdf", 20.0, engine)
    *expected, way = kinematics(20.0)
    metres, degrees = apart(place(pose), np.array(expected))
    assert metres < most * way
    assert degrees < turned
    metres, degrees = apart(place(pose), place(odometry))
    assert metres < 0.005
    assert degrees < 0.5


@pytest.mark.parametrize("engine", ["mujoco", pytest.param("gz", marks=needs_gazebo)])
def test_on_a_slippery_floor_odometry_and_truth_part(engine: str, tmp_path: Path) -> None:
    """Odometry says what the wheels did; the robot is elsewhere."""
    world = (resource("worlds") / "empty.sdf").read_text("utf-8")
    ice = "<surface><friction><ode><mu>0.005</mu><mu2>0.005</mu2></ode></friction></surface></collision>"
    (tmp_path / "ice.sdf").write_text(world.replace("</collision>", ice), "utf-8")
    pose, odometry = driven(tmp_path / "ice.sdf", 3.0, engine)
    assert apart(place(odometry), np.array(kinematics(3.0)[:3]))[0] < 0.01
    assert apart(place(pose), place(odometry))[0] > 0.5
