"""Selects the active proxy of each object, by Gazebo's collision bitmasks.

Two geometries of different models collide if their masks share a bit. Only free objects collide with anything: a body
with prescribed motion cannot give way, and a recording that penetrates a table by some millimetres must not jam. Links
of robots that give way collide like free objects, except with kinematic ones, which they may hold.

An object whose collisions must change is swapped for another proxy: there is one model per `ProxyKind`, of which one is
in the scene and the others are parked far away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from hetwin_suite.engine import Body, CopiedPart, frame_name, is_yielding, yielding_links
from hetwin_suite.model import POSE, Fidelity, Floats

_STATIC_BIT = 0x0002
_YIELDING_BIT = 0x0004
_ROBOT_BITS = (0x0001, 0x0008, 0x0010, 0x0020)
DRIVEN = sum(_ROBOT_BITS)
"""Bits of all robots."""
YIELDING = DRIVEN | _YIELDING_BIT
STATIC = _STATIC_BIT | _YIELDING_BIT
FREE = 0xFFFF
_KINEMATIC_BITS = tuple(1 << i for i in range(6, 16))


class ProxyKind(StrEnum):
    """Motion and collisions of a proxy."""

    PLAIN = "plain"
    """Dynamic; collides with everything."""
    PASSING = "passing"
    """Dynamic; passes through robots."""
    GHOST = "ghost"
    """Dynamic; without collisions."""
    KINEMATIC = "kinematic"
    """Prescribed motion, with a mass that contacts do not disturb; collides with free objects only."""


def masks(body: Body, number: int) -> dict[str, int]:
    """Return frame -> bitmask of a body without proxies: a static body, or a robot.

    Args:
        body: body of the world.
        number: number of the robot, so that two robots with prescribed motion do not collide.
    """
    frames = [frame_name(body, link.name) for link in body.links]
    if not body.robot:
        return dict.fromkeys(frames, STATIC)
    yielding = yielding_links(body) if is_yielding(body) else ()
    robot_bit = _ROBOT_BITS[number % len(_ROBOT_BITS)]
    return dict.fromkeys(frames, robot_bit) | dict.fromkeys(yielding, YIELDING)


def robot_number(body: Body, bodies: Iterable[Body]) -> int:
    """Return the number of a robot among the robots of a world; 0 for other bodies."""
    return [other.name for other in bodies if other.robot].index(body.name) if body.robot else 0


def mask(kind: ProxyKind, index: int) -> int:
    """Return the bitmask of a proxy; `index` is the object's, so that two kinematic objects do not collide."""
    match kind:
        case ProxyKind.PLAIN:
            return FREE
        case ProxyKind.PASSING:
            return FREE & ~YIELDING
        case ProxyKind.GHOST:
            return 0
        case ProxyKind.KINEMATIC:
            return _KINEMATIC_BITS[index % len(_KINEMATIC_BITS)]


_PROXIES_FOR = {
    POSE.name: (ProxyKind.KINEMATIC, ProxyKind.PASSING),
    "collision": (ProxyKind.GHOST,),
}
"""Attribute that another model owns -> the proxies that the object may need."""


class ProxySelection(CopiedPart):
    """The requested states of the objects, and the resulting kinds of proxies.

    Attributes:
        off: objects without collisions.
        levels: requested fidelity of each object.
        frozen: object below high fidelity -> (13,) pose and twist with which it will continue.
        loaded: proxies that Gazebo has loaded.
        active: kind of each object's active proxy; None if none is in the scene.
    """

    saved_fields = ("off", "levels", "frozen")

    def __init__(self, objects: Iterable[str]) -> None:
        self.off: set[str] = set()
        self.levels: dict[str, Fidelity] = {}
        self.frozen: dict[str, Floats] = {}
        self.active: dict[str, ProxyKind | None] = dict.fromkeys(objects, ProxyKind.PLAIN)
        self.loaded = {(name, ProxyKind.PLAIN) for name in self.active}

    def expect(self, handed_over: Iterable[tuple[str, str]]) -> None:
        """Request the proxies that objects need when other models own these attributes."""
        for name, attribute in handed_over:
            if name in self.active:
                self.loaded |= {(name, kind) for kind in _PROXIES_FOR.get(attribute, ())}

    @property
    def swapped(self) -> set[str]:
        """Return the objects with several proxies."""
        return {name for name, kind in self.loaded if kind is not ProxyKind.PLAIN}

    def level(self, name: str) -> Fidelity:
        """Return the requested fidelity of an object."""
        return self.levels.get(name, Fidelity.HIGH)

    def choose(
        self, kinematic: Collection[str], passing: Collection[str], carried: Collection[str]
    ) -> tuple[list[str], bool]:
        """Select the kind of proxy of every object.

        Args:
            kinematic: objects whose motion other models prescribe.
            passing: objects that pass through robots currently.
            carried: objects that are parts of others.

        Returns:
            the objects whose proxy changes, and whether Gazebo has not loaded one of the new proxies.
        """
        kinds = {
            name: None if name in carried else self._kind(name, kinematic, passing)
            for name in self.active
        }
        missing = {(name, kind) for name, kind in kinds.items() if kind is not None} - self.loaded
        # A kinematic object will be handed back, and may then have to pass through a robot.
        self.loaded |= missing | {
            (name, ProxyKind.PASSING) for name, kind in missing if kind is ProxyKind.KINEMATIC
        }
        swapped = [name for name, kind in kinds.items() if kind is not self.active[name]]
        self.active = kinds
        return swapped, bool(missing)

    def _kind(
        self, name: str, kinematic: Collection[str], passing: Collection[str]
    ) -> ProxyKind | None:
        no_collisions = name in self.off
        if name in kinematic or name in self.frozen:
            is_absent = no_collisions or (name in self.frozen and self.level(name) is Fidelity.LOW)
            return None if is_absent else ProxyKind.KINEMATIC
        if no_collisions:
            return ProxyKind.GHOST
        return ProxyKind.PASSING if name in passing else ProxyKind.PLAIN

    def copy_from(self, previous: ProxySelection) -> None:
        """Copy the requested state of the objects that still exist."""
        self.off = previous.off & set(self.active)
        self.levels = {n: level for n, level in previous.levels.items() if n in self.active}
        self.frozen = {n: pose for n, pose in previous.frozen.items() if n in self.active}
