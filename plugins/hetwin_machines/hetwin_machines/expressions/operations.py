"""What the signs of expressions mean; kept in the written code, so that it needs the standard library alone.

Truths are no numbers. Whole numbers stay whole, with 64 bits, and are divided toward zero; one that is mixed with a
real number becomes real.
"""

from __future__ import annotations

from collections.abc import Callable

Value = bool | int | float
Number = int | float

LIMIT = 2**63


class Failed(Exception):
    """An expression has no value."""


def number(value: Value) -> Number:
    """Return a number.

    Raises:
        Failed: if it is a truth.
    """
    if value is True or value is False:
        raise Failed(f"{str(value).lower()} is no number")
    return value


def truth(value: Value) -> bool:
    """Return a truth.

    Raises:
        Failed: if it is a number.
    """
    if value is True or value is False:
        return value
    raise Failed(f"{value} is neither true nor false")


def whole(value: Number) -> Number:
    """Return what was computed.

    Raises:
        Failed: if a whole number does not fit into 64 bits, or a real one is too large to have a value.
    """
    if isinstance(value, float):
        if value - value == 0:
            return value
        raise Failed("a real number grows too large")
    if -LIMIT <= value < LIMIT:
        return value
    raise Failed(f"{value} does not fit into 64 bits")


def plus(a: Value, b: Value) -> Number:
    """Return a + b."""
    return whole(number(a) + number(b))


def minus(a: Value, b: Value) -> Number:
    """Return a - b."""
    return whole(number(a) - number(b))


def times(a: Value, b: Value) -> Number:
    """Return a * b."""
    return whole(number(a) * number(b))


def negative(a: Value) -> Number:
    """Return -a."""
    return whole(-number(a))


def over(a: Value, b: Value) -> Number:
    """Return a / b, of whole numbers the quotient toward zero.

    Raises:
        Failed: if b is zero.
    """
    a, b = number(a), number(b)
    if b == 0:
        raise Failed("a division by zero")
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return whole(quotient if (a < 0) == (b < 0) else -quotient)
    return whole(a / b)


def rest(a: Value, b: Value) -> int:
    """Return a % b of whole numbers, with the sign of a.

    Raises:
        Failed: if b is zero, or one is a real number.
    """
    a, b = number(a), number(b)
    if not isinstance(a, int) or not isinstance(b, int):
        raise Failed("the rest of a division is of whole numbers alone")
    if b == 0:
        raise Failed("a division by zero")
    found = abs(a) % abs(b)
    return int(found if a >= 0 else -found)


def same(a: Value, b: Value) -> bool:
    """Return whether a == b; a truth equals no number."""
    return (a.__class__ is bool) is (b.__class__ is bool) and a == b


def ordered(a: Value, b: Value) -> int:
    """Return -1, 0 or 1 as a is less than b, equal or greater: two numbers, or two truths, of which false is the less.

    Raises:
        Failed: if one is a number and the other a truth.
    """
    if (a.__class__ is bool) is not (b.__class__ is bool):
        raise Failed("a truth cannot be compared with a number")
    return (a > b) - (a < b)


def both(one: Callable[[], bool], two: Callable[[], bool]) -> bool:
    """Return whether both hold; if the one has no value and the other is false, they do not."""
    try:
        return one() and two()
    except Failed:
        if not two():
            return False
        raise


def one_of(one: Callable[[], bool], two: Callable[[], bool]) -> bool:
    """Return whether one holds; if the one has no value and the other is true, it does."""
    try:
        return one() or two()
    except Failed:
        if two():
            return True
        raise


def least(*values: Value) -> Number:
    """Return the least of some numbers."""
    found = min(number(v) for v in values)
    return float(found) if any(isinstance(v, float) for v in values) else found


def greatest(*values: Value) -> Number:
    """Return the greatest of some numbers."""
    found = max(number(v) for v in values)
    return float(found) if any(isinstance(v, float) for v in values) else found


def size(a: Value) -> Number:
    """Return the number without its sign."""
    return whole(abs(number(a)))
