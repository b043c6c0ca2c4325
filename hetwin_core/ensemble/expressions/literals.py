"""Reads and writes the literals of expressions: numbers, texts, bytes."""

from __future__ import annotations

import json
import math
import re

from hetwin_core.ensemble.expressions.nodes import Unsigned, Value

_ESCAPE = re.compile(
    r"\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL
)
_PLAIN = dict(zip("abfnrtv\\?\"'`", "\a\b\f\n\r\t\v\\?\"'`", strict=True))
_QUOTES = ('"""', "'''", '"', "'")
SMALLEST, LARGEST, LARGEST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1


def number(text: str) -> int | float:
    """Return a number.

    Raises:
        ValueError: if it is too large; the text says for what.
    """
    if text[-1] in "uU":
        value = int(text[:-1], _base(text))
        if value > LARGEST_UNSIGNED:
            raise ValueError("a whole number without a sign must fit into 64 bits")
        return Unsigned(value)
    if "0x" not in text and any(mark in text for mark in ".eE"):
        real = float(text)
        if not math.isfinite(real):
            raise ValueError("a real number must be finite")
        return real
    value = int(text, _base(text))
    if not SMALLEST <= value <= LARGEST:
        raise ValueError("a whole number must fit into 64 bits")
    return value


def _base(text: str) -> int:
    return 16 if "0x" in text else 10


def quoted(text: str) -> str | bytes:
    """Return the text, or the bytes, that stand in quotes.

    Raises:
        ValueError: if an escape is none; the text names it.
    """
    begin = min(at for at in map(text.find, "\"'") if at >= 0)
    prefix, body = text[:begin].lower(), text[begin:]
    width = len(next(quote for quote in _QUOTES if body.startswith(quote)))
    body = body[width:-width]
    if "b" in prefix:
        return body.encode() if "r" in prefix else _bytes(body)
    return body if "r" in prefix else _ESCAPE.sub(lambda found: _character(found), body)


def _bytes(body: str) -> bytes:
    """Bytes: what is no escape is in UTF-8."""
    found, done = b"", 0
    for escape in _ESCAPE.finditer(body):
        if escape[2] or escape[3]:
            raise ValueError(f"{escape[0]} cannot stand in bytes")
        code = _character(escape).encode("latin-1")
        found += body[done : escape.start()].encode() + code
        done = escape.end()
    return found + body[done:].encode()


def _character(escape: re.Match[str]) -> str:
    two, four, eight, octal, plain = escape.groups()
    if plain is not None:
        if plain not in _PLAIN:
            raise ValueError(f"there is no escape {escape[0]}")
        return _PLAIN[plain]
    code = int(octal, 8) if octal else int(two or four or eight, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ValueError(f"{escape[0]} is no character")
    return chr(code)


def written(value: Value) -> str:
    """Return the literal of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes():
            return 'b"' + "".join(f"\\x{byte:02x}" for byte in value) + '"'
    return repr(value)
