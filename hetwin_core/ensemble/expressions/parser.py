"""Parses expressions of CEL, the Common Expression Language, without its messages and unsigned numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, NoReturn, TypeVar

from hetwin_core.ensemble.expressions.language import cel
from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Items,
    Literal,
    Loop,
    Member,
    Name,
    Node,
    Part,
    Unary,
    depth_of,
)

DEEPEST = 60
"""Maximum depth of nested brackets and choices, and maximum number of signs before a value."""
_DEEPEST = 200
"""Maximum depth of the syntax tree, in which a long conjunction is deep without any brackets."""
_LOOPS = {"all": (1,), "exists": (1,), "exists_one": (1,), "filter": (1,), "map": (1, 2)}
"""Macros, and the possible numbers of expressions after the variable of each."""
_QUOTED = r"\"\"\"{0}*?\"\"\"|'''{0}*?'''|\"{1}*\"|'{2}*'"
_RAW = _QUOTED.format(r"[\s\S]", r"[^\"\r\n]", r"[^'\r\n]")
_PLAIN = _QUOTED.format(r"(?:\\.|[^\\])", r"(?:\\.|[^\"\\\r\n])", r"(?:\\.|[^'\\\r\n])")
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f]+|//[^\n]*)"
    r"|(?P<number>(?:(?:\d+\.\d+|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|0x[\da-fA-F]+|\d+)(?!\w))"
    rf"|(?P<value>[bB]?[rR](?:{_RAW})|[bB]?(?:{_PLAIN})|(?:true|false|null)(?!\w))"
    r"|(?P<sign>&&|\|\||<=|>=|==|!=|[-+*/%<>!?:(),.\[\]{}]|in(?!\w))"
    r"|(?P<name>[A-Za-z_]\w*)",
    re.ASCII,
)
_LEVELS = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!=", "in"), ("+", "-"), ("*", "/", "%"))
"""Binary operators in order of increasing precedence."""
_T = TypeVar("_T", bound=Part)


class ExpressionSyntaxError(ValueError):
    """A text is no expression; the error has the problem and its position."""


@lru_cache(4096)
def parse(text: str) -> Node:
    """Return the syntax tree of an expression.

    Raises:
        WrongSyntax: if the text is no expression.
    """
    return _Parser(text).whole()


class _Token(NamedTuple):
    kind: str
    text: str
    begin: int
    end: int


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._choice()
        if self._next.text:
            raise self._error(f"{self._next.text!r} is not allowed here")
        if depth_of(node) > _DEEPEST:
            raise self._error(f"it is nested deeper than {_DEEPEST}")
        return node

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None:
                strange = self._text[at:].split()[0]
                raise ExpressionSyntaxError(
                    f"{strange!r} is not part of the language{self._place(at)}"
                )
            if found.lastgroup != "space":
                tokens.append(_Token(found.lastgroup or "", found[0], at, found.end()))
            at = found.end()
        return [*tokens, _Token("end", "", at, at)]

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *signs: str) -> str | None:
        """Consume the next token if it is one of these signs, and return it."""
        token = self._next
        if token.kind == "sign" and token.text in signs:
            self._at += 1
            return token.text
        return None

    def _need(self, *signs: str) -> str:
        return self._take(*signs) or self._missing(" or ".join(map(repr, signs)))

    def _missing(self, what: str) -> NoReturn:
        before = repr(self._next.text) if self._next.text else "the end"
        raise self._error(f"{what} is missing before {before}")

    def _made(self, kind: Callable[..., _T], begin: int, *parts: object) -> _T:
        """Make a node that ends with the last consumed token."""
        return kind(*parts, begin=begin, end=self._tokens[self._at - 1].end)

    def _error(self, problem: str) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(f"{problem}{self._place(self._next.begin)}")

    def _place(self, at: int) -> str:
        lines = self._text[:at].split("\n")
        line = f"line {len(lines)}, " if "\n" in self._text else ""
        return f" ({line}column {len(lines[-1]) + 1})"

    # ------------------------------------------------------------------ in order of increasing precedence

    def _choice(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._error(f"it is nested deeper than {DEEPEST}")
        begin, node = self._next.begin, self._level(0)
        if self._take("?"):
            yes = self._level(0)
            self._need(":")
            node = self._made(Choice, begin, node, yes, self._choice())
        self._depth -= 1
        return node

    def _level(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._signed()
        begin, node = self._next.begin, self._level(level + 1)
        while sign := self._take(*_LEVELS[level]):
            node = self._made(Binary, begin, sign, node, self._level(level + 1))
        return node

    def _signed(self) -> Node:
        first = self._at
        while sign := self._take("!", "-"):
            if sign != self._tokens[first].text:
                raise self._error("'!' and '-' cannot follow each other")
        signs = self._tokens[first : self._at]
        if len(signs) > DEEPEST:
            raise self._error(f"it is nested deeper than {DEEPEST}")
        is_negative = bool(signs) and signs[0].text == "-" and self._next.kind == "number"
        node = self._literal(signs.pop()) if is_negative else self._primary()
        node = self._followed(node)
        for token in reversed(signs):
            node = self._made(Unary, token.begin, token.text, node)
        return node

    def _followed(self, node: Node) -> Node:
        """Parse the fields, methods and indices after an operand."""
        begin = node.begin
        while sign := self._take(".", "["):
            if sign == ".":
                node = self._selected(begin, node)
            else:
                at = self._choice()
                self._need("]")
                node = self._made(Binary, begin, "[]", node, at)
        return node

    def _selected(self, begin: int, of: Node) -> Node:
        name = self._next.text
        if self._next.kind != "name":
            self._missing("a field or a method")
        self._at += 1
        if not self._take("("):
            return self._made(Member, begin, of, name)
        arguments = self._list(")")
        match arguments:
            case (Name(variable), *each) if len(each) in _LOOPS.get(name, ()):
                return self._made(Loop, begin, of, name, variable, tuple(each))
        return self._made(Call, begin, name, arguments, of)

    # ------------------------------------------------------------------ primary expressions

    def _primary(self) -> Node:
        token = self._next
        if token.kind in ("number", "value"):
            return self._literal(token)
        if token.kind == "name":
            self._at += 1
            if self._take("("):
                return self._made(Call, token.begin, token.text, self._list(")"))
            return self._made(Name, token.begin, token.text)
        match self._take("(", "[", "{"):
            case "(":
                node = self._choice()
                self._need(")")
                return replace(node, begin=token.begin, end=self._tokens[self._at - 1].end)
            case "[":
                return self._made(Items, token.begin, self._list("]"))
            case "{":
                return self._made(Entries, token.begin, self._entries())
        return self._missing("a value")

    def _literal(self, first: _Token) -> Literal:
        """Parse the next literal, which may begin with a sign; the library computes its value."""
        text = self._text[first.begin : self._next.end]
        try:
            value = cel.compile(text).execute({})
        except ValueError:
            raise self._error(f"{text} is too large, or no value") from None
        self._at += 1
        return self._made(Literal, first.begin, value)

    def _list(self, closing: str) -> tuple[Node, ...]:
        """Parse expressions separated by commas, up to a closing bracket."""
        found: list[Node] = []
        sign = self._take(closing)
        while sign != closing:
            found.append(self._choice())
            sign = self._need(",", closing)
            if (sign, closing) == (",", "]"):
                sign = self._take(closing)
        return tuple(found)

    def _entries(self) -> tuple[tuple[Node, Node], ...]:
        found: list[tuple[Node, Node]] = []
        sign = self._take("}")
        while sign != "}":
            key = self._choice()
            self._need(":")
            found.append((key, self._choice()))
            if (sign := self._need(",", "}")) == ",":
                sign = self._take("}")
        return tuple(found)
