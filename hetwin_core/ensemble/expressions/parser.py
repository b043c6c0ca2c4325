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
    MacroCall,
    Member,
    Name,
    Node,
    Part,
    Unary,
    depth_of,
)

MAX_NESTING = 60
"""Maximum depth of nested brackets and choices, and maximum number of signs before a value."""
_MAX_TREE_DEPTH = 200
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
    """The text is not an expression; the message contains the problem and its position."""


@lru_cache(4096)
def parse(text: str) -> Node:
    """Return the syntax tree of an expression.

    Raises:
        ExpressionSyntaxError: if the text is not an expression.
    """
    return _Parser(text).parse_all()


class _Token(NamedTuple):
    kind: str
    text: str
    begin: int
    end: int


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._position = 0
        self._depth = 0

    def parse_all(self) -> Node:
        node = self._choice()
        if self._next.text:
            raise self._error(f"{self._next.text!r} is not allowed here")
        if depth_of(node) > _MAX_TREE_DEPTH:
            raise self._error(f"it is nested deeper than {_MAX_TREE_DEPTH}")
        return node

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        index = 0
        while index < len(self._text):
            found = _TOKEN.match(self._text, index)
            if found is None:
                unknown = self._text[index:].split()[0]
                raise ExpressionSyntaxError(
                    f"{unknown!r} is not part of the language{self._location(index)}"
                )
            if found.lastgroup != "space":
                tokens.append(_Token(found.lastgroup or "", found[0], index, found.end()))
            index = found.end()
        return [*tokens, _Token("end", "", index, index)]

    @property
    def _next(self) -> _Token:
        return self._tokens[self._position]

    def _accept(self, *signs: str) -> str | None:
        """Consume the next token if it is one of these signs, and return it."""
        token = self._next
        if token.kind == "sign" and token.text in signs:
            self._position += 1
            return token.text
        return None

    def _expect(self, *signs: str) -> str:
        return self._accept(*signs) or self._missing(" or ".join(map(repr, signs)))

    def _missing(self, expected: str) -> NoReturn:
        following = repr(self._next.text) if self._next.text else "the end"
        raise self._error(f"{expected} is missing before {following}")

    def _node(self, kind: Callable[..., _T], begin: int, *parts: object) -> _T:
        """Make a node that ends with the last consumed token."""
        return kind(*parts, begin=begin, end=self._tokens[self._position - 1].end)

    def _error(self, problem: str) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(f"{problem}{self._location(self._next.begin)}")

    def _location(self, index: int) -> str:
        lines = self._text[:index].split("\n")
        line = f"line {len(lines)}, " if "\n" in self._text else ""
        return f" ({line}column {len(lines[-1]) + 1})"

    # ------------------------------------------------------------------ in order of increasing precedence

    def _choice(self) -> Node:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._error(f"it is nested deeper than {MAX_NESTING}")
        begin, node = self._next.begin, self._binary(0)
        if self._accept("?"):
            yes = self._binary(0)
            self._expect(":")
            node = self._node(Choice, begin, node, yes, self._choice())
        self._depth -= 1
        return node

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        begin, node = self._next.begin, self._binary(level + 1)
        while sign := self._accept(*_LEVELS[level]):
            node = self._node(Binary, begin, sign, node, self._binary(level + 1))
        return node

    def _unary(self) -> Node:
        first = self._position
        while sign := self._accept("!", "-"):
            if sign != self._tokens[first].text:
                raise self._error("'!' and '-' cannot follow each other")
        signs = self._tokens[first : self._position]
        if len(signs) > MAX_NESTING:
            raise self._error(f"it is nested deeper than {MAX_NESTING}")
        is_negative = bool(signs) and signs[0].text == "-" and self._next.kind == "number"
        node = self._literal(signs.pop()) if is_negative else self._primary()
        node = self._postfix(node)
        for token in reversed(signs):
            node = self._node(Unary, token.begin, token.text, node)
        return node

    def _postfix(self, node: Node) -> Node:
        """Parse the fields, methods and indices after an operand."""
        begin = node.begin
        while sign := self._accept(".", "["):
            if sign == ".":
                node = self._selector(begin, node)
            else:
                index = self._choice()
                self._expect("]")
                node = self._node(Binary, begin, "[]", node, index)
        return node

    def _selector(self, begin: int, of: Node) -> Node:
        name = self._next.text
        if self._next.kind != "name":
            self._missing("a field or a method")
        self._position += 1
        if not self._accept("("):
            return self._node(Member, begin, of, name)
        arguments = self._list(")")
        match arguments:
            case (Name(variable), *each) if len(each) in _LOOPS.get(name, ()):
                return self._node(MacroCall, begin, of, name, variable, tuple(each))
        return self._node(Call, begin, name, arguments, of)

    # ------------------------------------------------------------------ primary expressions

    def _primary(self) -> Node:
        token = self._next
        if token.kind in ("number", "value"):
            return self._literal(token)
        if token.kind == "name":
            self._position += 1
            if self._accept("("):
                return self._node(Call, token.begin, token.text, self._list(")"))
            return self._node(Name, token.begin, token.text)
        match self._accept("(", "[", "{"):
            case "(":
                node = self._choice()
                self._expect(")")
                return replace(node, begin=token.begin, end=self._tokens[self._position - 1].end)
            case "[":
                return self._node(Items, token.begin, self._list("]"))
            case "{":
                return self._node(Entries, token.begin, self._entries())
        return self._missing("a value")

    def _literal(self, first: _Token) -> Literal:
        """Parse the next literal, which may begin with a sign; the library computes its value."""
        text = self._text[first.begin : self._next.end]
        try:
            value = cel.compile(text).execute({})
        except ValueError:
            raise self._error(f"{text} is too large, or not a value") from None
        self._position += 1
        return self._node(Literal, first.begin, value)

    def _list(self, closing: str) -> tuple[Node, ...]:
        """Parse expressions separated by commas, up to a closing bracket."""
        nodes: list[Node] = []
        sign = self._accept(closing)
        while sign != closing:
            nodes.append(self._choice())
            sign = self._expect(",", closing)
            if (sign, closing) == (",", "]"):
                sign = self._accept(closing)
        return tuple(nodes)

    def _entries(self) -> tuple[tuple[Node, Node], ...]:
        entries: list[tuple[Node, Node]] = []
        sign = self._accept("}")
        while sign != "}":
            key = self._choice()
            self._expect(":")
            entries.append((key, self._choice()))
            if (sign := self._expect(",", "}")) == ",":
                sign = self._accept("}")
        return tuple(entries)
