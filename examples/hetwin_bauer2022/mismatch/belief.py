"""Axes of mismatch that change the robot's beliefs about poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from transforms3d.quaternions import axangle2quat, qmult, rotate_vector

from hetwin_bauer2022.mismatch.axis import BeliefAxis
from hetwin_bauer2022.mismatch.facts import EpisodeFacts
from hetwin_suite.runs import BadInput


def believed_pose(scene: dict[str, Any], name_of_thing: str) -> list[float]:
    """Return the believed pose of an object in the world: x y z [m], qw qx qy qz.

    Raises:
        BadInput: if the scene has no pose of the object.
    """
    pose = scene.get(name_of_thing, {}).get("pose")
    if pose is None:
        expected = f'"{name_of_thing}": {{"pose": [x, y, z, qw, qx, qy, qz]}} in scene.json'
        raise BadInput(
            "the robot has no belief about the pose of this object",
            found=list(scene),
            expected=expected,
        )
    return list(pose)


def displace(
    scene: dict[str, Any],
    name_of_thing: str,
    supports: Sequence[str],
    distance: float,
    random: np.random.Generator,
) -> dict[str, Any]:
    """Return the scene with an object displaced horizontally, in a random direction.

    Args:
        scene: entity -> {`pose`: [x y z, qw qx qy qz] in the world}.
        name_of_thing: name of the object to displace.
        supports: names of objects to displace equally, if they have a believed pose.
        distance: length of the displacement [m].
        random: generator of the direction.

    Raises:
        BadInput: if the scene has no pose of the object.
    """
    direction = random.uniform(0.0, 2 * np.pi)
    step = distance * np.array([np.cos(direction), np.sin(direction)])
    changed = dict(scene)
    for name in (name_of_thing, *(other for other in supports if "pose" in scene.get(other, {}))):
        pose = believed_pose(scene, name)
        position = [float(pose[0] + step[0]), float(pose[1] + step[1]), *pose[2:]]
        changed[name] = {**scene[name], "pose": position}
    return changed


class ObjectPlace(BeliefAxis):
    """The object and its support are believed at displaced positions."""

    name = "object_place"
    unit = "m"
    levels = (0.0, 0.003, 0.006, 0.012, 0.024)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.0091)
    source = (
        "look and move of a calibrated humanoid errs by 3.9 mm on average, 9.1 mm at worst "
        "(Tenhumberg et al., 2022, arXiv:2311.08338)"
    )
    summary = "the object and its support are believed displaced by this, in a drawn direction"

    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Displace the object and its support in the believed scene."""
        random = episode.random(self.name)
        return displace(scene, episode.thing, episode.support, level, random)


class SocketPlace(BeliefAxis):
    """The socket is believed at a displaced position, in addition to the recorded error of the belief."""

    name = "socket_place"
    unit = "m"
    levels = (0.0, 0.002, 0.005, 0.01, 0.02)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.0091)
    source = (
        "look and move of a calibrated humanoid errs by 3.9 mm on average, 9.1 mm at worst "
        "(Tenhumberg et al., 2022, arXiv:2311.08338)"
    )
    summary = "the believed position of the socket is displaced by this, in a drawn direction"
    grasps = ("insertion",)

    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Displace the socket in the believed scene."""
        return displace(scene, episode.target, (), level, episode.random(self.name))


class ObjectTilt(BeliefAxis):
    """The object is believed tilted about the centre of the part that the fingers hold."""

    name = "object_tilt"
    unit = "rad"
    levels = (0.0, 0.05, 0.1, 0.2, 0.4)
    lowest, highest = 0.0, np.pi
    source = "no measured figure was found"
    summary = "the object in the hand is believed tilted by this angle, about a drawn axis"
    grasps = ("insertion",)

    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Tilt the object about a horizontal axis through the centre of the part that the fingers hold."""
        direction = episode.random(self.name).uniform(0.0, 2 * np.pi)
        rotation = axangle2quat([np.cos(direction), np.sin(direction), 0.0], level)
        pose = np.array(believed_pose(scene, episode.thing), np.float64)
        offset = rotate_vector(np.array(episode.held_at), pose[3:])
        position = pose[:3] + offset - rotate_vector(offset, rotation)
        tilted = np.concatenate([position, qmult(rotation, pose[3:])])
        return {**scene, episode.thing: {**scene[episode.thing], "pose": tilted.tolist()}}
