"""Random expressions, as trees and as texts."""

from __future__ import annotations

from hypothesis import strategies as st

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
)

SIGNS = ("||", "&&", "<", "<=", ">", ">=", "==", "!=", "in", "+", "-", "*", "/", "%")
PIECES = (
    *SIGNS,
    *("a", "b", "f(", "(", ")", "[", "]", "{", "}", ",", ":", "?", "!", "-", "in", "if", "null"),
    *("1", "-1", "0x1F", "1.5", ".5", "1e3", "'a'", '"\\n"', "r'\\'", "b'x'", "'''b'''"),
    *("true", "a.size()", "[a].map(x, x)", "a.b", "a[", "has(a.b)", "// a\n"),
)
"""What texts are made of, right ones and wrong ones."""

_NAMES = st.sampled_from(("a", "b", "object", "_x1"))
_LITERALS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(max_size=4),
).map(Literal)


def _inner(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    lists = st.lists(parts, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Binary, st.sampled_from(SIGNS), parts, parts),
        st.builds(Unary, st.sampled_from("!-"), parts),
        st.builds(Choice, parts, parts, parts),
        st.builds(Call, st.just("f"), lists),
        st.builds(Call, st.just("contains"), lists, parts),
        st.builds(Member, parts, _NAMES),
        st.builds(Binary, st.just("[]"), parts, parts),
        st.builds(Items, lists),
        st.builds(Entries, st.lists(st.tuples(parts, parts), max_size=2).map(tuple)),
        st.builds(
            MacroCall,
            parts,
            st.sampled_from(("all", "filter", "map")),
            _NAMES,
            parts.map(lambda p: (p,)),
        ),
    )


def _with_signs(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(Binary, st.sampled_from(SIGNS), parts, parts),
        st.builds(Unary, st.sampled_from("!-"), parts),
        st.builds(Choice, parts, parts, parts),
    )


def nodes() -> st.SearchStrategy[Node]:
    """Trees of any expressions, and of signs that are nested as brackets show it."""
    few = st.sampled_from((Name("a"), Literal(1), Literal(-1)))
    signs: st.SearchStrategy[Node] = few
    for _ in range(3):
        signs = st.one_of(few, _with_signs(signs), _with_signs(signs))
    return signs | st.recursive(st.one_of(_LITERALS, _NAMES.map(Name)), _inner, max_leaves=12)
