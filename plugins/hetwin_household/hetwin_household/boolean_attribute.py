"""A boolean attribute of several entities, with events when it changes."""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_suite.model import AttributeSpec, Changes, Contribution, Meaning


class BooleanAttribute:
    """A boolean attribute of several entities.

    The first value of an entity raises no event.

    Args:
        name: name of the attribute.
        entities: names of the entities.
        begin_event: event when the attribute becomes true; its argument ``object`` is the entity.
        end_event: event when it becomes false.
        is_false_at_start: whether it is known to be false at the start, so that its first change is an event.
    """

    def __init__(
        self,
        name: str,
        entities: Iterable[str],
        begin_event: str,
        end_event: str,
        *,
        is_false_at_start: bool = False,
    ) -> None:
        self.spec = boolean_spec(name)
        self._events = {True: begin_event, False: end_event}
        self._holds: dict[str, bool | None] = dict.fromkeys(
            entities, False if is_false_at_start else None
        )

    def contribute(self, scene: Contribution) -> None:
        """Contribute the attribute of all entities."""
        for name in self._holds:
            scene.set(name, self.spec, 0.0)

    def holds(self, entity: str) -> bool:
        """Whether the attribute of an entity is true."""
        return self._holds[entity] is True

    def write(self, entity: str, *, holds: bool, changes: Changes, **arguments: str) -> None:
        """Write the value of an entity, and the event if it has changed.

        Args:
            entity: name of the entity.
            holds: the new value.
            changes: changes of the step.
            arguments: further arguments of the event.
        """
        previous, self._holds[entity] = self._holds[entity], holds
        changes.set(entity, self.spec, float(holds))
        if previous is not None and previous != holds:
            changes.event(self._events[holds], object=entity, **arguments)


def boolean_spec(name: str) -> AttributeSpec:
    """Return the specification of a boolean attribute."""
    return AttributeSpec(name, 1, "", Meaning.TRUTH)
