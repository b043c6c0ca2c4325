"""Selects the proxy that represents each object, by Gazebo's bitmasks of what collides with what.

Two geometries of different models collide if their masks share a bit. Only free objects collide with anything: a body
with prescribed motion cannot give way, and a recording that penetrates a table by some millimetres must not jam. Links
of robots that give way collide as free objects do, but not with kinematic ones, which they may hold.

An object whose collisions have to change is swapped for a proxy: there is one model per `ProxyKind`, of which one
is in the scene and the others are parked far away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from hetwin_suite.engine import Body, CopiedPart, frame_name, gives_way, yielding_links
from hetwin_suite.model import POSE, Fidelity, Floats

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
        body: body of the world.
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


_PROXIES_FOR = {
    POSE.name: (ProxyKind.KINEMATIC, ProxyKind.PASSING),
    "collision": (ProxyKind.GHOST,),
}
"""Attribute that another model takes -> the proxies that it may need."""


class ProxySelection(CopiedPart):
    """The requested state of the objects, and the kind of proxy that follows from it.

    Attributes:
        off: objects without collisions.
        levels: requested fidelity of each object.
        frozen: object of less than high fidelity -> (13,) pose and twist with which it will continue.
        loaded: the proxies that Gazebo has loaded.
        active: the kind of each object's active proxy; None if none is in the scene.
    """

    saved_fields = ("off", "levels", "frozen")

    def __init__(self, objects: Iterable[str]) -> None:
        self.off: set[str] = set()
        self.levels: dict[str, Fidelity] = {}
        self.frozen: dict[str, Floats] = {}
        self.active: dict[str, ProxyKind | None] = dict.fromkeys(objects, ProxyKind.PLAIN)
        self.loaded = {(name, ProxyKind.PLAIN) for name in self.active}

    def expect(self, handed_over: Iterable[tuple[str, str]]) -> None:
        """Have those proxies loaded that objects need when other models take these attributes of them."""
        for name, attribute in handed_over:
            if name in self.active:
                self.loaded |= {(name, kind) for kind in _PROXIES_FOR.get(attribute, ())}

    @property
    def swapped(self) -> set[str]:
        """The objects that have several proxies."""
        return {name for name, kind in self.loaded if kind is not ProxyKind.PLAIN}

    def level(self, name: str) -> Fidelity:
        """The requested fidelity of an object."""
        return self.levels.get(name, Fidelity.HIGH)

    def choose(
        self, kinematic: Collection[str], passing: Collection[str], carried: Collection[str]
    ) -> tuple[list[str], bool]:
        """Select the kind of proxy of every object.

        Args:
            kinematic: objects whose motion other models prescribe.
            passing: objects that currently pass through robots.
            carried: objects that are parts of others.

        Returns:
            the objects whose proxy changes, and whether Gazebo lacks one of the proxies.
        """
        wanted = {
            name: None if name in carried else self._kind(name, kinematic, passing)
            for name in self.active
        }
        missing = {(n, f) for n, f in wanted.items() if f is not None} - self.loaded
        # A kinematic object will be handed back and may have to pass through a robot then.
        self.loaded |= missing | {
            (n, ProxyKind.PASSING) for n, f in missing if f is ProxyKind.KINEMATIC
        }
        swapped = [name for name, kind in wanted.items() if kind is not self.active[name]]
        self.active = wanted
        return swapped, bool(missing)

    def _kind(
        self, name: str, kinematic: Collection[str], passing: Collection[str]
    ) -> ProxyKind | None:
        off = name in self.off
        if name in kinematic or name in self.frozen:
            through = off or (name in self.frozen and self.level(name) is Fidelity.LOW)
            return None if through else ProxyKind.KINEMATIC
        if off:
            return ProxyKind.GHOST
        return ProxyKind.PASSING if name in passing else ProxyKind.PLAIN

    def keep_from(self, before: ProxySelection) -> None:
        """Copy the requested state of the objects that still exist."""
        self.off = before.off & set(self.active)
        self.levels = {n: level for n, level in before.levels.items() if n in self.active}
        self.frozen = {n: pose for n, pose in before.frozen.items() if n in self.active}
