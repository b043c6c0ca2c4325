"""Selects the proxy that represents each object."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.values import POSE, Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.gz.proxies.collision_masks import ProxyKind

_PROXIES_FOR = {
    POSE.name: (ProxyKind.KINEMATIC, ProxyKind.PASSING),
    "collision": (ProxyKind.GHOST,),
}
"""Attribute that another model takes -> the proxies that it may need."""


class ProxySelection(Copied):
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
