"""Terms and times in CEL, the language of triggers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import and_, or_
from types import MappingProxyType
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import (
    EvaluationError,
    Step,
    StepCompiler,
    evaluate,
)
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import STANDARD_FUNCTIONS, Expression
from hetwin_core.ensemble.expressions.nodes import Binary, Call, Node, Unary, names_of, walk
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.episodes.asking.answer import Evidence
from hetwin_core.episodes.asking.terms import (
    ANGLE,
    ANY,
    DISTANCE,
    Argument,
    Atom,
    Negation,
    State,
    Term,
    Variable,
    loc,
)
from hetwin_core.episodes.asking.times import When
from hetwin_core.episodes.tables.intervals import RELATIONS
from hetwin_core.episodes.tables.rows import Task

_CALLS = (
    *("holds(fluent, time)", "believed(fluent or event, time)", "occurs(event[, time])"),
    *("value(loc(entity) or expression, time)", "variable(name or loc(entity), time[, task])"),
    *("count(list or fluent)", "incorrect_belief(fluent, time or any)", "expected(event)"),
    "causes(event), causes(cause, event) or causes(fluent, belief, moment)",
    *("task(id or operation)", "tasks([operation])", "supertask(task)", "goal(task)"),
    *("at(moment)", "during(from, to) or during(task)", "throughout(from, to) or throughout(task)"),
    *("any or any(name)", "event(name, ...)", "fluent(name, ...)"),
)

USAGE: Mapping[str, str] = MappingProxyType(
    {
        **{name: f"{name}(one, other) of tasks, events, fluents" for name in RELATIONS},
        **{text.partition("(")[0].partition(" ")[0]: text for text in _CALLS},
    }
)
"""Function -> its call, for errors."""


@dataclass(frozen=True, slots=True)
class BuiltTerm:
    """A term or a time.

    Attributes:
        thing: the term or the time.
        rows: the rows that it was made from.
    """

    thing: Term | When
    rows: tuple[Evidence, ...] = ()


def bare(value: object) -> object:
    """Return the term or the time in a `BuiltTerm`; any other value unchanged."""
    return value.thing if isinstance(value, BuiltTerm) else value


def rows_of_terms(*values: object) -> tuple[Evidence, ...]:
    """Return the rows that the terms among values were made from."""
    return tuple(row for value in values if isinstance(value, BuiltTerm) for row in value.rows)


def check_value(value: object) -> None:
    """Check that a value is an answer: a truth, number, text, list or map.

    Raises:
        BadInput: if it is a term or a time.
    """
    if isinstance(value, BuiltTerm | Variable):
        term = (
            value.thing
            if isinstance(value, BuiltTerm) and isinstance(value.thing, Term)
            else "on(...)"
        )
        raise BadInput(
            "a fluent is neither true nor false by itself",
            expected=f"holds({term}, at(...)), or during or throughout in place of at",
        )


AND, OR, NOT, STATE = "&&", "||", "!", "state"
"""Functions of formulas: they join terms, or convert a condition on the state to a term."""
OF_FORMULAS = ("holds", "believed", "incorrect_belief", "value", "count")
"""Functions whose first argument may be a formula: a term, or a condition on the state."""


class Formulas(StepCompiler):
    """Compiles a question or a goal to steps.

    Args:
        text: text of the question or goal.
        functions: names of the functions that it may call anywhere.
        evaluators: names of the functions of the state, which are allowed only in formulas.
    """

    def __init__(self, text: str, functions: Collection[str], evaluators: Collection[str]) -> None:
        super().__init__(text)
        self._functions = functions
        self._evaluators = evaluators

    def formula(self, node: Node) -> Step:
        """Return a step that makes a term, or returns the value of an expression that is no term."""
        match node:
            case Binary("&&" | "||" as sign, one, two):
                steps = [self.formula(one), self.formula(two)]
                return lambda scope: scope.functions[sign](*(step(scope) for step in steps))
            case Unary("!", of):
                negated = self.formula(of)
                return lambda scope: scope.functions[NOT](negated(scope))
        if not any(isinstance(part, Call) and part.name in self._evaluators for part in walk(node)):
            return self.step(node)
        names, text = {*names_of(node)}, self.text[node.begin : node.end]
        return lambda scope: scope.functions[STATE](text, {n: scope.variables[n] for n in names})

    def argument(self, call: Call, number: int) -> Step:
        """Return the step of a function's argument, which may be a formula."""
        if number == 0 and call.name in OF_FORMULAS:
            return self.formula(call.arguments[0])
        return super().argument(call, number)

    def check_value(self, value: object) -> None:
        """Check that a value is no term and no time.

        Raises:
            BadInput: if it is one.
        """
        check_value(value)

    def call(self, call: Call) -> Step:
        """Return the step of a call.

        Raises:
            BadInput: if a function of the state is used outside a formula.
        """
        name = call.name
        if name in self._evaluators and name not in self._functions:
            raise BadInput(
                f"{name} is about the state, which needs a time",
                found=self.text,
                expected=f"holds({name}(...) > 0.9, at(...)) or value({name}(...), at(...))",
            )
        return super().call(call)

    def failed(
        self, name: str, function: Callable[..., Any], given: Sequence[Any], error: Exception
    ) -> Exception:
        """Return the exception for a function's error, which may be a wrong number of arguments."""
        try:
            inspect.signature(function).bind(*given)
        except TypeError:
            count = f"{len(given)} argument{'' if len(given) == 1 else 's'}"
            problem = "wrong number of arguments"
            return BadInput(problem, where=name, found=count, expected=USAGE[name])
        return super().failed(name, function, given, error)


LOC = "loc"
OPTIONS = ("near", "within", "turned")


class TermFunctions:
    """Functions that make terms.

    Args:
        names: names of fluents, events and attributes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        own: Mapping[str, Callable[..., Any]] = {
            AND: partial(self._join, and_),
            OR: partial(self._join, or_),
            NOT: lambda term: BuiltTerm(Negation(self.term(term)), rows_of_terms(term)),
            STATE: lambda text, variables: BuiltTerm(State(text, variables)),
            "any": Variable,
            "event": self._make_atom,
            "fluent": self._make_atom,
        }
        atoms = {name: partial(self._make_atom, name) for name in names}
        self.functions: dict[str, Callable[..., Any]] = {**atoms, **own}

    def term(self, value: object) -> Term:
        """Return the term in a value.

        Raises:
            BadInput: if it is none.
        """
        found = bare(value)
        if not isinstance(found, Term):
            raise BadInput(
                "this is not a fluent", found=value, expected='a fluent such as on("box", "tray")'
            )
        return found

    def _join(self, join: Callable[[Term, Term], Term], one: object, two: object) -> BuiltTerm:
        return BuiltTerm(join(self.term(one), self.term(two)), rows_of_terms(one, two))

    def _make_atom(self, name: str, *arguments: object) -> BuiltTerm:
        if name != LOC:
            return BuiltTerm(Atom(name, tuple(_argument(a, name) for a in arguments)))
        if not arguments:
            raise BadInput("this fluent needs an argument", found="loc()", expected='loc("box")')
        entity, *more = arguments
        return BuiltTerm(loc(_argument(entity, name), **_place(more)))


def _argument(value: object, name: str) -> Argument:
    if isinstance(value, str | Variable):
        return value
    found = value
    if isinstance(value, BuiltTerm):
        found = "a fluent" if isinstance(value.thing, Term) else "a time"
    raise BadInput(
        "an argument must be a name or any",
        where=name,
        found=found,
        expected=f'{name}("box"), as in holds({name}("box"), at(2.0))',
    )


def _place(more: list[object]) -> dict[str, Any]:
    """Return the options of ``loc``: a map, or the options in order."""
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
            "this is not a valid place",
            where=LOC,
            found=options,
            expected=f'loc("box", {{"near": [x, y, z], "within": {DISTANCE}, "turned": {ANGLE}}})',
        )
    return options


class GoalReader:
    """Parses goals, each text once.

    Args:
        names: names of fluents.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._terms: dict[str, Term] = {}

    def read(self, task: Task) -> Term:
        """Return the goal of a task.

        Raises:
            BadInput: if it has none, or the goal is no term.
        """
        if not task.goal:
            raise BadInput(
                "this task has no goal",
                where=task.id,
                expected='one whose goal is not empty: t.goal != ""',
            )
        if task.goal not in self._terms:
            self._terms[task.goal] = self._read(task.goal, f"goal of {task.id}")
        return self._terms[task.goal]

    def _read(self, text: str, where: str) -> Term:
        expression, terms = Expression(text, where), TermFunctions(self._names)
        evaluators = all_evaluators()
        expression.check_names({*terms.functions, *evaluators}, ("any",))
        try:
            step = Formulas(text, terms.functions, evaluators).formula(expression.node)
            return terms.term(evaluate(step, {"any": ANY}, terms.functions))
        except EvaluationError as error:
            raise BadInput(
                f"this is not a goal: {error}",
                where=where,
                found=text,
                expected='on("box", "tray")',
            ) from None


VARIABLES = ("any", "start", "end")
"""Variables of questions."""


def compiled(question: str, functions: Collection[str]) -> Step:
    """Compile a question.

    Args:
        question: an expression in CEL.
        functions: names of the functions that it may call anywhere.

    Raises:
        BadInput: if its syntax or a name in it is wrong.
    """
    written = Expression(question)
    evaluators = frozenset(all_evaluators()) - STANDARD_FUNCTIONS | {"exists"}
    known = {*functions, *evaluators}
    for name in sorted(written.functions - STANDARD_FUNCTIONS - known):
        names = sorted(filter(str.isidentifier, known))
        raise BadInput(
            f"unknown fluent, event or function {name!r}",
            found=question,
            expected=f"one that docs/asking.md lists or the episode knows{perhaps(name, names)}",
        )
    for name in sorted(written.variables - {*VARIABLES}):
        expected = one_of(name, VARIABLES, "a name in quotes")
        raise BadInput(f"unknown name {name!r}", found=question, expected=expected)
    return Formulas(question, functions, evaluators).step(written.node)
