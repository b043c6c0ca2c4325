"""Expressions of arcs have the values that the expression language gives them; and what the language lacks."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.tree_values import NoValue, tree_value

from hetwin_core.ensemble.expressions.language import cel
from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions import operations
from hetwin_machines.expressions.kinds import Kind
from hetwin_machines.expressions.language import parse
from hetwin_machines.expressions.python import Writer

FAILED = "failed"
SIGNS = ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]
KINDS = {"a": Kind.NUMBER, "b": Kind.ANY, "t": Kind.TRUTH, "f": Kind.ANY}


def value(text: str, signals: dict[str, Any], kinds: dict[str, Kind]) -> Any:
    source = Writer(kinds).write(parse(text))
    try:
        return eval(source, {**vars(operations), **signals})
    except operations.Failed:
        return FAILED


def expected(text: str, signals: dict[str, Any]) -> Any:
    try:
        return cel.compile(text).execute(signals)
    except (TypeError, ZeroDivisionError, OverflowError, ValueError):
        return FAILED


def some(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*KINDS, "1", "0", "2", "true", "false"])
    one, two, three = (some(rng, depth - 1) for _ in range(3))
    match rng.randrange(6):
        case 0:
            return f"(!{one})"
        case 1:
            return f"({one} ? {two} : {three})"
    return f"({one} {rng.choice(SIGNS)} {two})"


def test_values_are_those_of_the_language() -> None:
    rng, evaluated = random.Random(4), 0
    for _ in range(1500):
        text = some(rng, rng.randint(1, 4))
        signals = {
            "a": rng.choice([0, 5, -3]),
            "b": rng.choice([0, 2, True, -(2**63)]),
            "t": rng.choice([True, False]),
            "f": False,
        }
        wanted = expected(text, signals)
        evaluated += wanted != FAILED
        for kinds in (KINDS, {}):
            found = value(text, signals, kinds)
            assert (type(found), found) == (type(wanted), wanted), (text, signals)
    assert evaluated > 500


@pytest.mark.parametrize("text", ["b < 1 && f", "f && b < 1", "1 < b && f", "b < a && f"])
def test_what_may_be_of_either_kind_may_fail_beside_what_decides(text: str) -> None:
    signals = {"a": 0, "b": True, "t": True, "f": False}
    assert expected(text, signals) is False
    for kinds in (KINDS, {}):
        assert value(text, signals, kinds) is False


def mixed(rng: random.Random, depth: int) -> str:
    """Like `some`, with real numbers and functions, for which the library is no oracle."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*KINDS, "1", "0.5", "-2", "1e300", "9223372036854775807", "true"])
    one, two = mixed(rng, depth - 1), mixed(rng, depth - 1)
    match rng.randrange(8):
        case 0:
            return f"{rng.choice(['min', 'max'])}({one}, {two}, 1)"
        case 1:
            return f"abs({one})"
        case 2:
            return f"(-({one}))"
    return some(rng, 1) if rng.random() < 0.1 else f"({one} {rng.choice(SIGNS)} {two})"


def walked(text: str, signals: dict[str, Any]) -> Any:
    try:
        return tree_value(parse(text), signals)
    except NoValue:
        return FAILED


def test_values_are_those_of_a_walk_over_the_tree() -> None:
    rng, evaluated = random.Random(5), 0
    for _ in range(1200):
        text = mixed(rng, rng.randint(1, 4))
        signals = {
            "a": rng.choice([0, 5, -3.5, 2**62]),
            "b": rng.choice([0, 2, 0.25, True, -(2**63)]),
            "t": rng.choice([True, False]),
            "f": rng.choice([False, 3]),
        }
        wanted = walked(text, signals)
        evaluated += wanted != FAILED
        for kinds in (KINDS, {}):
            found = value(text, signals, kinds)
            assert (type(found), found) == (type(wanted), wanted), (text, signals)
    assert evaluated > 350


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 + 1.5", 2.5),
        ("3 / 2.0", 1.5),
        ("7 / 2 * 2", 6),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("min(2, 3, 1)", 1),
        ("max(2, 2.5)", 2.5),
        ("min(1, 2.5)", 1.0),
        ("abs(-4)", 4),
        ("1.0 / 0.0", FAILED),
        ("2 < 3.5 && true", True),
        ("true == 1", False),
        ("1 == 1.0", True),
        ("- -3", 3),
        ("0x10 + 1e2", 116.0),
        ("-9223372036854775808 - 1", FAILED),
        ("false ? 1 / 0 : 2", 2),
    ],
)
def test_numbers_mix_and_divisions_by_zero_fail(text: str, wanted: object) -> None:
    found = value(text, {}, {})
    assert (type(found), found) == (type(wanted), wanted)


@pytest.mark.parametrize(
    "text",
    [
        *("", "n >", "n n", "(n", "n ? 1", "__import__('os')", "n.real", "[1]", "'a'", "f(n)"),
        *("min(1)", "abs(1, 2)", "n = 1", "n := 1", "lambda: 1", "1u", "99999999999999999999"),
        *("n and m", "!-n", "(" * 80 + "n" + ")" * 80, "n in m", "{}", "1.", "@", "n; m"),
    ],
)
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    with pytest.raises(NetworkError, match=r"machines\.m\.if"):
        parse(text, "machines.m.if")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n > 0 && 'a' == m", r"\"'a'\" is not part of the language \(column 10\)"),
        ("n + min(1)", r"min takes 2 to 9 arguments \(column 5\)"),
        ("n + abs(1, 2)", r"abs takes 1 arguments \(column 5\)"),
    ],
)
def test_what_is_refused_is_said_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(NetworkError, match=problem):
        parse(text)
