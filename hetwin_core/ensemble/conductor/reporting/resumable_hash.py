"""SHA-256 whose state can be saved between two parts of its input, which the standard library's cannot.

OpenSSL's C functions have their state in a structure that the caller owns; where its library is not found, the same
is computed here, some hundred times slower.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Iterator
from functools import cache
from typing import Any, Protocol

from hetwin_core.ensemble.conductor.reporting.sha256_rounds import FIRST, compressed
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable

BLOCK = 64
"""Bytes that are hashed at a time."""


class Hash(Protocol):
    """What a digest needs of a hash."""

    def update(self, data: Any, /) -> None:
        """Add bytes."""

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far."""

    def copy(self) -> Hash:
        """Return one that has hashed the same bytes, and goes on by itself."""


class ResumableHash:
    """SHA-256 over a stream; `save` returns where it is."""

    def __init__(self) -> None:
        self._library = _library()
        self._words = list(FIRST)
        self._length = 0
        self._tail = b""
        self._context = _Context()
        if self._library is not None:
            self._library.SHA256_Init(ctypes.byref(self._context))

    def update(self, data: Any) -> None:
        """Add bytes."""
        content = bytes(data)
        if self._library is not None:
            self._library.SHA256_Update(ctypes.byref(self._context), content, len(content))
            return
        self._length += len(content)
        content = self._tail + content
        whole = len(content) - len(content) % BLOCK
        self._words, self._tail = compressed(self._words, content[:whole]), content[whole:]

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far."""
        words, length, tail = self._state()
        padding = b"\x80" + bytes(-(length + 9) % BLOCK) + (8 * length).to_bytes(8, "big")
        return b"".join(w.to_bytes(4, "big") for w in compressed(words, tail + padding)).hex()

    def copy(self) -> ResumableHash:
        """Return one that has hashed the same bytes, and goes on by itself."""
        other = ResumableHash()
        other.restore(self.save())
        return other

    def save(self) -> dict[str, Plain]:
        """Return the eight words of the state, the number of bytes so far and those of the last, incomplete block."""
        words, length, tail = self._state()
        return {"words": [*words], "length": length, "tail": tail.hex()}

    def restore(self, saved: Plain) -> None:
        """Continue from there.

        Raises:
            Unsaveable: if it is no such state.
        """
        words, length, tail = _checked(saved)
        self._words, self._length, self._tail = words, length, tail
        context = self._context
        context.words[:] = words
        context.low, context.high = 8 * length & 0xFFFFFFFF, 8 * length >> 32
        context.count = len(tail)
        ctypes.memmove(context.data, tail, len(tail))

    def _state(self) -> tuple[list[int], int, bytes]:
        if self._library is None:
            return list(self._words), self._length, self._tail
        context = self._context
        length = (context.high << 32 | context.low) // 8
        return list(context.words), length, bytes(context.data)[: context.count]


class _Context(ctypes.Structure):
    """``SHA256_CTX`` of ``openssl/sha.h``."""

    _fields_ = (
        ("words", ctypes.c_uint32 * 8),
        ("low", ctypes.c_uint32),
        ("high", ctypes.c_uint32),
        ("data", ctypes.c_uint8 * BLOCK),
        ("count", ctypes.c_uint),
        ("size", ctypes.c_uint),
    )


def _checked(saved: Plain) -> tuple[list[int], int, bytes]:
    found = saved if isinstance(saved, dict) else {}
    words, length, text = found.get("words"), found.get("length"), found.get("tail")
    if not isinstance(words, list) or not isinstance(length, int) or not isinstance(text, str):
        raise Unsaveable("this is no state of a digest")
    numbers = [word for word in words if isinstance(word, int) and 0 <= word < 1 << 32]
    try:
        tail = bytes.fromhex(text)
    except ValueError:
        tail = bytes(BLOCK)
    if len(numbers) != len(words) or len(words) != len(FIRST) or len(tail) != length % BLOCK:
        raise Unsaveable("this is no state of a digest")
    return numbers, length, tail


@cache
def _library() -> Any:
    """OpenSSL's library if it hashes as it should; None if there is none."""
    for name in _candidates():
        try:
            library: Any = ctypes.CDLL(name)
            for function in (library.SHA256_Init, library.SHA256_Update):
                function.restype = ctypes.c_int
            library.SHA256_Init.argtypes = (ctypes.c_void_p,)
            library.SHA256_Update.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
        except (OSError, AttributeError):
            continue
        if _hashes_well(library):
            return library
    return None


def _candidates() -> Iterator[str | None]:
    try:
        import _hashlib
    except ImportError:
        pass
    else:
        yield getattr(_hashlib, "__file__", None)
    yield ctypes.util.find_library("crypto")


def _hashes_well(library: Any) -> bool:
    """Whether the structure is the one that is expected here."""
    text = bytes(range(100))
    context = _Context()
    library.SHA256_Init(ctypes.byref(context))
    library.SHA256_Update(ctypes.byref(context), text, len(text))
    first = list(context.words) == compressed(list(FIRST), text[:BLOCK])
    tail = bytes(context.data)[: context.count] == text[BLOCK:]
    return first and tail and context.low == 8 * len(text) and context.high == 0
