"""The functions of expressions that make terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import and_, or_
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.parsing.formulas import AND, NOT, OR, STATE
from hetwin_core.episodes.asking.parsing.made import Made, bare, rows_of
from hetwin_core.episodes.asking.terms import (
    ANGLE,
    DISTANCE,
    Argument,
    Atom,
    Negation,
    State,
    Term,
    Variable,
    loc,
)

LOC = "loc"
OPTIONS = ("near", "within", "turned")


class TermFunctions:
    """Makes terms.

    Args:
        names: of fluents, events and attributes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        own: Mapping[str, Callable[..., Any]] = {
            AND: partial(self._joined, and_),
            OR: partial(self._joined, or_),
            NOT: lambda term: Made(Negation(self.term(term)), rows_of(term)),
            STATE: lambda text, variables: Made(State(text, variables)),
            "any": Variable,
            "event": self._named,
            "fluent": self._named,
        }
        made = {name: partial(self._named, name) for name in names}
        self.functions: dict[str, Callable[..., Any]] = {**made, **own}

    def term(self, value: object) -> Term:
        """Return the term that a value stands for.

        Raises:
            BadInput: if it is none.
        """
        found = bare(value)
        if not isinstance(found, Term):
            raise BadInput(
                "this is no fluent", found=value, expected='a fluent such as on("box", "tray")'
            )
        return found

    def _joined(self, join: Callable[[Term, Term], Term], one: object, two: object) -> Made:
        return Made(join(self.term(one), self.term(two)), rows_of(one, two))

    def _named(self, name: str, *arguments: object) -> Made:
        if name != LOC:
            return Made(Atom(name, tuple(_argument(a, name) for a in arguments)))
        if not arguments:
            raise BadInput("this fluent has an argument", found="loc()", expected='loc("box")')
        entity, *more = arguments
        return Made(loc(_argument(entity, name), **_place(more)))


def _argument(value: object, name: str) -> Argument:
    if isinstance(value, str | Variable):
        return value
    found = value
    if isinstance(value, Made):
        found = "a fluent" if isinstance(value.thing, Term) else "a time"
    raise BadInput(
        "an argument must be a name or any",
        where=name,
        found=found,
        expected=f'{name}("box"), as in holds({name}("box"), at(2.0))',
    )


def _place(more: list[object]) -> dict[str, Any]:
    """Return the place of ``loc``: a map with its parts, or the parts in order."""
    if len(more) == 1 and isinstance(more[0], Mapping):
        options = {str(key): value for key, value in more[0].items()}
    else:
        options = dict(zip(OPTIONS, more, strict=False))
    if (
        len(more) > len(OPTIONS)
        or not set(options) <= set(OPTIONS)
        or (options and "near" not in options)
    ):
        raise BadInput(
            "this is no place",
            where=LOC,
            found=options,
            expected=f'loc("box", {{"near": [x, y, z], "within": {DISTANCE}, "turned": {ANGLE}}})',
        )
    return options
