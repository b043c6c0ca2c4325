"""Which bodies collide with which: Gazebo's bitmasks, which are fixed when a model is loaded.

Two geometries of different models collide if their masks share a bit. Only free objects collide with anything: a body
with prescribed motion cannot give way, and a recording that penetrates a table by some millimetres must not jam. Links
of robots that give way collide as free objects do, but not with kinematic ones, which they may hold.

An object whose collisions have to change is swapped for a proxy: there is one model per `ProxyKind`, of which one
is in the scene and the others are parked far away.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from model_nodes.main_physics.engines.mujoco.tables import gives_way, yielding_links
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.names import frame_name

_STANDS = 0x0002
_YIELDS = 0x0004
_ROBOTS = (0x0001, 0x0008, 0x0010, 0x0020)
DRIVEN = sum(_ROBOTS)
"""Of all robots."""
YIELDING = DRIVEN | _YIELDS
STATIC = _STANDS | _YIELDS
FREE = 0xFFFF
_KINEMATIC_BITS = tuple(1 << i for i in range(6, 16))


class ProxyKind(StrEnum):
    """How a proxy moves and what it collides with."""

    PLAIN = "plain"
    """Dynamic; collides with everything."""
    PASSING = "passing"
    """Dynamic; passes through robots."""
    GHOST = "ghost"
    """Dynamic; without collisions."""
    KINEMATIC = "kinematic"
    """Prescribed motion: so heavy that contacts do not disturb it; collides with free objects only."""


def masks(body: Body, number: int) -> dict[str, int]:
    """The bitmasks of the links of a body that has no proxies, by their frames: a static one, or a robot.

    Args:
        body: of the world.
        number: the robot's, so that two of them that are led do not collide.
    """
    frames = [frame_name(body, link.name) for link in body.links]
    if not body.robot:
        return dict.fromkeys(frames, STATIC)
    yielding = yielding_links(body) if gives_way(body) else ()
    own = _ROBOTS[number % len(_ROBOTS)]
    return dict.fromkeys(frames, own) | dict.fromkeys(yielding, YIELDING)


def robot_number(body: Body, bodies: Iterable[Body]) -> int:
    """The number of a robot among those of a world; 0 for what is none."""
    return [other.name for other in bodies if other.robot].index(body.name) if body.robot else 0


def mask(kind: ProxyKind, index: int) -> int:
    """The bitmask of a proxy; `index` is the object's, so that two kinematic objects do not collide."""
    match kind:
        case ProxyKind.PLAIN:
            return FREE
        case ProxyKind.PASSING:
            return FREE & ~YIELDING
        case ProxyKind.GHOST:
            return 0
        case ProxyKind.KINEMATIC:
            return _KINEMATIC_BITS[index % len(_KINEMATIC_BITS)]
