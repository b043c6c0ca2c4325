"""The operators of expressions; generated code contains a copy, so that it needs only the standard library.

Booleans are not numbers. Operations on integers give integers of 64 bits, with division toward zero; an integer
combined with a real number becomes real.
"""

from __future__ import annotations

from collections.abc import Callable

Value = bool | int | float
Number = int | float

LIMIT = 2**63


class Failed(Exception):
    """Raised if an expression has no value."""


def number(value: Value) -> Number:
    """Return the value if it is a number.

    Raises:
        Failed: if it is a Boolean.
    """
    if value is True or value is False:
        raise Failed(f"{str(value).lower()} is not a number")
    return value


def truth(value: Value) -> bool:
    """Return the value if it is a Boolean.

    Raises:
        Failed: if it is a number.
    """
    if value is True or value is False:
        return value
    raise Failed(f"{value} is neither true nor false")


def whole(value: Number) -> Number:
    """Return the result of a calculation if it is in range.

    Raises:
        Failed: if an integer does not fit into 64 bits, or a real number is not finite.
    """
    if isinstance(value, float):
        if value - value == 0:
            return value
        raise Failed("a real number is too large")
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
    """Return a / b, rounded toward zero if both are integers.

    Raises:
        Failed: if b is zero.
    """
    a, b = number(a), number(b)
    if b == 0:
        raise Failed("division by zero")
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return whole(quotient if (a < 0) == (b < 0) else -quotient)
    return whole(a / b)


def modulo(a: Value, b: Value) -> int:
    """Return a % b of integers, with the sign of a.

    Raises:
        Failed: if b is zero, or one of them is a real number.
    """
    a, b = number(a), number(b)
    if not isinstance(a, int) or not isinstance(b, int):
        raise Failed("% is only defined for integers")
    if b == 0:
        raise Failed("division by zero")
    found = abs(a) % abs(b)
    return int(found if a >= 0 else -found)


def same(a: Value, b: Value) -> bool:
    """Return whether a == b; a Boolean never equals a number."""
    return (a.__class__ is bool) is (b.__class__ is bool) and a == b


def ordered(a: Value, b: Value) -> int:
    """Return -1, 0 or 1 if a is less than, equal to or greater than b; false is less than true.

    Raises:
        Failed: if one is a number and the other a Boolean.
    """
    if (a.__class__ is bool) is not (b.__class__ is bool):
        raise Failed("a Boolean cannot be compared with a number")
    return (a > b) - (a < b)


def both(one: Callable[[], bool], two: Callable[[], bool]) -> bool:
    """Return whether both are true; false if the first has no value and the second is false."""
    try:
        return one() and two()
    except Failed:
        if not two():
            return False
        raise


def either(one: Callable[[], bool], two: Callable[[], bool]) -> bool:
    """Return whether at least one is true; true if the first has no value and the second is true."""
    try:
        return one() or two()
    except Failed:
        if two():
            return True
        raise


def minimum(*values: Value) -> Number:
    """Return the smallest of some numbers; it is real if one of them is."""
    found = min(number(v) for v in values)
    return float(found) if any(isinstance(v, float) for v in values) else found


def maximum(*values: Value) -> Number:
    """Return the largest of some numbers; it is real if one of them is."""
    found = max(number(v) for v in values)
    return float(found) if any(isinstance(v, float) for v in values) else found


def magnitude(a: Value) -> Number:
    """Return the absolute value of a number."""
    return whole(abs(number(a)))
