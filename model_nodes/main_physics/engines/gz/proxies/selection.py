"""Which of its twins stands for each object, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.proxies.collision_masks import Form


class Roles:
    """What is asked of the objects, and the form that follows from it.

    Attributes:
        off: objects that touch nothing.
        levels: fidelity that is asked for.
        frozen: object of less than high fidelity -> (13,) pose and twist that it goes on with.
        loaded: the twins that Gazebo has.
        active: the form of each object in Gazebo; None if it is not there.
    """

    def __init__(self, objects: Iterable[str]) -> None:
        self.off: set[str] = set()
        self.levels: dict[str, Fidelity] = {}
        self.frozen: dict[str, Floats] = {}
        self.active: dict[str, Form | None] = dict.fromkeys(objects, Form.PLAIN)
        self.loaded = {(name, Form.PLAIN) for name in self.active}

    def level(self, name: str) -> Fidelity:
        """The fidelity that is asked for."""
        return self.levels.get(name, Fidelity.HIGH)

    def choose(
        self, led: Collection[str], passing: Collection[str], carried: Collection[str]
    ) -> tuple[list[str], bool]:
        """Find the form of every object.

        Args:
            led: objects that move as other models say.
            passing: objects that pass through robots.
            carried: objects that are parts of others.

        Returns:
            the objects whose form changes, and whether Gazebo lacks one of the forms.
        """
        wanted = {
            name: None if name in carried else self._form(name, led, passing)
            for name in self.active
        }
        missing = {(n, f) for n, f in wanted.items() if f is not None} - self.loaded
        # What is led will be handed back, and may pass through a robot then.
        self.loaded |= missing | {(n, Form.PASSING) for n, f in missing if f is Form.LED}
        swapped = [name for name, form in wanted.items() if form is not self.active[name]]
        self.active = wanted
        return swapped, bool(missing)

    def _form(self, name: str, led: Collection[str], passing: Collection[str]) -> Form | None:
        off = name in self.off
        if name in led or name in self.frozen:
            through = off or (name in self.frozen and self.level(name) is Fidelity.LOW)
            return None if through else Form.LED
        if off:
            return Form.GHOST
        return Form.PASSING if name in passing else Form.PLAIN

    def keep_from(self, before: Roles) -> None:
        """Take over what was asked of the objects that are still there."""
        self.off = before.off & set(self.active)
        self.levels = {n: level for n, level in before.levels.items() if n in self.active}
        self.frozen = {n: pose for n, pose in before.frozen.items() if n in self.active}

    def save(self) -> object:
        """What `restore` needs."""
        return frozenset(self.off), dict(self.levels), dict(self.frozen)

    def restore(self, state: object) -> None:
        """Go back to what `save` gave; the forms follow with the next `choose`."""
        assert isinstance(state, tuple)
        off, levels, frozen = state
        self.off, self.levels, self.frozen = set(off), dict(levels), dict(frozen)
