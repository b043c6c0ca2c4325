"""Which bodies collide with which: Gazebo's bitmasks, which are fixed when a model is loaded.

Two geometries collide if their masks share a bit. Only free objects collide with anything: a body with
prescribed motion cannot give way, and a recording that penetrates a table by some millimetres must not jam. Robots
with a free base collide as free objects do, but not with kinematic ones, which they may hold.

An object whose collisions have to change is swapped for a proxy: there is one model per `ProxyKind`, of which one
is in the scene and the others are parked far away.
"""

from __future__ import annotations

from enum import StrEnum

from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.drives import Base

_STANDS = 0x0002
_ROLLS = 0x0004
DRIVEN = 0x0001
ROLLING = DRIVEN | _ROLLS
STATIC = _STANDS | _ROLLS
FREE = 0xFFFF
_KINEMATIC_BITS = tuple(1 << i for i in range(3, 16))


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


def fixed_mask(body: Body) -> int:
    """The bitmask of a body that has no proxies: a static one, or a robot."""
    if not body.robot:
        return STATIC
    return ROLLING if body.base is Base.FREE else DRIVEN


def mask(kind: ProxyKind, index: int) -> int:
    """The bitmask of a proxy; `index` is the object's, so that two kinematic objects do not collide."""
    match kind:
        case ProxyKind.PLAIN:
            return FREE
        case ProxyKind.PASSING:
            return FREE & ~ROLLING
        case ProxyKind.GHOST:
            return 0
        case ProxyKind.KINEMATIC:
            return _KINEMATIC_BITS[index % len(_KINEMATIC_BITS)]
