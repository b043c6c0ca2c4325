"""A robot's beliefs about poses, and percepts from the pictures of its cameras."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hetwin_programs.program.facts import seen_from, within
from hetwin_programs.program.messages import HeldThing, Picture, Pose
from hetwin_programs.program.motions import Motions
from hetwin_programs.program.tasks import Outbox
from hetwin_suite.model import one_of

_UPRIGHT = (1.0, 0.0, 0.0, 0.0)
_ON, _HELD = "on", "held"


class Beliefs:
    """Keeps believed poses, in the world or on a link of the robot.

    Args:
        link_pose: returns the pose of a link in the world, as the robot knows it.
    """

    def __init__(self, link_pose: Callable[[str], Pose]) -> None:
        self._link_pose = link_pose
        self._poses: dict[str, Pose] = {}
        self._held: dict[str, HeldThing] = {}
        self._hands: dict[str, str] = {}

    @property
    def held(self) -> Mapping[str, HeldThing]:
        """Objects that move with a link of the robot."""
        return self._held

    def perceived(self, entity: str, pose: Pose) -> None:
        """Update the pose of a perceived object, unless the object moves with the robot."""
        if entity not in self._held:
            self._poses[entity] = pose

    def pose(self, entity: str) -> Pose | None:
        """Return the pose of an object in the world; None if it is unknown."""
        held = self._held.get(entity)
        if held is None:
            return self._poses.get(entity)
        return within(self._link_pose(held.frame), held.pose)

    def place(self, outbox: Outbox, entity: str, pose: Sequence[float], origin: str) -> None:
        """Set the believed pose of an object; three numbers are a position at which it stands upright."""
        where = tuple(map(float, pose)) if len(pose) == 7 else (*map(float, pose), *_UPRIGHT)
        self._poses[entity] = where
        outbox.believe_at(entity, where, origin=origin)

    def hold(self, outbox: Outbox, entity: str, hand: str, link: str, carried_by: str) -> None:
        """Believe that an object moves with a hand's link, because the hand holds it or it lies on a held object."""
        self._held[entity] = HeldThing(link, seen_from(self._link_pose(link), self._known(entity)))
        if carried_by:
            outbox.believe(_ON, entity, carried_by, origin="carried")
        else:
            outbox.believe(_HELD, entity, hand, origin="fingers")
            self._hands[entity] = hand

    def put_down(self, outbox: Outbox, entity: str, on: str, at: Sequence[float] | None) -> None:
        """Believe that a hand has put an object down, at its current pose or at the given one."""
        pose = self._known(entity) if at is None else at
        self._held.pop(entity, None)
        hand = self._hands.pop(entity, None)
        if hand is not None:
            outbox.believe(_HELD, entity, hand, holds=False, origin="fingers")
        self.place(outbox, entity, pose, "put_down")
        if on:
            outbox.believe(_ON, entity, on, origin="put_down")

    def _known(self, entity: str) -> Pose:
        pose = self.pose(entity)
        if pose is None:
            raise ValueError(
                f"the robot does not know where {entity} is;"
                f" expected {one_of(entity, sorted({*self._poses, *self._held}), 'look')},"
                " or believe_at before"
            )
        return pose


class Percept(NamedTuple):
    """A percept of the robot.

    Attributes:
        object: name that the detector reports.
        pose: x y z [m], qw qx qy qz in the world, according to the robot's own pose estimate.
        confidence: maximum over the pictures, 0 to 1.
        pictures: number of pictures in which it was detected.
        of: number of all pictures.
    """

    object: str
    pose: Pose
    confidence: float
    pictures: int
    of: int


def in_world(picture: Picture, motions: Motions, pose: Sequence[float]) -> Pose:
    """Transform a pose from a picture's frame to the world."""
    if not picture.frame:
        return tuple(pose)
    frame = motions.pose_of(picture.frame, picture.sensed.joints)
    return within(picture.sensed.root, within(frame, pose))


def percepts(pictures: Sequence[Picture], motions: Motions) -> list[Percept]:
    """Return the percepts in some pictures, in the order of first detection, with poses from the last picture."""
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
