"""Expressions are read as the language's library reads them, and written as they can be read again."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.random_examples import examples
from support.random_expressions import PIECES, nodes

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.expressions.language import cel
from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Items,
    Literal,
    MacroCall,
    Member,
    Name,
    Node,
    Unary,
    conjuncts,
    names_of,
    text_of,
    walk,
)
from hetwin_core.ensemble.expressions.parser import ExpressionSyntaxError, parse

A, B, C = Name("a"), Name("b"), Name("c")
TREES: list[tuple[str, Node]] = [
    ("a || b && c", Binary("||", A, Binary("&&", B, C))),
    ("a - b - c", Binary("-", Binary("-", A, B), C)),
    ("a - (b - c)", Binary("-", A, Binary("-", B, C))),
    ("a + b * c < 2", Binary("<", Binary("+", A, Binary("*", B, C)), Literal(2))),
    ("a ? b : c ? 1 : 2", Choice(A, B, Choice(C, Literal(1), Literal(2)))),
    ("a in b == true", Binary("==", Binary("in", A, B), Literal(True))),
    ("!!a", Unary("!", Unary("!", A))),
    ("-a.b", Unary("-", Member(A, "b"))),
    ("- 3", Literal(-3)),
    ("-(3)", Unary("-", Literal(3))),
    ("-9223372036854775808", Literal(-(2**63))),
    ("-0x10", Literal(-16)),
    (
        "[.5, 1e3, null,]",
        Items((Literal(0.5), Literal(1e3), Literal(None))),
    ),
    ("{'a': 1, b: c}", Entries(((Literal("a"), Literal(1)), (B, C)))),
    ("a.b(c)[0].in_x", Member(Binary("[]", Call("b", (C,), A), Literal(0)), "in_x")),
    ("f(a, b)", Call("f", (A, B))),
    ("a.map(b, c, b)", MacroCall(A, "map", "b", (C, B))),
    ("a.all(b, c, b)", Call("all", (B, C, B), A)),
    ("// said\n a // more", A),
    ("'a && \" b'", Literal('a && " b')),
    ('"\\u00e9\\x41\\101\\n\\?"', Literal("éAA\n?")),
    ("r'\\'", Literal("\\")),
    ("'''a\n'b'''", Literal("a\n'b")),
    ("b'\\xff\\303é'", Literal(b"\xff\xc3\xc3\xa9")),
]


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_trees(text: str, tree: Node) -> None:
    assert repr(parse(text)) == repr(tree)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"a value is missing before the end \(column 1\)"),
        ("a &&\n  || b", r"a value is missing before '\|\|' \(line 2, column 3\)"),
        ("f(a", r"',' or '\)' is missing before the end \(column 4\)"),
        ("a b", r"'b' is not allowed here \(column 3\)"),
        ("a = 1", r"'=' is not part of the language \(column 3\)"),
        ("'a", r"\"'a\" is not part of the language"),
        ("a ? b", r"':' is missing before the end"),
        ("!-a", r"'!' and '-' cannot follow each other"),
        ("a.true", r"a field or a method is missing before 'true'"),
        (
            "a - 9223372036854775808",
            r"9223372036854775808 is too large, or not a value \(column 5\)",
        ),
        ("1e400", r"1e400 is too large, or not a value"),
        ("2u", r"'2u' is not part of the language"),
        (r"'\q'", r"too large, or not a value"),
        (r"'\ud800'", r"too large, or not a value"),
        ("A{b: 1}", r"'\{' is not allowed here"),
        ("(" * 80 + "a" + ")" * 80, r"nested deeper"),
        ("!" * 80 + "a", r"nested deeper"),
        (" + ".join("a" * 300), r"nested deeper"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match=problem):
        parse(text)


@examples(300)
@given(nodes())
def test_what_is_written_is_read_again(tree: Node) -> None:
    assert repr(parse(text_of(tree))) == repr(tree)


def _is_read(text: str) -> bool:
    try:
        cel.compile(text)
    except ValueError:
        return False
    return True


@examples(400)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map(" ".join))
def test_what_the_library_reads_is_read(text: str) -> None:
    assume(not re.search(r"[\[{] *,|\w *\{", text))  # an empty list with a comma; messages
    if _is_read(text):
        Expression(text)
    else:
        with pytest.raises(BadInput, match="syntax error"):
            Expression(text)


@examples(200)
@given(nodes())
def test_the_library_reads_what_is_written(tree: Node) -> None:
    program = cel.compile(text_of(tree))
    bound = {part.variable for part in walk(tree) if isinstance(part, MacroCall)}
    assert set(names_of(tree)) | bound == set(program.variables()) | bound
    assert Expression(text_of(tree)).functions == set(filter(str.isidentifier, program.functions()))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        ("a && b && !c", ("a", "b", "!c")),
        ("a && (b || c && d)", ("a", "(b || c && d)")),
        ("a && (b && c)", ("a", "b", "c")),
        ("f(a && b) && x[c && d] == {'k': e && f}", ("f(a && b)", "x[c && d] == {'k': e && f}")),
        ("a == '&& ) \\' ||' && b", ("a == '&& ) \\' ||'", "b")),
        ('a == """ " && """ && b', ('a == """ " && """', "b")),
        ("a && b || c", ("a && b || c",)),
        ("a ? b : c && d", ("a ? b : c && d",)),
        ("a == r'\\' && b", ("a == r'\\'", "b")),
        ("a && b // && c", ("a", "b")),
        ("a == '// no comment' && b", ("a == '// no comment'", "b")),
    ],
)
def test_a_condition_is_divided_at_its_outermost_and(text: str, parts: tuple[str, ...]) -> None:
    assert tuple(text[p.begin : p.end] for p in conjuncts(parse(text))) == parts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[1].exists(x, x > limit)", ["limit"]),
        ("[1].exists(x, x > 0) && x > 1", ["x"]),
        ("x.map(x, x + y)", ["x", "y"]),
        ("a.all(b, b.all(c, c == b && d == c))", ["a", "d"]),
    ],
)
def test_variables_of_loops_are_bound_in_them_alone(text: str, names: list[str]) -> None:
    assert list(names_of(parse(text))) == names
