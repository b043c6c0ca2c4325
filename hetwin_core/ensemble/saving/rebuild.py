"""Rebuilds objects from plain data; the inverse of `record`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from hetwin_core.ensemble.saving import plain
from hetwin_core.ensemble.saving.plain import KINDS, Kind, Plain, StateError, class_name
from hetwin_core.ensemble.saving.record import (
    attributes_of,
    find_class,
    is_immutable,
    reachable_objects,
    record,
    set_attributes,
)


def rebuild(
    saved: Plain,
    fresh: Any = None,
    packages: Collection[str] = (),
    name: str = "",
    others: Collection[object] = (),
) -> Any:
    """Return the recorded value; instances in a fresh object get their state back and keep their identity.

    No code of any class is run: instances are made without their constructors, and only of classes that are loaded.

    Args:
        saved: as `record` returned it.
        fresh: an object that is initialized like the recorded one; None: there is none.
        packages: top-level packages, in addition to hetwin's, whose classes may be instantiated.
        name: name of the value, for errors.
        others: unsaved values that are not in the fresh object.

    Raises:
        StateError: if it does not fit the fresh object, or is not a recorded state.
    """
    try:
        return _Rebuilder(packages, [fresh, *others]).rebuild_value(saved, fresh, name)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
        text = f"{type(error).__name__}: {error}"
        raise StateError(f"{name or 'this'} is not a saved state ({text})") from error


class _Rebuilder:
    def __init__(self, packages: Collection[str], roots: list[object]) -> None:
        self._packages = packages
        self._roots = roots
        self._shared: dict[int, Any] = {}
        self._used: dict[int, object] = {}

    def rebuild_value(self, node: Plain, fresh: Any, name: str, number: int | None = None) -> Any:
        """Return the value of a node; with a number it is registered before its parts are made."""
        if isinstance(node, list):
            return self._list(node, fresh, name, number)
        if isinstance(node, np.ndarray):
            return self._register(number, node.copy(order="K"))
        if not isinstance(node, dict):
            return node
        tag = next(iter(node), "")
        if not tag.startswith(plain.TAG):
            return self._dict(node, fresh, name, number)
        if tag == plain.REF:
            return self._shared[_int(node[tag])]
        if tag == plain.SHARED:
            index, inner = _items(node[tag])
            return self.rebuild_value(inner, fresh, name, _int(index))
        if tag == plain.OBJECT:
            return self._object(node, fresh, name, number)
        return self._register(number, self._rebuild_tagged(tag, node[tag], fresh, name))

    def _register(self, number: int | None, value: Any) -> Any:
        if number is not None:
            self._shared[number] = value
        return value

    def _list(self, node: list[Plain], fresh: Any, name: str, number: int | None) -> list[Any]:
        if plain.SCALARS.issuperset(map(type, node)):
            copied: list[Any] = self._register(number, node.copy())
            return copied
        result: list[Any] = self._register(number, [])
        result.extend(self._parts(node, fresh, name))
        return result

    def _dict(
        self, node: dict[str, Plain], fresh: Any, name: str, number: int | None
    ) -> dict[str, Any]:
        result: dict[str, Any] = self._register(number, {})
        fresh_items = fresh if isinstance(fresh, dict) else {}
        result.update(self._values(node, fresh_items, name))
        return result

    def _values(
        self, node: dict[str, Plain], fresh_items: Mapping[str, Any], name: str
    ) -> dict[str, Any]:
        return {
            key: item
            if type(item) in plain.SCALARS
            else self.rebuild_value(item, fresh_items.get(key), f"{name}.{key}")
            for key, item in node.items()
        }

    def _object(self, node: dict[str, Plain], fresh: Any, name: str, number: int | None) -> Any:
        kind, attributes = str(node[plain.OBJECT]), node["of"]
        assert isinstance(attributes, dict)
        instance = fresh
        if class_name(type(fresh)) != kind or is_immutable(fresh) or id(fresh) in self._used:
            cls = find_class(kind, self._packages)
            instance = object.__new__(cls)
        self._used[id(instance)] = self._register(number, instance)
        is_same = type(fresh) is type(instance)
        fresh_items = dict(attributes_of(fresh)) if is_same else {}
        set_attributes(instance, self._values(attributes, fresh_items, name))
        return instance

    def _rebuild_tagged(self, tag: str, content: Plain, fresh: Any, name: str) -> Any:
        if tag == plain.KEPT:
            return self._unsaved(str(content), fresh, name)
        if tag == plain.SCALAR and isinstance(content, np.ndarray):
            return content[()]
        if tag in KINDS:
            return self._rebuild_kind(KINDS[tag], _items(content), fresh, name)
        if tag not in _METHODS:
            raise StateError(f"{name}: a saved state has no {tag}")
        return _METHODS[tag](self, _items(content), fresh, name)

    def _parts(self, items: Sequence[Plain], fresh: Any, name: str) -> list[Any]:
        return [
            item
            if type(item) in plain.SCALARS
            else self.rebuild_value(item, _item(fresh, i), f"{name}[{i}]")
            for i, item in enumerate(items)
        ]

    def _rebuild_kind(self, kind: Kind, items: Sequence[Plain], fresh: Any, name: str) -> Any:
        is_same = kind.ordered and type(fresh) is kind.type
        return kind.restore(self._parts(items, kind.parts(fresh) if is_same else None, name))

    def _enum(self, content: Sequence[Plain], fresh: Any, name: str) -> Any:
        kind, member = content
        cls = find_class(str(kind), self._packages)
        if not issubclass(cls, Enum):
            raise StateError(f"{name}: {kind} is not an enumeration")
        return cls.__members__[str(member)]

    def _unsaved(self, kind: str, fresh: Any, name: str) -> Any:
        """An unsaved value of the fresh object: at the same position, or the only one of this class."""
        if class_name(type(fresh)) == kind:
            return fresh
        others = [
            candidate
            for candidate in reachable_objects(self._roots)
            if class_name(type(candidate)) == kind
        ]
        if len(others) == 1:
            return others[0]
        found = "nothing" if fresh is None else type(fresh).__name__
        raise StateError(f"{name} was a {kind}, which is not saved; found {found}")

    def _named(self, content: Sequence[Plain], fresh: Any, name: str) -> Any:
        kind, items = str(content[0]), _items(content[1])
        cls = find_class(kind, self._packages)
        if not issubclass(cls, tuple) or len(getattr(cls, "_fields", ())) != len(items):
            raise StateError(f"{name}: {kind} does not have {len(items)} fields")
        return tuple.__new__(cls, self._parts(items, fresh if type(fresh) is cls else None, name))

    def _pairs(self, pairs: Sequence[Plain], fresh: Any, name: str) -> Any:
        result: dict[Any, Any] = {}
        fresh_items = fresh if isinstance(fresh, dict) else {}
        for pair in pairs:
            first, second = _items(pair)
            key = self.rebuild_value(first, None, name)
            result[key] = self.rebuild_value(second, fresh_items.get(key), f"{name}[{key!r}]")
        return result

    def _view(self, content: Sequence[Plain], fresh: Any, name: str) -> Any:
        memory, begin, shape, strides = content
        flat = self.rebuild_value(memory, None, name)
        if not isinstance(flat, np.ndarray) or flat.ndim != 1:
            raise StateError(f"{name}: this is not an array")
        sizes, jumps = [_int(n) for n in _items(shape)], [_int(n) for n in _items(strides)]
        return np.ndarray(sizes, flat.dtype, flat.data, _int(begin), jumps)


_METHODS: Mapping[str, Callable[[_Rebuilder, Sequence[Plain], Any, str], Any]] = {
    plain.ENUM: _Rebuilder._enum,
    plain.NAMED: _Rebuilder._named,
    plain.VIEW: _Rebuilder._view,
    plain.DICT: _Rebuilder._pairs,
}


def _item(fresh: Any, index: int) -> Any:
    if isinstance(fresh, (list, tuple)) and index < len(fresh):
        return fresh[index]
    return None


def _items(node: Plain) -> list[Plain]:
    if not isinstance(node, list):
        raise StateError(f"expected a list, found {type(node).__name__}")
    return node


def _int(node: Plain) -> int:
    if not isinstance(node, int):
        raise StateError(f"expected a whole number, found {type(node).__name__}")
    return node


class Restorable:
    """Base class of objects with a state that can be saved and restored.

    Attributes:
        saved_fields: names of the attributes that change during a run.
    """

    saved_fields: ClassVar[tuple[str, ...]]

    def save(self) -> dict[str, Plain]:
        """Return the state as plain data.

        Raises:
            StateError: if something in it cannot be recorded.
        """
        name = type(self).__name__
        saved = record({field: getattr(self, field) for field in self.saved_fields}, name=name)
        assert isinstance(saved, dict)
        return saved

    def restore(self, saved: Plain) -> None:
        """Restore a saved state.

        Raises:
            StateError: if it is not the state of such an object.
        """
        name = type(self).__name__
        fields = rebuild(saved, {f: getattr(self, f) for f in self.saved_fields}, name=name)
        if not isinstance(fields, dict) or set(fields) != set(self.saved_fields):
            raise StateError(f"this is not the state of {name}")
        for field, value in fields.items():
            setattr(self, field, value)
