"""Files as strangers may have made them: whole ones in which bytes, numbers and pieces are others."""

from __future__ import annotations

import random
import re
import struct
from copy import deepcopy
from typing import Any

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NUMBERS = (
    *(b"0", b"-1", b"nan", b"inf", b"1e400", b"-1e308", b"1e-320", b"9" * 25, b"1" * 400),
    *(b"4294967296", b"-9223372036854775809", b"''", b"[]", b"null", b"0x7f", b"1:30:59"),
)
_WHOLE = (0, 1, 0xFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 2**63 - 1, 2**64 - 1, 2**40)
_PIECES = (
    *(
        b"",
        b"\x00",
        b"\xff" * 8,
        b"\n",
        b"<",
        b">",
        b'"',
        b"{",
        b"[[[[[[",
        b"&a;",
        b"*a",
        b"<<: *a",
    ),
    *(b"<include/>", b"${1/0}", b"../../..", b"/dev/zero", b"\xed\xa0\x80", b"\xe2\x80\xae"),
)


def mutated(content: bytes, seed: int, most: int = 6) -> bytes:
    """Change some places of a file.

    Args:
        content: of the file.
        seed: of what is changed.
        most: number of changes.
    """
    draw, changed = random.Random(seed), bytearray(content)
    for _ in range(draw.randint(1, most)):
        _CHANGES[draw.randrange(len(_CHANGES))](changed, draw)
    return bytes(changed)


def _flip(content: bytearray, draw: random.Random) -> None:
    if content:
        content[draw.randrange(len(content))] = draw.randrange(256)


def _cut(content: bytearray, draw: random.Random) -> None:
    at = draw.randint(0, len(content))
    del content[at : at + draw.choice((1, 8, 100, len(content)))]


def _repeat(content: bytearray, draw: random.Random) -> None:
    at, size = draw.randint(0, len(content)), draw.choice((1, 8, 100, 3000))
    content[at:at] = content[at : at + size] * draw.randint(1, 5)


def _move(content: bytearray, draw: random.Random) -> None:
    at, size, to = (
        draw.randint(0, len(content)),
        draw.choice((4, 40)),
        draw.randint(0, len(content)),
    )
    content[to : to + size] = content[at : at + size]


def _number(content: bytearray, draw: random.Random) -> None:
    found = list(_NUMBER.finditer(content))
    if found:
        begin, end = draw.choice(found).span()
        content[begin:end] = draw.choice(_NUMBERS)


def _whole(content: bytearray, draw: random.Random) -> None:
    number = draw.choice(_WHOLE)
    size, code = draw.choice(((1, "<B"), (2, "<H"), (4, "<I"), (8, "<Q")))
    if len(content) > size:
        at = draw.randrange(len(content) - size)
        struct.pack_into(code, content, at, number % 2 ** (8 * size))


def _insert(content: bytearray, draw: random.Random) -> None:
    at = draw.randint(0, len(content))
    content[at:at] = draw.choice(_PIECES)


_CHANGES = (_flip, _flip, _cut, _repeat, _move, _number, _number, _whole, _whole, _insert)


_VALUES = (None, True, 0, -1, 1e308, "", "x", "../../x", [], {}, [None], [[]], {"a": None}, [{}])


def replaced(document: Any, seed: int, most: int = 3) -> Any:
    """Return a JSON document in which some values are others, of any kind.

    Args:
        document: that is changed; it is JSON again.
        seed: of what is changed.
        most: number of changes.
    """
    draw = random.Random(seed)
    for _ in range(draw.randint(1, most)):
        at, depth = document, 0
        while True:
            keys = list(at if isinstance(at, dict) else range(len(at)))
            key = draw.choice(keys)
            deeper = isinstance(at[key], dict | list) and at[key]
            if not deeper or (depth and draw.random() < 0.3):
                break
            at, depth = at[key], depth + 1
        at[key] = deepcopy(draw.choice(_VALUES))
    return document
