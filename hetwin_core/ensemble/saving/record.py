"""Records the state of objects as plain data, and finds the classes that a saved state names."""

from __future__ import annotations

import array
import mmap
import re
import struct
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from pathlib import PurePath
from types import MappingProxyType, MemberDescriptorType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hetwin_core.ensemble.saving import plain
from hetwin_core.ensemble.saving.plain import KINDS, TAGS, Plain, StateError, class_name

OWN_PACKAGES = ("hetwin_core", "model_nodes", "hetwin_suite")
_SLOTS: WeakKeyDictionary[type[Any], Mapping[str, MemberDescriptorType]] = WeakKeyDictionary()


def find_class(name: str, packages: Collection[str]) -> type[Any]:
    """Return the loaded class of this name.

    Args:
        name: see `plain.class_name`.
        packages: top-level packages that it may belong to, in addition to hetwin's.

    Raises:
        StateError: if there is none, it belongs to another package, or it has a destructor.
    """
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    if module.partition(".")[0] not in {*OWN_PACKAGES, *packages}:
        found = None
    for part in path.split("."):
        found = vars(found).get(part) if isinstance(found, type) or _is_module(found) else None
    if not isinstance(found, type) or hasattr(found, "__del__"):
        raise StateError(f"a saved state names the class {name}, which cannot be restored")
    return found


def _is_module(found: object) -> bool:
    return isinstance(found, type(sys))


def slots_of(cls: type[Any]) -> Mapping[str, MemberDescriptorType]:
    """Return the slots of a class and its bases, by name; the result is cached."""
    if cls not in _SLOTS:
        found: dict[str, MemberDescriptorType] = {}
        for base in reversed(cls.__mro__):
            found |= {n: v for n, v in vars(base).items() if isinstance(v, MemberDescriptorType)}
        _SLOTS[cls] = MappingProxyType(found)
    return _SLOTS[cls]


def attributes_of(instance: object) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an instance with their values, those in slots first."""
    for name, slot in slots_of(type(instance)).items():
        try:
            yield name, slot.__get__(instance)
        except AttributeError:
            continue  # it has no value yet
    yield from vars(instance).items() if hasattr(instance, "__dict__") else ()


def reachable_objects(root: object) -> Iterator[object]:
    """Yield an object and all objects that it references, each once."""
    seen: set[int] = set()
    pending = [root]
    while pending:
        value = pending.pop()
        if id(value) in seen or isinstance(value, type):
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
        else:
            pending += (attribute for _, attribute in attributes_of(value))


def set_attributes(instance: object, values: dict[str, Any]) -> None:
    """Give an instance exactly these attributes, without running any code of its class.

    Raises:
        StateError: if its class has no attribute of such a name.
    """
    slots = slots_of(type(instance))
    attribute_dict = getattr(instance, "__dict__", None)
    for name in slots.keys() - values.keys():
        if hasattr(instance, name):
            slots[name].__delete__(instance)
    for name, value in values.items():
        if name in slots:
            slots[name].__set__(instance, value)
        elif attribute_dict is None:
            raise StateError(f"{type(instance).__qualname__} has no attribute {name!r}")
    if attribute_dict is not None:
        attribute_dict.clear()
        attribute_dict.update({n: v for n, v in values.items() if n not in slots})


def is_immutable(instance: object) -> bool:
    """Whether an instance is a frozen dataclass, which is replaced instead of changed."""
    cls: Any = type(instance)
    return is_dataclass(instance) and bool(cls.__dataclass_params__.frozen) and bool(fields(cls))


_MEMORY = (bytes, bytearray, memoryview, array.array, mmap.mmap)
_CONSTANT = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.ModuleType,
    type,
    partial,
    np.ufunc,
    re.Pattern,
    PurePath,
)
"""Classes of objects that a model does not change after its initialization, so that a fresh instance has them too."""


def record(value: object, kept: Sequence[type[Any]] = (), name: str = "") -> Plain:
    """Return the state of an object and of all objects that it references.

    An object with several references is recorded once, and is one object again when restored.

    Args:
        value: the object.
        kept: classes whose instances are taken from a fresh instance, in addition to functions, classes and
            parameters.
        name: name of the value, for errors.

    Raises:
        StateError: if something in it cannot be recorded; its attribute and its type are named.
    """
    first_pass = _Recorder(kept)
    first_pass.record_value(value, name)
    return _Recorder(kept, first_pass).record_value(value, name)


class _Recorder:
    """Traverses objects once.

    Args:
        kept: see `record`.
        first_pass: an earlier traversal of the same objects, which has found the shared ones.
    """

    def __init__(self, kept: Sequence[type[Any]], first_pass: _Recorder | None = None) -> None:
        self._constant = (*_CONSTANT, *kept)
        self._converted_types = {k for k in (*_METHODS, *TAGS) if not issubclass(k, self._constant)}
        self._numbers: dict[int, int] = {}
        self._alive: list[object] = []
        self._shared: set[int] = set()
        self._arrays: dict[int, set[int]] = {}
        self._memories: dict[int, int] = {}
        self._first_pass = first_pass

    def record_value(self, value: Any, name: str) -> Plain:
        """Return a value as plain data."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value  # type: ignore[no-any-return]
        if kind in self._converted_types:
            return self._record_referenced(value, name)
        if isinstance(value, Enum):
            return {plain.ENUM: [class_name(kind), value.name]}
        if isinstance(value, self._constant) or getattr(kind, plain.UNCHANGING, False) is True:
            return {plain.KEPT: class_name(kind)}
        if isinstance(value, np.generic):
            return {plain.SCALAR: np.asarray(value)}
        if hasattr(kind, plain.SAVED_AS):
            return self.record_value(value.saved_as(), name)
        return self._record_referenced(value, name)

    def _record_referenced(self, value: Any, name: str) -> Plain:
        """Record an object that may have several references."""
        key = id(value)
        if key in self._numbers:
            self._shared.add(key)
            return {plain.REF: self._numbers[key]}
        number = self._numbers[key] = len(self._numbers)
        self._alive.append(value)
        node = self._record_contents(value, name)
        if self._first_pass is not None and key in self._first_pass._shared:
            return {plain.SHARED: [number, node]}
        return node

    def _record_contents(self, value: Any, name: str) -> Plain:
        kind = type(value)
        method = _METHODS.get(kind)
        if method is not None:
            return method(self, value, name)
        if kind in TAGS:
            return self._parts(TAGS[kind], value, name)
        if isinstance(value, tuple):
            return {plain.NAMED: [class_name(kind), self._items(value, name)]}
        return self._object(value, name)

    def _items(self, items: Iterable[Any], name: str) -> list[Plain]:
        return [self.record_value(item, f"{name}[{i}]") for i, item in enumerate(items)]

    def _parts(self, tag: str, value: Any, name: str) -> Plain:
        try:
            parts = KINDS[tag].parts(value)
        except KeyError as error:
            raise self._error(value, f"{name}, with {error}") from error
        return {tag: self._items(parts, name)}

    def _list(self, value: list[Any], name: str) -> Plain:
        if plain.SCALARS.issuperset(map(type, value)):
            return value.copy()
        return self._items(value, name)

    def _dict(self, value: dict[Any, Any], name: str) -> Plain:
        if all(type(k) is str and not k.startswith(plain.TAG) for k in value):
            return {k: self.record_value(v, f"{name}.{k}") for k, v in value.items()}
        pairs: list[Plain] = []
        for key, item in value.items():
            pairs.append(
                [self.record_value(key, name), self.record_value(item, f"{name}[{key!r}]")]
            )
        return {plain.DICT: pairs}

    def _array(self, value: np.ndarray[Any, Any], name: str) -> Plain:
        if value.dtype.hasobject:
            raise self._error(value, name)
        root = _root(value)
        memory: object = root.base
        if memory is not None and not isinstance(memory, _MEMORY):
            raise self._error(value, f"{name}, whose numbers belong to {type(memory).__name__}")
        self._arrays.setdefault(id(root), set()).add(id(value))
        self._alive.append(root)
        # A generator makes a new array at each read of its state, which the first traversal has not seen.
        if self._first_pass is None or len(self._first_pass._arrays.get(id(root), ())) <= 1:
            return value.copy(order="K")
        return self._view(value, root, name)

    def _view(self, value: Any, root: Any, name: str) -> Plain:
        """Record an array that shares its memory with others."""
        if not root.flags.forc or value.dtype != root.dtype:
            raise self._error(value, f"{name}, another view of an array")
        flat = root.ravel("K")
        number = self._memories.get(id(root))
        if number is None:
            number = self._memories[id(root)] = -1 - len(self._memories)
            memory: Plain = {plain.SHARED: [number, flat.copy(order="K")]}
        else:
            memory = {plain.REF: number}
        begin = value.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        return {plain.VIEW: [memory, begin, list(value.shape), list(value.strides)]}

    def _object(self, value: object, name: str) -> Plain:
        kind = type(value)
        if kind not in _PYTHON_CLASSES:
            _PYTHON_CLASSES[kind] = _is_python_class(kind)
        if not _PYTHON_CLASSES[kind]:
            raise self._error(value, name)
        contents = {
            key: self.record_value(item, f"{name}.{key}") for key, item in attributes_of(value)
        }
        return {plain.OBJECT: class_name(kind), "of": contents}

    def _error(self, value: object, name: str) -> StateError:
        return StateError(f"{name.lstrip('.')} ({type(value).__name__}) cannot be saved")


def _root(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    while isinstance(value.base, np.ndarray):
        value = value.base
    return value


_PYTHON_CLASSES: dict[type[Any], bool] = {}
"""Cached results of `_is_python_class`, which takes long."""


def _is_python_class(kind: type[Any]) -> bool:
    """Whether its instances have state only in attributes: they then need no memory in addition to these."""
    pointer = struct.calcsize("P")
    fields = sum(
        isinstance(v, MemberDescriptorType) for b in kind.__mro__ for v in vars(b).values()
    )
    fields += (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    return kind.__basicsize__ <= object.__basicsize__ + pointer * fields


_METHODS: dict[type[Any], Callable[[_Recorder, Any, str], Plain]] = {
    list: _Recorder._list,
    dict: _Recorder._dict,
    np.ndarray: _Recorder._array,
}
