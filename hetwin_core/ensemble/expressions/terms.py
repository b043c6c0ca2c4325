"""The terms in a text, such as a task's goal: what is said of which entities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from hetwin_core.ensemble.expressions.nodes import Call, Entries, Literal, Node, parts_of, walk
from hetwin_core.ensemble.expressions.parser import WrongSyntax, parse


class NamedTerm(NamedTuple):
    """A fluent, or an event, as a text names it.

    Attributes:
        name: e.g. ``on``.
        entities: the texts among its arguments, e.g. ``("box", "tray")``.
    """

    name: str
    entities: tuple[str, ...]


@lru_cache(4096)
def terms_in(text: str) -> tuple[NamedTerm, ...]:
    """Return the terms in a text, from left to right; none if it is no expression."""
    try:
        node = parse(text)
    except WrongSyntax:
        return ()
    calls = [part for part in walk(node) if isinstance(part, Call) and part.of is None]
    return tuple(NamedTerm(call.name, tuple(_texts(*call.arguments))) for call in calls)


def _texts(*nodes: Node) -> Iterator[str]:
    """Texts in arguments, without those of terms in them and without the keys of maps."""
    for node in nodes:
        match node:
            case Literal(str() as text):
                yield text
            case Call():
                pass
            case Entries(entries):
                yield from _texts(*(value for _, value in entries))
            case _:
                yield from _texts(*parts_of(node))
