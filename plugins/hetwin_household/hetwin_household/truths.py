"""A truth about each of several entities, as attribute and as events when it changes."""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_suite.model import AttributeSpec, Changes, Contribution, Meaning


class Truths:
    """Which of the entities it holds for.

    The first value of an entity is how things are at the start, and no event.

    Args:
        name: name of the attribute.
        entities: which.
        begins: event when it has come to hold; its argument ``object`` is the entity.
        ends: event when it has ceased to.
        known: whether it is known from the start not to hold, so that its first change is an event.
    """

    def __init__(
        self, name: str, entities: Iterable[str], begins: str, ends: str, *, known: bool = False
    ) -> None:
        self.spec = truth(name)
        self._events = {True: begins, False: ends}
        self._holds: dict[str, bool | None] = dict.fromkeys(entities, False if known else None)

    def begin(self, scene: Contribution) -> None:
        """Contribute the attribute of all entities."""
        for name in self._holds:
            scene.set(name, self.spec, 0.0)

    def holds(self, entity: str) -> bool:
        """Whether it holds."""
        return self._holds[entity] is True

    def put(self, entity: str, *, holds: bool, changes: Changes, **arguments: str) -> None:
        """Write whether it holds now, and the event if that is new.

        Args:
            entity: for which.
            holds: whether it does.
            changes: changes of the step.
            arguments: further ones of the event.
        """
        before, self._holds[entity] = self._holds[entity], holds
        changes.set(entity, self.spec, float(holds))
        if before is not None and before != holds:
            changes.event(self._events[holds], object=entity, **arguments)


def truth(name: str) -> AttributeSpec:
    """Return an attribute that is true or false."""
    return AttributeSpec(name, 1, "", Meaning.TRUTH)
