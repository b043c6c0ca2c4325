"""Definitions of messages that hetwin brings, read from their texts.

The library reads whatever anybody has written by a grammar, which takes most of a tenth of a second for the types of a
log. Of the grammar, hetwin's own types need types, names, constants that are numbers, and comments.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rosbags.interfaces import Nodetype

_DEFINITIONS = Path(__file__).with_name("definitions")
_NAMED = "MSG: "
_LINE = re.compile(
    r"(?P<type>[\w/]+)(?P<many>\[(?P<size>\d*)\])?[ \t]+(?P<name>\w+)(?:[ \t]*=[ \t]*(?P<value>-?[\d.]+))?"
)
_BASE = {
    *("bool", "byte", "char", "string", "float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def types_in(collection: str) -> dict[str, Any]:
    """Return the types of a collection, as ROS 2 has them from Humble or Jazzy on.

    The definitions are here since a library's whole collection of them takes a fifth of a second to load, and packages
    need not be installed to be read. They have no comments, and each stands after its name, as bags carry them.
    """
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    blocks = (block.partition("\n") for block in text.split(_NAMED)[1:])
    return {name: type_from(text, name) for name, _, text in blocks}


def definitions_in(collection: str) -> dict[str, tuple[str, ...]]:
    """Return type -> its definitions, the usual one first, of a collection in which each stands below its name."""
    found: dict[str, tuple[str, ...]] = {}
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    for block in text.split("#### ")[1:]:
        name, _, definition = block.partition("\n")
        found[name] = (*found.get(name, ()), definition)
    return found


def type_from(text: str, name: str) -> tuple[list[Any], list[Any]]:
    """Return the constants and the fields of a type, as the library has them.

    Args:
        text: its definition.
        name: of the type, e.g. ``std_msgs/msg/Header``.

    Raises:
        ValueError: if a line is none of those that hetwin brings.
    """
    constants, fields = [], []
    for line in text.splitlines():
        said = line.partition("#")[0].strip().rstrip("=")
        if not said:
            continue
        read = _LINE.fullmatch(said)
        if read is None:
            raise ValueError(f"{name}: this is no line of a definition that hetwin brings: {line}")
        kind, value = read["type"], read["value"]
        if value is None:
            fields.append((read["name"], _kind(kind, read["many"], read["size"], name)))
        else:
            number = float(value) if kind.startswith("float") else int(value)
            constants.append((read["name"], kind, number))
    return constants, fields


def _kind(kind: str, many: str | None, size: str | None, owner: str) -> tuple[Any, Any]:
    """The type of a field, as the library has it."""
    if kind in _BASE:
        one: tuple[Any, Any] = (Nodetype.BASE, (kind, 0))
    else:
        package, _, own = kind.rpartition("/")
        one = (Nodetype.NAME, f"{package or owner.partition('/')[0]}/msg/{own}")
    if not many:
        return one
    return (Nodetype.ARRAY if size else Nodetype.SEQUENCE, (one, int(size or 0)))
