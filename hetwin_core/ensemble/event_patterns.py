"""Patterns of events, as a scenario's ``expects`` has them: ``collision(hand, object)``, ``spilled("jug")``."""

from __future__ import annotations

import re
from typing import NamedTuple

ANY = "any"
"""Stands for any argument."""
_PATTERN = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*\Z", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:\"([^\"]+)\"|'([^']+)'|([A-Za-z_]\w*))\s*\Z")


class Wanted(NamedTuple):
    """What one argument of an event must be.

    Attributes:
        entity: name of an entity, or a pattern of names such as ``cup*``; empty if a role is wanted.
        role: `ANY`, or a variable of the task that goes on, e.g. ``hand``; empty if an entity is wanted.
    """

    entity: str = ""
    role: str = ""


class EventPattern(NamedTuple):
    """A pattern of events.

    Attributes:
        name: of the event.
        arguments: what its arguments must be, in their order; None if they may be anything.
    """

    name: str
    arguments: tuple[Wanted, ...] | None = None

    @classmethod
    def read(cls, text: str) -> EventPattern:
        """Read a pattern from a text.

        Raises:
            ValueError: if the text is none; it says what would be.
        """
        found = _PATTERN.match(text)
        if found is None:
            raise ValueError(
                "an event such as collision(hand, object): its name, and entities in quotes, variables of the task"
                " or any"
            )
        name, inside = found.groups()
        if inside is None:
            return cls(name)
        parts = inside.split(",") if inside.strip() else []
        return cls(name, tuple(_argument(part) for part in parts))


def _argument(text: str) -> Wanted:
    found = _ARGUMENT.match(text)
    if found is None:
        raise ValueError(
            f'an entity in quotes such as "cup", a variable of the task such as object, or any, not {text.strip()!r}'
        )
    double, single, role = found.groups()
    return Wanted(role=role) if role else Wanted(entity=double or single)
