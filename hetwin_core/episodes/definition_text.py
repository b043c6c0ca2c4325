"""Parses the definitions of messages that hetwin contains.

The parser of rosbags handles any definition with a grammar, which takes most of a tenth of a second for the types of
a log. hetwin's own definitions need only types, names, numeric constants and comments.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rosbags.interfaces import Nodetype

_DEFINITIONS = Path(__file__).with_name("definitions")
_NAME_PREFIX = "MSG: "
_LINE = re.compile(
    r"(?P<type>[\w/]+)(?P<many>\[(?P<size>\d*)\])?[ \t]+(?P<name>\w+)(?:[ \t]*=[ \t]*(?P<value>-?[\d.]+))?"
)
_BASE = {
    *("bool", "byte", "char", "string", "float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def types_in(collection: str) -> dict[str, Any]:
    """Return the types of a collection, as in ROS 2 since Humble or Jazzy.

    The definitions are stored here, because loading the library's whole collection takes a fifth of a second, and
    reading must not require installed packages. They have no comments, and each follows its name, as in bags.
    """
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    blocks = (block.partition("\n") for block in text.split(_NAME_PREFIX)[1:])
    return {name: type_from(text, name) for name, _, text in blocks}


def definitions_in(collection: str) -> dict[str, tuple[str, ...]]:
    """Return type -> its definitions, the most common first, of a collection in which each follows its name."""
    found: dict[str, tuple[str, ...]] = {}
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    for block in text.split("#### ")[1:]:
        name, _, definition = block.partition("\n")
        found[name] = (*found.get(name, ()), definition)
    return found


def type_from(text: str, name: str) -> tuple[list[Any], list[Any]]:
    """Return the constants and the fields of a type, in the library's form.

    Args:
        text: its definition.
        name: name of the type, e.g. ``std_msgs/msg/Header``.

    Raises:
        ValueError: if a line is not in the supported subset.
    """
    constants, fields = [], []
    for line in text.splitlines():
        content = line.partition("#")[0].strip().rstrip("=")
        if not content:
            continue
        read = _LINE.fullmatch(content)
        if read is None:
            raise ValueError(f"{name}: the definition has an unsupported line: {line}")
        kind, value = read["type"], read["value"]
        if value is None:
            fields.append((read["name"], _kind(kind, read["many"], read["size"], name)))
        else:
            number = float(value) if kind.startswith("float") else int(value)
            constants.append((read["name"], kind, number))
    return constants, fields


def _kind(kind: str, is_sequence: str | None, size: str | None, owner: str) -> tuple[Any, Any]:
    """The type of a field, in the library's form."""
    if kind in _BASE:
        element: tuple[Any, Any] = (Nodetype.BASE, (kind, 0))
    else:
        package, _, type_name = kind.rpartition("/")
        element = (Nodetype.NAME, f"{package or owner.partition('/')[0]}/msg/{type_name}")
    if not is_sequence:
        return element
    return (Nodetype.ARRAY if size else Nodetype.SEQUENCE, (element, int(size or 0)))
