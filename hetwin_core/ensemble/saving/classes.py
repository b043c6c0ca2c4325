"""Instances of the classes that a saved state may name, made and read without running their code."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType, MemberDescriptorType
from typing import Any
from weakref import WeakKeyDictionary

from hetwin_core.ensemble.saving.plain import Unsaveable

OWN_PACKAGES = ("hetwin_core", "model_nodes", "hetwin_suite")
_SLOTS: WeakKeyDictionary[type[Any], Mapping[str, MemberDescriptorType]] = WeakKeyDictionary()


def find(name: str, packages: Collection[str]) -> type[Any]:
    """Return the loaded class of this name.

    Args:
        name: see `plain.class_name`.
        packages: top-level packages that it may belong to, beside hetwin's.

    Raises:
        Unsaveable: if there is none, it belongs to another package, or it has a destructor.
    """
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    if module.partition(".")[0] not in {*OWN_PACKAGES, *packages}:
        found = None
    for part in path.split("."):
        found = vars(found).get(part) if isinstance(found, type) or _is_module(found) else None
    if not isinstance(found, type) or hasattr(found, "__del__"):
        raise Unsaveable(f"a saved state names the class {name}, which may not be made from one")
    return found


def _is_module(found: object) -> bool:
    return isinstance(found, type(sys))


def slots_of(cls: type[Any]) -> Mapping[str, MemberDescriptorType]:
    """Return the slots of a class and its bases, by name; they are looked up once."""
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


def reached(root: object) -> Iterator[object]:
    """Yield an object and all that hangs on it, each once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
        else:
            waiting += (value for _, value in attributes_of(one))


def set_attributes(instance: object, values: dict[str, Any]) -> None:
    """Give an instance exactly these attributes, without running any code of its class.

    Raises:
        Unsaveable: if its class has no place for one of them.
    """
    slots = slots_of(type(instance))
    own = getattr(instance, "__dict__", None)
    for name in slots.keys() - values.keys():
        if hasattr(instance, name):
            slots[name].__delete__(instance)
    for name, value in values.items():
        if name in slots:
            slots[name].__set__(instance, value)
        elif own is None:
            raise Unsaveable(f"{type(instance).__qualname__} has no attribute {name!r}")
    if own is not None:
        own.clear()
        own.update({n: v for n, v in values.items() if n not in slots})


def is_value(instance: object) -> bool:
    """Whether an instance is a frozen dataclass, which is never changed but replaced."""
    cls: Any = type(instance)
    return is_dataclass(instance) and bool(cls.__dataclass_params__.frozen) and bool(fields(cls))
