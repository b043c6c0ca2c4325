"""Reads expressions: the part of CEL (Common Expression Language) that is about numbers and truths."""

from __future__ import annotations

import re
from typing import NamedTuple

from hetwin_core.machines.errors import NetworkError
from hetwin_core.machines.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Literal,
    Node,
    Signal,
    Unary,
    depth_of,
)

FUNCTIONS = {"min": (2, 9), "max": (2, 9), "abs": (1, 1)}
"""Functions, with the fewest and the most arguments that each takes."""
EXPECTED = "an expression of signals, numbers and truths, such as n > 0 && !busy"
LARGEST = 2**63 - 1
DEEPEST = 60
"""Brackets, choices and signs may be nested so deep; each sign of a sum or a conjunction counts."""

_TOKEN = re.compile(
    r"\s*(?:(?P<real>(?:\d+\.\d+|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.])"
    r"|(?P<whole>0[xX][0-9a-fA-F]+|\d+)(?![\w.])"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>&&|\|\||<=|>=|==|!=|[-+*/%<>!?:(),]))"
)
_LEVELS = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/", "%"))
"""Signs between two things, those that bind least first."""
_END = "the end"


class _Token(NamedTuple):
    kind: str
    text: str


def parse(text: str, where: str = "") -> Node:
    """Return an expression.

    Args:
        text: as it stands in the file.
        where: machine, state and key, for errors.

    Raises:
        NetworkError: if it is none, or more than the closed language has.
    """
    return _Parser(text, where).whole()


class _Parser:
    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._tokens = self._split()
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._choice()
        if self._next.kind != _END:
            raise self._error(f"{self._next.text!r} cannot stand here")
        if depth_of(node) > DEEPEST:
            raise self._error(f"it is nested deeper than {DEEPEST}")
        return node

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        at, end = 0, len(self._text.rstrip())
        while at < end:
            found = _TOKEN.match(self._text, at)
            if found is None:
                raise self._error(f"{self._text[at:].split()[0]!r} is not part of the language")
            kind = found.lastgroup or ""
            tokens.append(_Token(kind, found.group(kind)))
            at = found.end()
        return [*tokens, _Token(_END, _END)]

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *signs: str) -> str | None:
        """The next sign, if it is one of these."""
        token = self._next
        if token.kind == "sign" and token.text in signs:
            self._at += 1
            return token.text
        return None

    def _need(self, sign: str) -> None:
        if self._take(sign) is None:
            raise self._error(f"{sign!r} is missing before {self._next.text!r}")

    def _choice(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._error(f"it is nested deeper than {DEEPEST}")
        node = self._level(0)
        if self._take("?"):
            yes = self._level(0)
            self._need(":")
            node = Choice(node, yes, self._choice())
        self._depth -= 1
        return node

    def _level(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._level(level + 1)
        while sign := self._take(*_LEVELS[level]):
            node = Binary(sign, node, self._level(level + 1))
        return node

    def _unary(self) -> Node:
        signs: list[str] = []
        while sign := self._take("!", "-"):
            if signs and signs[-1] != sign:
                raise self._error("'!' and '-' cannot follow each other")
            signs.append(sign)
        if len(signs) > DEEPEST:
            raise self._error(f"it is nested deeper than {DEEPEST}")
        if signs and signs[-1] == "-" and self._next.kind in ("whole", "real"):
            signs.pop()
            node: Node = self._number("-")
        else:
            node = self._primary()
        for sign in reversed(signs):
            node = Unary(sign, node)
        return node

    def _primary(self) -> Node:
        token = self._next
        if token.kind in ("whole", "real"):
            return self._number("")
        if token.kind == "name":
            self._at += 1
            if token.text in ("true", "false"):
                return Literal(token.text == "true")
            return self._call(token.text) if self._take("(") else Signal(token.text)
        if self._take("("):
            node = self._choice()
            self._need(")")
            return node
        raise self._error(f"a signal, a number or a truth is missing before {token.text!r}")

    def _number(self, sign: str) -> Literal:
        token = self._next
        self._at += 1
        if token.kind == "real":
            real = float(sign + token.text)
            if real - real != 0:
                raise self._error("a real number must be finite")
            return Literal(real)
        value = int(sign + token.text, 0 if token.text[:2].lower() == "0x" else 10)
        if not -LARGEST - 1 <= value <= LARGEST:
            raise self._error("a whole number must fit into 64 bits")
        return Literal(value)

    def _call(self, name: str) -> Node:
        if name not in FUNCTIONS:
            raise self._error(f"there is no function {name}")
        arguments = [self._choice()]
        while self._take(","):
            arguments.append(self._choice())
        self._need(")")
        fewest, most = FUNCTIONS[name]
        if not fewest <= len(arguments) <= most:
            wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise self._error(f"{name} takes {wanted} arguments")
        return Call(name, tuple(arguments))

    def _error(self, problem: str) -> NetworkError:
        return NetworkError(
            f"the expression is wrong: {problem}", self._where, self._text, EXPECTED
        )
