"""Types of Python and numpy whose instances are taken apart and made again, beside lists, dictionaries and arrays."""

from __future__ import annotations

import random
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np


class Kind(NamedTuple):
    """How instances of a type are taken apart and made again.

    Attributes:
        type: which has no subclasses here.
        parts: returns what an instance consists of; raises KeyError if that cannot be saved.
        made: makes an instance of such parts; raises TypeError, ValueError or KeyError if they are others.
        ordered: whether parts at the same place of two instances stand for the same.
    """

    type: type[Any]
    parts: Callable[[Any], Sequence[Any]]
    made: Callable[[list[Any]], Any]
    ordered: bool = True


def _mapping(part: Any) -> dict[Any, Any]:
    if type(part) is not dict:
        raise TypeError(f"expected a dictionary, found {type(part).__name__}")
    return part


_FACTORIES: Mapping[str, Callable[[], Any] | None] = {
    "list": list,
    "dict": dict,
    "int": int,
    "set": set,
    "float": float,
    "": None,
}
_NAMES = {factory: name for name, factory in _FACTORIES.items()}


def _numpy_generator(parts: list[Any]) -> np.random.Generator:
    state = _mapping(parts[0])
    bits = _BITS[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)


_BITS: Mapping[str, Callable[[], Any]] = {
    kind.__name__: kind
    for kind in (
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.MT19937,
        np.random.Philox,
        np.random.SFC64,
    )
}


def _random(parts: list[Any]) -> random.Random:
    made = random.Random()
    if type(parts[0]) is not tuple or parts[0][0] != made.VERSION:
        raise ValueError("this is no state of a generator")
    made.setstate(parts[0])
    return made


KINDS: Mapping[str, Kind] = {
    "$tuple": Kind(tuple, list, tuple),
    "$set": Kind(set, list, set, ordered=False),
    "$frozenset": Kind(frozenset, list, frozenset, ordered=False),
    "$deque": Kind(deque, lambda d: [d.maxlen, *d], lambda p: deque(p[1:], p[0])),
    "$ordered": Kind(OrderedDict, lambda d: [dict(d)], lambda p: OrderedDict(_mapping(p[0]))),
    "$counter": Kind(Counter, lambda d: [dict(d)], lambda p: Counter(_mapping(p[0]))),
    "$default": Kind(
        defaultdict,
        lambda d: [_NAMES[d.default_factory], dict(d)],
        lambda p: defaultdict(_FACTORIES[p[0]], _mapping(p[1])),
    ),
    "$proxy": Kind(
        MappingProxyType, lambda d: [dict(d)], lambda p: MappingProxyType(_mapping(p[0]))
    ),
    "$slice": Kind(slice, lambda s: [s.start, s.stop, s.step], lambda p: slice(*p)),
    "$bytes": Kind(bytes, lambda b: [b.hex()], lambda p: bytes.fromhex(p[0])),
    "$generator": Kind(np.random.Generator, lambda g: [g.bit_generator.state], _numpy_generator),
    "$random": Kind(random.Random, lambda g: [g.getstate()], _random),
}
"""By what stands for their instances."""
TAGS: Mapping[type[Any], str] = {kind.type: tag for tag, kind in KINDS.items()}
