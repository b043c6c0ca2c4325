"""Finds the formulas in a question: arguments that are terms, and not truths of the moment.

CEL knows ``&&`` between truths only, and evaluates a condition on the state before it is passed on. In an argument that
is a term, ``&&``, ``||`` and ``!`` therefore become functions, and a condition that calls evaluators becomes a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from hetwin_core.ensemble.expressions.expression import Expression

BOTH, EITHER, NOT, STATE = "both_", "either_", "not_", "state_"
"""Functions that a rewritten question calls."""

_TOKEN = re.compile(
    r"""(?P<text>[rRbB]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))"""
    r"|(?P<comment>//[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<word>&&|\|\||[=!<>]=|.)",
    re.DOTALL,
)
_COMPARING = ("==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "in", "?")


class _Token(NamedTuple):
    sort: str
    text: str
    begin: int
    end: int
    depth: int


class Formulas:
    """Rewrites questions.

    Args:
        functions: those whose first argument is a formula.
        evaluators: the functions of the state.
    """

    def __init__(self, functions: Collection[str], evaluators: Collection[str]) -> None:
        self._functions = functions
        self._evaluators = evaluators

    def rewritten(self, text: str) -> str:
        """Return a question of correct syntax in which formulas are calls of functions."""
        tokens = list(_tokens(text))
        pieces: list[str] = []
        done = 0
        for index, token in enumerate(tokens):
            if token.begin < done or not self._takes_formula(tokens, index):
                continue
            begin = tokens[index + 1].end
            end = _end_of_argument(tokens, index + 1, len(text))
            pieces += [text[done:begin], self.formula(text[begin:end])]
            done = end
        return "".join([*pieces, text[done:]])

    def formula(self, text: str) -> str:
        """Return a formula as calls of functions."""
        text = text.strip()
        tokens = [token for token in _tokens(text) if token.sort != "comment"]
        top = [token for token in tokens if token.depth == 0]
        if any(token.text == "?" for token in top):
            return self._leaf(text)
        for operator, function in (("||", EITHER), ("&&", BOTH)):
            parts = _split(text, top, operator)
            if len(parts) > 1:
                return f"{function}([{', '.join(map(self.formula, parts))}])"
        if any(token.text in _COMPARING and token.sort in ("word", "name") for token in top):
            return self._leaf(text)
        if text.startswith("!"):
            return f"{NOT}({self.formula(text[1:])})"
        if _is_enclosed(tokens):
            return self.formula(text[1:-1])
        return self._leaf(text)

    def _leaf(self, text: str) -> str:
        if not self._is_state(text):
            return self.rewritten(text)
        variables = ", ".join(f"{json.dumps(v)}: {v}" for v in sorted(Expression(text).variables))
        return f"{STATE}({json.dumps(text)}, {{{variables}}})"

    def _is_state(self, text: str) -> bool:
        tokens = list(_tokens(text))
        return any(
            token.sort == "name" and token.text in self._evaluators and _is_call(tokens, index)
            for index, token in enumerate(tokens)
        )

    def _takes_formula(self, tokens: list[_Token], index: int) -> bool:
        token = tokens[index]
        return (
            token.sort == "name"
            and token.text in self._functions
            and _is_call(tokens, index)
            and tokens[index + 1].end == _after(tokens, index)
        )


def _tokens(text: str) -> Iterator[_Token]:
    depth = 0
    for found in _TOKEN.finditer(text):
        sort = found.lastgroup or ""
        if found[0].isspace():
            continue
        if sort == "close":
            depth -= 1
        yield _Token(sort, found[0], found.start(), found.end(), depth)
        if sort == "open":
            depth += 1


def _after(tokens: list[_Token], index: int) -> int:
    """Return where the parenthesis ends that follows a name; -1 if something else follows."""
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    return following.end if following is not None and following.text == "(" else -1


def _is_call(tokens: list[_Token], index: int) -> bool:
    """Return whether a name is that of a function, not of a method such as ``.exists(``."""
    is_method = index > 0 and tokens[index - 1].text == "."
    return not is_method and _after(tokens, index) >= 0


def _end_of_argument(tokens: list[_Token], opened: int, length: int) -> int:
    depth = tokens[opened].depth
    for token in tokens[opened + 1 :]:
        if token.sort == "close" and token.depth == depth:
            return token.begin
        if token.text == "," and token.depth == depth + 1:
            return token.begin
    return length


def _split(text: str, top: list[_Token], operator: str) -> list[str]:
    parts, begin = [], 0
    for token in top:
        if token.text == operator and token.sort == "word":
            parts.append(text[begin : token.begin])
            begin = token.end
    return [*parts, text[begin:]]


def _is_enclosed(tokens: list[_Token]) -> bool:
    """Return whether one pair of parentheses is around everything."""
    if not tokens or tokens[0].text != "(" or tokens[-1].text != ")":
        return False
    return not any(token.depth == 0 for token in tokens[1:-1])
