"""The order of frames: moving ones first, then static ones."""

from __future__ import annotations

from model_nodes.main_physics.world.description import Body, JointKind, World
from model_nodes.main_physics.world.names import frame_name


def moving_links(body: Body) -> dict[str, bool]:
    """Return link -> whether it can move relative to the world."""
    joints = {joint.child: joint for joint in body.joints}
    moving: dict[str, bool] = {}
    for link in body.links:
        joint = joints.get(link.name)
        if joint is None:
            moving[link.name] = not body.static
        else:
            moving[link.name] = moving[joint.parent] or joint.kind is not JointKind.FIXED
    return moving


def moving_frames(world: World) -> tuple[str, ...]:
    """The names of all frames that can move: of objects, then of robots, then of hands."""
    return _frames(world, moving=True)


def resting_frames(world: World) -> tuple[str, ...]:
    """The names of all frames that never move, in the same order."""
    return _frames(world, moving=False)


def _frames(world: World, *, moving: bool) -> tuple[str, ...]:
    names: list[str] = []
    moves: dict[str, bool] = {}
    for body in sorted(world.bodies, key=lambda body: body.robot):
        for link, does in moving_links(body).items():
            name = frame_name(body, link)
            moves[name] = does
            if does is moving:
                names.append(name)
    names += [hand.name for hand in world.hands if moves[hand.frame] is moving]
    return tuple(names)
