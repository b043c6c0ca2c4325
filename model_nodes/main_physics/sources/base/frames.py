"""Which frame of a robot a message is about, and where that frame lies in its root link."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import IDENTITY, Body, JointKind, Pose
from model_nodes.main_physics.world.transforms import compose


def frame_in_root(robot: Body, frame: str, place: str) -> Pose:
    """Return the pose of a frame in the robot's root link; an empty one is the root link.

    Args:
        robot: its links may have a prefix in the messages.
        frame: as the messages call it.
        place: where it was found, for errors.

    Raises:
        BadInput: if no link is called so, or it moves against the root link.
    """
    if not frame:
        return IDENTITY
    link = _link(robot, frame.lstrip("/"))
    root = robot.links[0].name
    if link is None:
        raise BadInput(
            f"the robot has no link {frame}, whose motion {place} describes",
            where="robot.base.odometry",
            found=frame,
            expected=f"{root} (the root link of {robot.name}), or a link that is fixed to it",
        )
    poses = {one.name: one.pose for one in robot.links}
    above = {joint.child: joint for joint in robot.joints}
    pose = IDENTITY
    while link != root:
        joint = above[link]
        if joint.kind is not JointKind.FIXED:
            raise BadInput(
                f"{place} describes the motion of {frame}, which joint {joint.name} moves against the root link",
                where="robot.base.odometry",
                found=frame,
                expected=f"{root} (the root link of {robot.name}), or a link that is fixed to it",
            )
        pose, link = compose(poses[link], pose), joint.parent
    return pose


def _link(robot: Body, frame: str) -> str | None:
    """Return the link that a frame belongs to: of its name, or of its name behind a prefix."""
    names = [link.name for link in robot.links]
    if frame in names:
        return frame
    behind = [name for name in names if frame.endswith(("/" + name, "_" + name))]
    return max(behind, key=len, default=None)
