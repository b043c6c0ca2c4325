"""Lists of names in messages: the first ones of many, and those similar to a misspelt name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_SIMILAR = 3
MAX_LISTED = 20


def nearest(found: object, known: Iterable[str], limit: int = MAX_SIMILAR) -> list[str]:
    """The known names that resemble the found one, the most similar first."""
    return difflib.get_close_matches(str(found), list(known), limit)


def perhaps(found: object, known: Iterable[str]) -> str:
    """The nearest names as the end of an expectation; empty if none is similar."""
    near = nearest(found, known)
    return f" (perhaps {' or '.join(map(repr, near))})" if near else ""


def one_of(found: object, known: Iterable[str], otherwise: str = "") -> str:
    """The expectation for an unknown name: the known ones, and the most similar.

    Args:
        found: the unknown name.
        known: all names in their order; at most `MAX_LISTED` are listed.
        otherwise: alternatives, in words.
    """
    names = list(known)
    shown = [*names[:MAX_LISTED], "..."] if len(names) > MAX_LISTED else names
    listed = ", ".join([*shown, f"or {otherwise}"] if otherwise else shown) or "none"
    return f"one of {listed}{perhaps(found, names)}"


def some(names: Iterable[str], limit: int = 8) -> str:
    """The first names, and the number of the others."""
    known = list(names)
    more = f" and {len(known) - limit} more" if len(known) > limit else ""
    return (", ".join(known[:limit]) or "none") + more


def counted(number: int, noun: str) -> str:
    """A number with its noun in singular or plural."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
