"""What a program makes of the pictures of a camera: percepts in the world, as far as the robot knows where it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from model_nodes.robot_program.messages import Picture, Pose
from model_nodes.robot_program.motions import Motions
from model_nodes.robot_program.placing import within


class Percept(NamedTuple):
    """What the robot perceived.

    Attributes:
        object: name of the object that it takes it for.
        pose: x y z [m], qw qx qy qz in the world, as far as the robot knows where it is.
        confidence: 0 to 1, of the picture in which it was highest.
        pictures: in how many of the pictures it was found.
        of: number of pictures.
    """

    object: str
    pose: Pose
    confidence: float
    pictures: int
    of: int


def in_world(picture: Picture, motions: Motions, pose: Sequence[float]) -> Pose:
    """Return a pose in a picture's frame in the world."""
    if not picture.frame:
        return tuple(pose)
    frame = motions.pose_of(picture.frame, picture.sensed.joints)
    return within(picture.sensed.root, within(frame, pose))


def percepts(pictures: Sequence[Picture], motions: Motions) -> list[Percept]:
    """Return what was perceived in some pictures, in the order of first sight; poses are those of the last picture."""
    found: dict[str, Percept] = {}
    for picture in pictures:
        for seen in picture.found:
            before = found.get(seen.object)
            confidence = (
                seen.confidence if before is None else max(seen.confidence, before.confidence)
            )
            count = 1 if before is None else before.pictures + 1
            pose = in_world(picture, motions, seen.pose)
            found[seen.object] = Percept(seen.object, pose, confidence, count, len(pictures))
    return list(found.values())
