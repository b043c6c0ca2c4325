"""Hands, as a scenario describes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HandDescription:
    """A hand: a grasp frame on a link, and the joints and links of its fingers.

    Attributes:
        name: name of the hand and of its grasp frame (an entity of kind ``hand``).
        robot: name of the robot.
        link: link that the grasp frame is fixed to.
        offset: pose of the grasp frame in that link, x y z, qw qx qy qz.
        joints: finger joints.
        finger_links: links that the finger joints move, directly or through fixed joints.
        closed: finger joint positions when closed on nothing, same order as joints.
        opened: finger joint positions when fully open.
    """

    name: str
    robot: str
    link: str
    offset: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    joints: tuple[str, ...] = ()
    finger_links: tuple[str, ...] = ()
    closed: tuple[float, ...] = ()
    opened: tuple[float, ...] = ()
