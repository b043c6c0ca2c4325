"""The skill `hold`: all joints rest where they are."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.events import Json
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.skills.arguments import number
from model_nodes.skills.scene import SkillScene


def hold(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return a motion without any way. Argument: ``seconds`` that it lasts (1).

    Raises:
        ValueError: if that is no number above 0.
    """
    return scene.rest(number(arguments, "seconds", 1.0) or 1.0)
