"""What stands in CEL for a term or a time: a map that only its own question can resolve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from hetwin_core.projection.asking.evidence import Evidence

_HANDLE = "handle"
_ANY = "any"
_T = TypeVar("_T")


class Handles:
    """Objects of a question that CEL passes on without looking at them."""

    def __init__(self) -> None:
        self._objects: list[tuple[object, tuple[Evidence, ...]]] = []

    def put(self, thing: object, evidence: tuple[Evidence, ...] = ()) -> dict[str, Any]:
        """Return a map that stands for an object, and the rows that it was made from."""
        self._objects.append((thing, evidence))
        return {_HANDLE: len(self._objects) - 1}

    def get(self, value: object, sort: type[_T]) -> _T | None:
        """Return the object of a sort that a map stands for; None if it stands for none."""
        thing = self._entry(value)[0]
        return thing if isinstance(thing, sort) else None

    def evidence(self, value: object) -> tuple[Evidence, ...]:
        """Return the rows that an object was made from."""
        return self._entry(value)[1]

    def any_of(self, value: object) -> object:
        """Return what a map stands for, whatever it is; None for none."""
        return self._entry(value)[0]

    def last(self, sort: type[_T]) -> _T | None:
        """Return the object of a sort that was made last; None if there is none."""
        found = [thing for thing, _ in self._objects if isinstance(thing, sort)]
        return found[-1] if found else None

    def _entry(self, value: object) -> tuple[object, tuple[Evidence, ...]]:
        if isinstance(value, Mapping) and _HANDLE in value:
            return self._objects[int(value[_HANDLE])]
        return None, ()


def any_handle(name: str = "") -> dict[str, str]:
    """Return what stands for any entity, or for the same one wherever the name stands."""
    return {_ANY: name}


def any_name(value: object) -> str | None:
    """Return the name of a variable; None if a value is none."""
    if isinstance(value, Mapping) and len(value) == 1 and isinstance(value.get(_ANY), str):
        return str(value[_ANY])
    return None
