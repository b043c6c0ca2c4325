"""Expressions in custom files: parse them, inspect their syntax trees, and write them as text.

A package can use the expression language of scenarios in its own files, and evaluate the syntax trees itself::

    from hetwin_suite.expressions import conjuncts, names_of, parse, text_of

    guard = parse("cups < 3 && (warm || !served)")
    print(*names_of(guard))
    print([text_of(part) for part in conjuncts(guard)])
"""

from __future__ import annotations

from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Literal,
    Name,
    Node,
    Unary,
    conjuncts,
    depth_of,
    names_of,
    number_of,
    parts_of,
    text_of,
    walk,
)
from hetwin_core.ensemble.expressions.parser import MAX_NESTING, ExpressionSyntaxError, parse

__all__ = [
    "MAX_NESTING",
    "Binary",
    "Call",
    "Choice",
    "Entries",
    "ExpressionSyntaxError",
    "Literal",
    "Name",
    "Node",
    "Unary",
    "conjuncts",
    "depth_of",
    "names_of",
    "number_of",
    "parse",
    "parts_of",
    "text_of",
    "walk",
]
