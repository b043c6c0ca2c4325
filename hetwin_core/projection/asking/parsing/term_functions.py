"""The functions of CEL that make terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from operator import and_, or_
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.projection.asking.parsing.formulas import BOTH, EITHER, NOT, STATE
from hetwin_core.projection.asking.parsing.handles import Handles, any_handle, any_name
from hetwin_core.projection.asking.terms import (
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
    """Makes terms of what CEL passes.

    Args:
        handles: of the question.
        names: of fluents, events and attributes.
    """

    def __init__(self, handles: Handles, names: Iterable[str]) -> None:
        self._handles = handles
        own: Mapping[str, Callable[..., Any]] = {
            BOTH: partial(self._joined, and_),
            EITHER: partial(self._joined, or_),
            NOT: lambda term: self._put(Negation(self.term(term))),
            STATE: lambda text, variables: self._put(State(text, dict(variables))),
            "any": any_handle,
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
        found = self._handles.get(value, Term)
        if found is None:
            raise BadInput(
                "this is no fluent", found=value, expected='a fluent such as on("box", "tray")'
            )
        return found

    def _joined(self, join: Callable[[Term, Term], Term], terms: list[object]) -> dict[str, Any]:
        rows = tuple(row for term in terms for row in self._handles.evidence(term))
        return self._handles.put(reduce(join, [self.term(term) for term in terms]), rows)

    def _named(self, name: str, *arguments: object) -> dict[str, Any]:
        if name != LOC:
            return self._put(Atom(name, tuple(_argument(a, name) for a in arguments)))
        if not arguments:
            raise BadInput("this fluent has an argument", found="loc()", expected='loc("box")')
        entity, *more = arguments
        return self._put(loc(_argument(entity, name), **_place(more)))

    def _put(self, term: Term) -> dict[str, Any]:
        return self._handles.put(term)


def _argument(value: object, name: str) -> Argument:
    if isinstance(value, str):
        return value
    variable = any_name(value)
    if variable is not None:
        return Variable(variable)
    raise BadInput(
        "an argument must be a name or any", where=name, found=value, expected=f'{name}("box")'
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
