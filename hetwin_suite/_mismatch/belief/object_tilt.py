"""An object that lies in the hand otherwise than the robot believes."""

from __future__ import annotations

from typing import Any

import numpy as np
from transforms3d.quaternions import axangle2quat, qmult, rotate_vector

from hetwin_suite._mismatch.axis import BeliefAxis
from hetwin_suite._mismatch.belief.moved import believed_pose
from hetwin_suite._mismatch.facts import EpisodeFacts


class ObjectTilt(BeliefAxis):
    """The object is believed tilted about the middle of what the fingers hold."""

    name = "object_tilt"
    unit = "rad"
    levels = (0.0, 0.05, 0.1, 0.2, 0.4)
    lowest, highest = 0.0, np.pi
    source = "no measured figure was found"
    summary = "the object in the hand is believed tilted by this angle, about a drawn axis"
    grasps = ("insertion",)

    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Tilt the object about a horizontal axis through the middle of what the fingers hold."""
        direction = episode.random(self.name).uniform(0.0, 2 * np.pi)
        turn = axangle2quat([np.cos(direction), np.sin(direction), 0.0], level)
        pose = np.array(believed_pose(scene, episode.thing), np.float64)
        held = rotate_vector(np.array(episode.held_at), pose[3:])
        place = pose[:3] + held - rotate_vector(held, turn)
        tilted = np.concatenate([place, qmult(turn, pose[3:])])
        return {**scene, episode.thing: {**scene[episode.thing], "pose": tilted.tolist()}}
