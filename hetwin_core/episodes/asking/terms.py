"""Terms of questions, such as ``on("box", "tray")``, composed by ``&``, ``|`` and ``~``.

A term is not a truth value: it is true or false only at a time, and either in the world or in the robot's beliefs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json


@dataclass(frozen=True, slots=True)
class Variable:
    """Matches any entity; the entities for which a term holds become bindings.

    Attributes:
        name: equal names in a term match the same entity; an empty one is independent of all others.
    """

    name: str = ""


ANY = Variable()
"""Any entity; its binding gets the name of the argument."""

Argument: TypeAlias = "str | Variable"


class Term:
    """A term that may hold at a time."""

    __slots__ = ()

    def __and__(self, other: Term) -> Term:
        return Both(self, _term(other))

    def __or__(self, other: Term) -> Term:
        return Either(self, _term(other))

    def __invert__(self) -> Term:
        return Negation(self)

    def __bool__(self) -> NoReturn:
        raise BadInput(
            "a fluent is neither true nor false by itself",
            found=str(self),
            expected=f"holds({self}, at(...)); terms are composed by & | ~, not by and, or, not",
        )

    def leaves(self) -> Iterator[Term]:
        """Yield the atoms and states in it, from left to right."""
        yield self

    def mapped(self, change: Callable[[Atom, bool], Term], positive: bool = True) -> Term:
        """Return the term with other atoms; `change` gets each atom, and whether it is outside all negations."""
        return self


@dataclass(frozen=True, slots=True)
class Place:
    """A region for an entity's pose.

    Attributes:
        near: x y [m] for bases, x y z [m], or x y z qw qx qy qz in the world; or the name of an entity.
        within: maximum distance [m].
        turned: maximum angle [rad], if `near` has an orientation.
    """

    near: tuple[float, ...] | str
    within: float
    turned: float


@dataclass(frozen=True, slots=True)
class Atom(Term):
    """A fluent, or an event, of entities.

    Attributes:
        name: e.g. ``on``.
        arguments: the given arguments; omitted ones match any.
        place: region of the entity's pose, for ``loc``.
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    place: Place | None = None

    def mapped(self, change: Callable[[Atom, bool], Term], positive: bool = True) -> Term:
        """Return the changed atom."""
        return change(self, positive)

    def __str__(self) -> str:
        words = [_shown(argument) for argument in self.arguments]
        if self.place is not None:
            near = self.place.near if isinstance(self.place.near, str) else list(self.place.near)
            words += [f"near={near!r}", f"within={self.place.within:g}"]
        return f"{self.name}({', '.join(words)})"


@dataclass(frozen=True, slots=True)
class State(Term):
    """A condition on the state of the scene, as in triggers.

    Attributes:
        text: an expression in CEL that calls evaluators, e.g. ``height("box") > 0.9``.
        variables: values of its variables.
    """

    text: str
    variables: Mapping[str, Json] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class _Pair(Term):
    """Two terms."""

    one: Term
    two: Term

    def leaves(self) -> Iterator[Term]:
        """Yield the leaves of both."""
        yield from self.one.leaves()
        yield from self.two.leaves()

    def mapped(self, change: Callable[[Atom, bool], Term], positive: bool = True) -> Term:
        """Return the term with other atoms in both parts."""
        return type(self)(self.one.mapped(change, positive), self.two.mapped(change, positive))


@dataclass(frozen=True, slots=True)
class Both(_Pair):
    """Conjunction of two terms."""

    def __str__(self) -> str:
        return f"({self.one} & {self.two})"


@dataclass(frozen=True, slots=True)
class Either(_Pair):
    """Disjunction of two terms."""

    def __str__(self) -> str:
        return f"({self.one} | {self.two})"


@dataclass(frozen=True, slots=True)
class Negation(Term):
    """Negation of a term."""

    of: Term

    def leaves(self) -> Iterator[Term]:
        """Yield the leaves of the negated term."""
        yield from self.of.leaves()

    def mapped(self, change: Callable[[Atom, bool], Term], positive: bool = True) -> Term:
        """Return the term with other atoms in the negated term."""
        return Negation(self.of.mapped(change, False))

    def __str__(self) -> str:
        return f"~{self.of}"


DISTANCE = 0.02
"""Maximum distance of two positions that count as equal [m]."""
ANGLE = 0.1745
"""Maximum angle between two orientations that count as equal [rad], 10 degrees."""


def on(a: Argument, b: Argument = ANY) -> Atom:
    """Return the term that a stands on b."""
    return Atom("on", (a, b))


def supporting(b: Argument, a: Argument = ANY) -> Atom:
    """Return the term that b supports a, which is ``on(a, b)``."""
    return on(a, b)


def contact(a: Argument, b: Argument = ANY) -> Atom:
    """Return the term that a and b touch; a hand or a robot means any of its links."""
    return Atom("contact", (a, b))


def attached(a: Argument, b: Argument = ANY) -> Atom:
    """Return the term that a moves together with b."""
    return Atom("attached", (a, b))


def held(a: Argument, hand: Argument = ANY) -> Atom:
    """Return the term that a hand holds a."""
    return Atom("held", (a, hand))


def in_container(a: Argument, container: Argument = ANY) -> Atom:
    """Return the term that a is in a container."""
    return Atom("in_container", (a, container))


def connected(a: Argument, b: Argument = ANY) -> Atom:
    """Return the term that a plug a is connected to b."""
    return Atom("connected", (a, b))


def moving(a: Argument) -> Atom:
    """Return the term that a moves."""
    return Atom("moving", (a,))


def visible(a: Argument) -> Atom:
    """Return the term that a camera of the robot can see a."""
    return Atom("visible", (a,))


def loc(
    a: Argument,
    *,
    near: Sequence[float] | str | None = None,
    within: float = DISTANCE,
    turned: float = ANGLE,
) -> Atom:
    """Return the term that a is at a position; without `near`, the term stands for a's pose in values and beliefs.

    Args:
        a: an entity; for a robot, its base.
        near: x y [m], x y z [m] or x y z qw qx qy qz in the world; or an entity.
        within: maximum distance [m].
        turned: maximum angle [rad], if `near` has an orientation.

    Raises:
        BadInput: if `near` is no position, or a limit is no positive number.
    """
    if near is None:
        return Atom("loc", (a,))
    if not isinstance(near, str):
        near = _place(near)
    for name, limit in (("within", within), ("turned", turned)):
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0:
            raise BadInput(
                "this is not a valid limit", where=name, found=limit, expected="a number above 0"
            )
    return Atom("loc", (a,), Place(near, float(within), float(turned)))


def state(text: str, **variables: Json) -> State:
    """Return a condition on the state, e.g. ``state('height("box") > 0.9')``."""
    return State(text, variables)


def fluent(name: str, *arguments: Argument) -> Atom:
    """Return any fluent by its name, such as a truth that a model provides."""
    return Atom(name, arguments)


def event(name: str, *arguments: Argument) -> Atom:
    """Return any event by its name; omitted arguments match any."""
    return Atom(name, arguments)


def _place(near: object) -> tuple[float, ...]:
    numbers = list(near) if isinstance(near, Sequence) else []
    all_numbers = all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers)
    if len(numbers) not in (2, 3, 7) or not all_numbers:
        raise BadInput(
            "this is not a valid place",
            where="near",
            found=near,
            expected="an entity, or [x, y], [x, y, z] or [x, y, z, qw, qx, qy, qz]",
        )
    return tuple(float(n) for n in numbers)


def _term(other: object) -> Term:
    if isinstance(other, Term):
        return other
    raise BadInput("this is not a fluent", found=other, expected='a term such as on("box", "tray")')


def _shown(argument: Argument) -> str:
    if isinstance(argument, str):
        return f'"{argument}"'
    return f"any({argument.name!r})" if argument.name else "any"
