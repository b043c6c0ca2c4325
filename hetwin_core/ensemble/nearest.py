"""Lists of names in messages: some of many, and those that a misspelt name may mean."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST = 3
MOST_LISTED = 20


def nearest(found: object, known: Iterable[str], most: int = MOST) -> list[str]:
    """The known names that resemble the found one, the most similar first."""
    return difflib.get_close_matches(str(found), list(known), most)


def perhaps(found: object, known: Iterable[str]) -> str:
    """The nearest names as the end of an expectation; empty if none is similar."""
    near = nearest(found, known)
    return f" (perhaps {' or '.join(map(repr, near))})" if near else ""


def one_of(found: object, known: Iterable[str], otherwise: str = "") -> str:
    """The expectation for an unknown name: the known ones, and the most similar.

    Args:
        found: the unknown name.
        known: all names in their order; at most `MOST_LISTED` are listed.
        otherwise: alternatives, in words.
    """
    names = list(known)
    shown = [*names[:MOST_LISTED], "..."] if len(names) > MOST_LISTED else names
    listed = ", ".join([*shown, f"or {otherwise}"] if otherwise else shown) or "none"
    return f"one of {listed}{perhaps(found, names)}"


def some(names: Iterable[str], most: int = 8) -> str:
    """The first names, and the number of the others."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return (", ".join(known[:most]) or "none") + more


def counted(number: int, what: str) -> str:
    """A number with its noun in singular or plural."""
    return f"{number} {what}{'' if number == 1 else 's'}"
