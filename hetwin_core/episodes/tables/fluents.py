"""The fluents: names of states that hold or do not.

Table 1 of the paper, and what hetwin's models know beyond it. ``on(a, b)`` is the paper's Supporting(b, a).
"""

from __future__ import annotations

from typing import NamedTuple


class Fluent(NamedTuple):
    """A fluent.

    Attributes:
        arguments: what it is said of.
        about: in words.
        symmetric: whether ``f(a, b)`` is ``f(b, a)``; it is kept once.
    """

    arguments: tuple[str, ...]
    about: str
    symmetric: bool = False


BORNE = "borne_by"
"""What stands on something is borne by it, and stays so while it is pushed along, or tips."""

FLUENTS: dict[str, Fluent] = {
    "contact": Fluent(("a", "b"), "two bodies touch", symmetric=True),
    "on": Fluent(("a", "b"), "a stands on b: in contact, supported from below, and at rest on it"),
    BORNE: Fluent(
        ("a", "b"), "b bears a: since a came to rest on it, pushed along or not, until it leaves it"
    ),
    "attached": Fluent(("a", "b"), "a moves as b does, b a hand or a link, while they touch"),
    "loc": Fluent(("a",), "an entity is where it is; intervals without a change of place"),
    "moving": Fluent(("a",), "an entity moves"),
    "visible": Fluent(("a",), "a camera of the robot can see an entity"),
    "held": Fluent(("a", "hand"), "a hand holds an object"),
    "dropped": Fluent(
        ("a", "hand"), "an object lies where it fell from a hand, until one holds it"
    ),
    "in_container": Fluent(("a", "container"), "an object is inside a container"),
    "connected": Fluent(("a", "b"), "a plug is connected to its socket"),
}
"""Those that are always there; a truth that a model provides as an attribute is one more, by its name."""


def is_symmetric(fluent: str) -> bool:
    """Whether ``f(a, b)`` is ``f(b, a)``."""
    known = FLUENTS.get(fluent)
    return known is not None and known.symmetric
