"""The skill `move_hand`: the fingers of a hand open, close, or go to a position."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.events import Json
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.skills.arguments import hand_of, number, speed_of
from model_nodes.skills.scene import SkillScene


def move_hand(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion of the fingers.

    Arguments: ``hand``; ``goal``: open, closed, or a position of all fingers [rad or m]; ``speed``: share of their
    largest velocities (0.5); ``seconds`` that it takes, if that is longer.

    Raises:
        ValueError: if an argument cannot be used.
    """
    goal = arguments.get("goal")
    if isinstance(goal, bool) or not isinstance(goal, str | int | float):
        raise ValueError(f"goal: found {goal}; expected open, closed or a position")
    positions = scene.fingers(hand_of(scene, arguments), goal)
    seconds = number(arguments, "seconds")
    return scene.to_positions(positions, speed=speed_of(arguments), seconds=seconds)
