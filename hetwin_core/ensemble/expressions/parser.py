"""Reads expressions: CEL, the Common Expression Language, without its messages and its optional values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from hetwin_core.ensemble.expressions.literals import number, quoted
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
    Part,
    Unary,
    depth_of,
)

RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)
"""Names that no variable and no function can have."""
DEEPEST = 60
"""Brackets, choices and signs may be nested so deep."""
_LONGEST = 200
"""... with the signs that follow each other, as of a long conjunction."""
_CONSTANTS = {"true": True, "false": False, "null": None}
_MACROS = {"all": (2,), "exists": (2,), "exists_one": (2,), "filter": (2,), "map": (2, 3)}
_STRINGS = r"\"\"\"{0}*?\"\"\"|'''{0}*?'''|\"{1}*\"|'{2}*'"
_RAW = _STRINGS.format(r"[\s\S]", r"[^\"\r\n]", r"[^'\r\n]")
_PLAIN = _STRINGS.format(
    r"(?:\\[\s\S]|[^\\])", r"(?:\\[\s\S]|[^\"\\\r\n])", r"(?:\\[\s\S]|[^'\\\r\n])"
)
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f]+|//[^\n]*)"
    rf"|(?P<text>[bB]?[rR](?:{_RAW})|[bB]?(?:{_PLAIN}))"
    r"|(?P<number>(?:\d+\.\d+|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|\d+[eE][-+]?\d+(?!\w)|(?:0x[\da-fA-F]+|\d+)[uU]?(?!\w))"
    r"|(?P<sign>&&|\|\||<=|>=|==|!=|[-+*/%<>!?:(),.\[\]{}]|in(?!\w))"
    r"|(?P<name>[A-Za-z_]\w*)",
    re.ASCII,
)
_LEVELS = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!=", "in"), ("+", "-"), ("*", "/", "%"))
"""Signs between two things, those that bind least first."""
_END = "the end"
_T = TypeVar("_T", bound=Part)


class WrongSyntax(ValueError):
    """A text is no expression; the error says what is wrong, and where it is."""


@lru_cache(4096)
def parse(text: str) -> Node:
    """Return an expression.

    Raises:
        WrongSyntax: if it is none.
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
        if self._next.kind != _END:
            raise self._error(f"{self._next.text!r} cannot stand here")
        if depth_of(node) > _LONGEST:
            raise self._error(f"it is nested deeper than {_LONGEST}")
        return node

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None:
                strange = self._text[at:].split()[0]
                raise WrongSyntax(f"{strange!r} is not part of the language{self._place(at)}")
            if found.lastgroup != "space":
                tokens.append(_Token(found.lastgroup or "", found[0], at, found.end()))
            at = found.end()
        return [*tokens, _Token(_END, _END, at, at)]

    # ------------------------------------------------------------------ tokens

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
            raise self._error(f"{sign!r} is missing before {self._next_in_words()}")

    def _next_in_words(self) -> str:
        return _END if self._next.kind == _END else repr(self._next.text)

    def _made(self, kind: Callable[..., _T], begin: int, *parts: object) -> _T:
        """A node that ends with the last token that was taken."""
        return kind(*parts, begin=begin, end=self._tokens[self._at - 1].end)

    def _error(self, problem: str) -> WrongSyntax:
        return WrongSyntax(f"{problem}{self._place(self._next.begin)}")

    def _place(self, at: int) -> str:
        before = self._text[:at]
        line, column = before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1
        return f" (line {line}, column {column})" if "\n" in self._text else f" (column {column})"

    # ------------------------------------------------------------------ what binds least comes first

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
        signs: list[tuple[str, int]] = []
        while sign := self._take("!", "-"):
            if signs and signs[-1][0] != sign:
                raise self._error("'!' and '-' cannot follow each other")
            signs.append((sign, self._tokens[self._at - 1].begin))
        if len(signs) > DEEPEST:
            raise self._error(f"it is nested deeper than {DEEPEST}")
        is_negative = bool(signs) and signs[-1][0] == "-" and self._next.kind == "number"
        node = self._after(self._number(signs.pop()[1]) if is_negative else self._primary())
        for sign, begin in reversed(signs):
            node = self._made(Unary, begin, sign, node)
        return node

    def _after(self, node: Node) -> Node:
        """What a field, a method or an index follows."""
        begin = node.begin
        while sign := self._take(".", "["):
            if sign == ".":
                node = self._selected(begin, node)
            else:
                at = self._choice()
                self._need("]")
                node = self._made(Index, begin, node, at)
        return node

    def _selected(self, begin: int, of: Node) -> Node:
        name = self._name("a field or a method")
        if not self._take("("):
            return self._made(Member, begin, of, name)
        arguments = self._list(")")
        if len(arguments) not in _MACROS.get(name, ()):
            return self._made(Method, begin, of, name, arguments)
        variable, *each = arguments
        if not isinstance(variable, Name):
            raise self._error(f"the first argument of {name} must be the name of a variable")
        return self._made(Loop, begin, of, name, variable.name, tuple(each))

    def _name(self, what: str) -> str:
        token = self._next
        if token.kind != "name" or token.text in _CONSTANTS:
            raise self._error(f"{what} is missing before {self._next_in_words()}")
        self._at += 1
        return token.text

    # ------------------------------------------------------------------ what stands alone

    def _primary(self) -> Node:
        token = self._next
        match token.kind:
            case "number":
                return self._number(token.begin)
            case "text":
                return self._literal(token.begin, quoted, token.text)
            case "name":
                return self._named()
        if self._take("("):
            node = self._choice()
            self._need(")")
            return replace(node, begin=token.begin, end=self._tokens[self._at - 1].end)
        if self._take("["):
            return self._made(Items, token.begin, self._list("]", may_end=True))
        if self._take("{"):
            return self._made(Entries, token.begin, self._entries())
        raise self._error(f"a value is missing before {self._next_in_words()}")

    def _named(self) -> Node:
        token = self._next
        if token.text in _CONSTANTS:
            self._at += 1
            return self._made(Literal, token.begin, _CONSTANTS[token.text])
        if token.text in RESERVED:
            raise self._error(f"{token.text} is a reserved name")
        self._at += 1
        if not self._take("("):
            return self._made(Name, token.begin, token.text)
        arguments = self._list(")")
        if token.text == "has" and len(arguments) == 1 and not isinstance(arguments[0], Member):
            raise self._error("has takes a field, such as has(event.object)")
        return self._made(Call, token.begin, token.text, arguments)

    def _number(self, begin: int) -> Literal:
        sign = "-" if begin < self._next.begin else ""
        return self._literal(begin, number, sign + self._next.text)

    def _literal(self, begin: int, read: Callable[[str], object], text: str) -> Literal:
        try:
            value = read(text)
        except ValueError as error:
            raise self._error(str(error)) from None
        self._at += 1
        return self._made(Literal, begin, value)

    def _list(self, closing: str, *, may_end: bool = False) -> tuple[Node, ...]:
        """Expressions with commas between them, up to a bracket."""
        found: list[Node] = []
        if self._take(closing):
            return ()
        while True:
            found.append(self._choice())
            if not self._take(","):
                break
            if may_end and self._take(closing):
                return tuple(found)
        self._need(closing)
        return tuple(found)

    def _entries(self) -> tuple[tuple[Node, Node], ...]:
        found: list[tuple[Node, Node]] = []
        while not self._take("}"):
            key = self._choice()
            self._need(":")
            found.append((key, self._choice()))
            if not self._take(","):
                self._need("}")
                break
        return tuple(found)
