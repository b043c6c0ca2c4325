"""The compression function of SHA-256 (FIPS 180-4, section 6.2.2)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import isqrt

_MASK = 0xFFFFFFFF


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _cube_root(number: int) -> int:
    """The largest whole number whose cube is at most this one."""
    low, high = 0, 1 << (number.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= number else (low, middle)
    return low


FIRST = tuple(isqrt(prime << 64) & _MASK for prime in _primes(8))
"""The state before any input: the first 32 bits of the fractional parts of the square roots of primes."""
_CONSTANTS = tuple(_cube_root(prime << 96) & _MASK for prime in _primes(64))


def compressed(words: Sequence[int], blocks: bytes) -> list[int]:
    """Return the eight words of the state after further blocks of 64 bytes each."""
    state = list(words)
    for (*block,) in struct.iter_unpack(">16I", blocks):
        state = [(a + b) & _MASK for a, b in zip(state, _rounds(state, block), strict=True)]
    return state


def _rounds(state: Sequence[int], w: list[int]) -> tuple[int, ...]:
    for i in range(16, 64):
        x, y = w[i - 15] * 0x100000001, w[i - 2] * 0x100000001  # twice over: a shift is a rotation
        near = (x >> 7) ^ (x >> 18) ^ (w[i - 15] >> 3)
        far = (y >> 17) ^ (y >> 19) ^ (w[i - 2] >> 10)
        w.append((w[i - 16] + (near & _MASK) + w[i - 7] + (far & _MASK)) & _MASK)
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(_CONSTANTS, w, strict=True):
        x, y = e * 0x100000001, a * 0x100000001
        first = h + (((x >> 6) ^ (x >> 11) ^ (x >> 25)) & _MASK) + (g ^ (e & (f ^ g)))
        first += constant + word
        second = (((y >> 2) ^ (y >> 13) ^ (y >> 22)) & _MASK) + ((a & b) ^ (c & (a ^ b)))
        h, g, f, e = g, f, e, (d + first) & _MASK
        d, c, b, a = c, b, a, (first + second) & _MASK
    return a, b, c, d, e, f, g, h
