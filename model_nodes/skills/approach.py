"""The skill `approach`: the first stage of a grasp, the open hand beside the object (Jiang et al., section IV.B)."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.events import Json
from hetwin_core.kinematics.trajectories.in_turn import in_turn
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.skills.arguments import entity_of, hand_of, number, speed_of
from model_nodes.skills.grasp import grasps
from model_nodes.skills.scene import SkillScene
from model_nodes.skills.ways import first_possible, free_way

MARGIN = 0.1
"""How far the hand stands off [m]."""


def approach(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion that opens the fingers and brings the hand to where it can go straight to the object.

    Of the poses in which the hand can grasp the object, the first is taken to which there is a way on which the robot
    touches nothing.

    Arguments: ``hand``; ``object``: an entity; ``margin``: how far the hand stands off (0.1 m); ``from``: side or top,
    else by the object's shape; ``speed``: share of the joints' largest velocities (0.5).

    Raises:
        ValueError: if an argument cannot be used, or the object does not fit into the hand.
        CannotReach: if the hand cannot come to it from any side.
    """
    hand, what = hand_of(scene, arguments), entity_of(scene, arguments, "object")
    margin = number(arguments, "margin", MARGIN) or MARGIN
    speed = speed_of(arguments)
    opening = scene.to_positions(scene.fingers(hand, "open"), speed=speed)
    way = first_possible(
        f"{hand} cannot approach {what}",
        lambda one: free_way(scene, hand, one.off(margin), speed, then=one.pose, touches=[what]),
        grasps(scene, hand, what, arguments),
    )
    return in_turn([opening, *way])
