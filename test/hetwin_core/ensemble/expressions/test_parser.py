"""Expressions are read as the language's library reads them, and written as they can be read again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.random_examples import examples
from support.random_expressions import PIECES, nodes

from hetwin_core.ensemble.expressions.language import cel
from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Index,
    Items,
    Literal,
    Loop,
    Member,
    Method,
    Name,
    Node,
    Unary,
    Unsigned,
    conjuncts,
    functions_of,
    names_of,
    walk,
)
from hetwin_core.ensemble.expressions.parser import WrongSyntax, parse
from hetwin_core.ensemble.expressions.printer import text_of

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
        "[.5, 1e3, 2u, null,]",
        Items((Literal(0.5), Literal(1e3), Literal(Unsigned(2)), Literal(None))),
    ),
    ("{'a': 1, b: c}", Entries(((Literal("a"), Literal(1)), (B, C)))),
    ("a.b(c)[0].in_x", Member(Index(Method(A, "b", (C,)), Literal(0)), "in_x")),
    ("f(a, b)", Call("f", (A, B))),
    ("a.map(b, c, b)", Loop(A, "map", "b", (C, B))),
    ("a.all(b, c, b)", Method(A, "all", (B, C, B))),
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
        ("f(a", r"'\)' is missing before the end \(column 4\)"),
        ("a b", r"'b' cannot stand here \(column 3\)"),
        ("a = 1", r"'=' is not part of the language \(column 3\)"),
        ("'a", r"\"'a\" is not part of the language"),
        ("a ? b", r"':' is missing before the end"),
        ("!-a", r"'!' and '-' cannot follow each other"),
        ("if", r"if is a reserved name"),
        ("a.true", r"a field or a method is missing before 'true'"),
        ("9223372036854775808", r"must fit into 64 bits \(column 1\)"),
        ("18446744073709551616u", r"must fit into 64 bits"),
        ("1e400", r"must be finite"),
        (r"'\q'", r"there is no escape \\q"),
        (r"'\ud800'", r"is no character"),
        (r"b'\u0041'", r"cannot stand in bytes"),
        ("has(a)", r"has takes a field"),
        ("a.map(b.c, b)", r"must be the name of a variable"),
        ("A{b: 1}", r"'\{' cannot stand here"),
        ("(" * 80 + "a" + ")" * 80, r"nested deeper"),
        ("!" * 80 + "a", r"nested deeper"),
        (" + ".join("a" * 300), r"nested deeper"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(WrongSyntax, match=problem):
        parse(text)


@examples(300)
@given(nodes())
def test_what_is_written_is_read_again(tree: Node) -> None:
    assert repr(parse(text_of(tree))) == repr(tree)


def _is_read(read: Any, text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


@examples(400)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map(" ".join))
def test_the_library_reads_the_same_texts(text: str) -> None:
    assume(not re.search(r"[\[{] *,|\w *\{", text))  # an empty list with a comma; messages
    assert _is_read(parse, text) == _is_read(cel.compile, text)


@examples(200)
@given(nodes())
def test_the_library_reads_what_is_written(tree: Node) -> None:
    program = cel.compile(text_of(tree))
    bound = {part.variable for part in walk(tree) if isinstance(part, Loop)}
    assert set(names_of(tree)) | bound == set(program.variables()) | bound
    called = {name for name in program.functions() if name.isidentifier()}
    assert set(functions_of(tree)) == called


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
