"""Checks that Gazebo finds its physics engine, loads the user's plugins, and supports the robots.

On such failures, Gazebo itself only prints a message and continues without physics.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import numpy as np

from hetwin_gazebo.options import GazeboOptions, Physics
from hetwin_gazebo.parts import parts_of
from hetwin_gazebo.proxies.selection import ProxyKind
from hetwin_gazebo.simulation import Simulation
from hetwin_gazebo.user_world import plugins
from hetwin_suite.engine import (
    IDENTITY,
    POSE_SIZE,
    Base,
    Body,
    DriveMode,
    Inertial,
    Link,
    Notes,
    World,
)
from hetwin_suite.model import BadInput

_STEPS = 5
_STEP_NS = 1_000_000


def check_physics(physics: Physics) -> None:
    """Check that Gazebo finds its physics engine, by the fall of a body.

    Args:
        physics: name of Gazebo's physics engine, see `GazeboOptions`.

    Raises:
        BadInput: if the body does not fall.
    """
    if not _body_falls(physics):
        raise BadInput(
            "Gazebo does not find this physics engine (its message is above)",
            where="options.physics",
            found=physics,
            expected=f"one that is installed with it, or GZ_SIM_PHYSICS_ENGINE_PATH with the folder of"
            f" the library gz-physics-{physics}-plugin",
        )


@cache
def _body_falls(physics: Physics) -> bool:
    inertial = Inertial(1.0, IDENTITY, (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    world = World("self_test", (Body("self_test", (Link("self_test", inertial=inertial),)),))
    start = np.zeros(POSE_SIZE)
    start[3] = 1.0
    simulation = Simulation(
        world,
        parts_of(world, lambda _frame: inertial, {}, ()),
        {"self_test": start},
        {("self_test", ProxyKind.PLAIN)},
        frozenset(),
        (),
        _STEP_NS,
        GazeboOptions.model_construct(physics=physics, visible=False),
        f"hetwin_{os.getpid()}_self_test",
    )
    try:
        for _ in range(_STEPS):
            ecm = simulation.step(lambda _ecm: None)
        return bool(simulation.proxies["self_test", ProxyKind.PLAIN].read(ecm)[2] < 0.0)
    finally:
        simulation.close()


_EXPECTED = "the physics engine dartsim in a world of the twin's own, or "


def check_robots(world: World, where: str) -> None:
    """Check that bases are fixed and joints follow, for all engines but dartsim in this process.

    bullet-featherstone blocks wheels that turn in opposite directions, lets a led base sink, and has motors with
    constant limits. The abilities of a running Gazebo depend on its models.

    Args:
        world: world with the robots.
        where: the physics engine, or the running Gazebo, for errors.

    Raises:
        BadInput: if a base is not fixed, or a joint does not follow.
    """
    for robot in (body for body in world.bodies if body.robot):
        if robot.base is not Base.FIXED:
            raise BadInput(
                f"the base of {robot.name} does not move in {where}",
                where="robot.base",
                found=robot.base.value,
                expected=f"{_EXPECTED}base: fixed",
            )
        if loose := _joints_without_follow(robot):
            raise BadInput(
                f"joints of {robot.name} only follow in {where}",
                where="robot.drives",
                found=", ".join(loose),
                expected=f"{_EXPECTED}mode: follow",
            )


def _joints_without_follow(robot: Body) -> list[str]:
    driven = robot.driven_joints
    return [joint.name for joint in driven if joint.drive.mode is not DriveMode.FOLLOW]


_SERVER_CLASSES = ("gz::sim", "ignition::gazebo")
"""Plugins that the server itself reads: levels and performers."""
_MAPS = Path("/proc/self/maps")


def note_missing(world: World, notes: Notes) -> None:
    """Add a note about each plugin whose library is not loaded in this process.

    Requires a running server. Only Linux lists a process's libraries; elsewhere nothing is noted.
    """
    if not _MAPS.exists():
        return
    lines = _MAPS.read_text("utf-8", errors="replace").splitlines()
    loaded = {_stem(line.rpartition("/")[2]) for line in lines if ".so" in line}
    for place, plugin in plugins(world.all_extras()):
        if plugin.attributes.get("name") in _SERVER_CLASSES:
            continue
        file = plugin.attributes.get("filename", "")
        if _stem(file.rpartition("/")[2]) not in loaded:
            name = plugin.attributes.get("name", "")
            notes.add(
                f"{place}: plugin {name} does nothing, since Gazebo has not found its library {file}"
                " in GZ_SIM_SYSTEM_PLUGIN_PATH"
            )


def _stem(file: str) -> str:
    """Return a library's name without prefix, versions and extension, which differ between releases."""
    name = re.sub(r"\.so[.\d]*$|\.dylib$|\.dll$", "", file.removeprefix("lib"))
    return re.sub(r"^(ignition-gazebo|gz-sim)\d*-", "gz-sim-", name)
