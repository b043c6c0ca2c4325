"""Expressions with functions of our own have the values that the language's library gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.expressions import evaluation
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.expressions.language import cel

FAILED = "failed"


def same(value: Any) -> Any:
    """What a function of our own gets is what it returns."""
    return value


def unknown() -> bool:
    """What is not known has no value."""
    raise EvaluationError("nobody saw it")


FUNCTIONS = {"same": same, "unknown": unknown}


def found(text: str, variables: dict[str, Any]) -> Any:
    try:
        return Expression(text).evaluate(variables, FUNCTIONS)
    except EvaluationError:
        return FAILED


def wanted(text: str, variables: dict[str, Any]) -> Any:
    try:
        return cel.compile(text).execute(cel.Context(variables=variables, functions=FUNCTIONS))
    except Exception:  # the library has an error of its own for each reason
        return FAILED


def _some(depth: int) -> tuple[st.SearchStrategy[str], ...]:
    """Texts of numbers, of truths and of lists."""
    numbers = st.sampled_from(("a", "b", "x", "0", "2", "m.k", "m.z"))
    truths = st.sampled_from(("t", "true", "false", "unknown()", "x > 0", "has(m.k)"))
    lists = st.sampled_from(("l", "[a, 2]", "[]", "[same(a), x]"))
    if depth == 0:
        return numbers, truths, lists
    number, truth, items = _some(depth - 1)

    def text(form: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda given: form.format(*given))

    more_numbers = (
        *(text(f"({{}} {sign} {{}})", number, number) for sign in "+*/"),
        *(text("same({})", number), text("({} ? {} : {})", truth, number, number)),
        *(text("{}[{}]", items, number), text("size({})", items), text("{{'k': {}}}.k", number)),
    )
    more_truths = (
        *(text(f"({{}} {sign} {{}})", truth, truth) for sign in ("&&", "||", "==")),
        *(text(f"({{}} {sign} {{}})", number, number) for sign in ("<", ">=", "!=")),
        *(text("!({})", truth), text("same({})", truth), text("({} in {})", number, items)),
        *(text(f"{{}}.{each}(x, {{}})", items, truth) for each in ("all", "exists", "exists_one")),
    )
    more_lists = (
        *(
            text("same({})", items),
            text("[{}, {}]", number, number),
            text("({} + {})", items, items),
        ),
        *(text("{}.map(x, {})", items, number), text("{}.filter(x, {})", items, truth)),
        text("{}.map(x, {}, {})", items, truth, number),
    )
    return (
        st.one_of(numbers, *more_numbers),
        st.one_of(truths, *more_truths),
        st.one_of(lists, *more_lists),
    )


@examples(400)
@given(
    st.one_of(*_some(3)),
    st.integers(-2, 3),
    st.sampled_from((0, 1, 2.5, True, "text", None)),
    st.booleans(),
)
def test_values_are_those_of_the_library(text: str, a: int, b: Any, t: bool) -> None:
    variables = {"a": a, "b": b, "t": t, "x": 1, "l": [1, a, 3], "m": {"k": 2}}
    value, expected = found(text, variables), wanted(text, variables)
    assert (type(value), value) == (type(expected), expected)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("same(1) < 2 && unknown()", FAILED),
        ("unknown() && same(1) > 2", False),
        ("same(1) < 2 || unknown()", True),
        ("same(1) / 0 > 0 || unknown()", FAILED),
        ("[1, 2].filter(x, same(x) > 1)", [2]),
        ("[3, 4].map(x, same(x) > 3, x + a)", [9]),
        ("{'k': same(1)}.k + m.k", 3),
        ("same(m).k", 2),
        ("(same(a) + (a)) // twice", 10),
        ("a + same(2) * same(3) - a", 6),
    ],
)
def test_what_is_evaluated_by_whom(text: str, value: Any) -> None:
    assert found(text, {"a": 5, "m": {"k": 2}}) == value


@pytest.mark.parametrize("number", [np.bool_(True), np.float64(1.5), np.float32(1.5), np.int64(3)])
@pytest.mark.parametrize("text", ["f()", "f() == 3", "f() && true", "f() ? 1 : 2", "[f()]"])
def test_numbers_of_numpy_are_plain_ones(text: str, number: object) -> None:
    functions = {"f": lambda: number}
    try:
        expected = cel.compile(text).execute(cel.Context(variables={}, functions=functions))
    except TypeError:
        with pytest.raises(EvaluationError):
            Expression(text).evaluate({}, functions)
    else:
        value = Expression(text).evaluate({}, functions)
        assert (type(value), value) == (type(expected), expected)


def test_what_a_function_raises_is_said_with_its_call() -> None:
    def height(entity: str) -> float:
        raise KeyError((entity, "pose"))

    with pytest.raises(EvaluationError) as caught:
        Expression("1.0 < height('box')").evaluate({}, {"height": height})
    assert str(caught.value) == "1.0 < height('box'): height('box'): the scene has no box.pose"
    assert Expression("height('box') > 1.0 && false").evaluate({}, {"height": height}) is False


def test_each_reason_why_something_is_not_known_is_given_once() -> None:
    functions = {"one": lambda: _raise("it was dark"), "two": lambda: _raise("it was far")}

    def why(text: str) -> str:
        with pytest.raises(EvaluationError) as caught:
            Expression(text).evaluate({}, functions)
        return caught.value.reason

    assert why("one() && two()") == "it was dark; it was far"
    assert why("one() || one()") == "it was dark"


def _raise(why: str) -> bool:
    raise EvaluationError(why)


NESTED = (
    "items.all(a, items.all(b, items.all(c, items.all(d, items.all(e, a + b + c + d + e >= 0)))))"
)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget that is used up at once; the usual one takes seconds."""
    monkeypatch.setattr(evaluation, "MAX_EVALUATIONS", 1000)


def test_loops_in_loops_end_with_the_count_instead_of_going_on_for_ever(few: None) -> None:
    with pytest.raises(EvaluationError, match=r"takes more than 1,000 calls and loop iterations"):
        Expression(NESTED).evaluate({"items": list(range(60))}, {})


def test_what_is_decided_otherwise_needs_no_endless_loop(few: None) -> None:
    assert Expression(f"{NESTED} || true").evaluate({"items": list(range(60))}, {}) is True


def test_each_evaluation_has_a_budget_of_its_own(few: None) -> None:
    one = Expression("items.map(x, items.all(y, y >= x - 30))")
    for _ in range(2):
        assert one.evaluate({"items": list(range(25))}, {}) == [True] * 25


def test_texts_and_lists_that_are_computed_count_by_their_length(few: None) -> None:
    text = "'x' + part"
    grown = f"items.map(a, {text}).map(b, b + part).map(c, c + part)"
    variables = {"items": list(range(60)), "part": "x" * 10_000}
    with pytest.raises(EvaluationError, match="takes more than 1,000 calls"):
        Expression(grown).evaluate(variables, {})
    with pytest.raises(EvaluationError, match="takes more than 1,000 calls"):
        Expression("items.map(a, part + part)").evaluate({**variables, "part": [0] * 20_000}, {})
