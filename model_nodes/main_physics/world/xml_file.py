"""XML files as trees of elements with line numbers, read without expanding entities."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_bytes

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 200
_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)


@dataclass(slots=True)
class Element:
    """An element of an XML file."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: Path
    text: str = ""
    children: list[Element] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Line and element, for error messages."""
        name = self.attributes.get("name")
        return f"line {self.line}, <{self.tag}{f' name={name!r}' if name else ''}>"

    def bad(self, problem: str, found: object = None, expected: str | None = None) -> BadInput:
        """Return an error about this element."""
        return BadInput(problem, file=self.file, where=self.where, found=found, expected=expected)

    def all(self, *tags: str) -> Iterator[Element]:
        """Iterate over the children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def child(self, tag: str) -> Element | None:
        """Return the first child with this tag, or None."""
        return next(self.all(tag), None)

    def need(self, tag: str) -> Element:
        """Return the first child with this tag, which must exist.

        Raises:
            BadInput: if there is none.
        """
        found = self.child(tag)
        if found is None:
            raise self.bad(f"<{tag}> is missing", expected=f"a <{tag}> inside")
        return found

    def need_attribute(self, name: str) -> str:
        """Return an attribute, which must exist and not be empty.

        Raises:
            BadInput: if it is missing or empty.
        """
        value = self.attributes.get(name, "").strip()
        if not value:
            raise self.bad(f"attribute {name} is missing", expected=f'{name}="..."')
        return value

    def required_text(self, expected: str) -> str:
        """Return the text, which must not be empty."""
        text = self.text.strip()
        if not text:
            raise self.bad("is empty", expected=expected)
        return text

    def numbers(
        self, count: int, text: str | None = None, minimum: float = -math.inf
    ) -> list[float]:
        """Read `count` finite numbers from the element's text, or from `text`, for example an attribute.

        Raises:
            BadInput: if the count is wrong, a number is not finite, or a number is below `minimum`.
        """
        source = self.text if text is None else text
        expected = "one number" if count == 1 else f"{count} numbers"
        try:
            values = [float(word) for word in source.split()]
        except ValueError:
            raise self.bad("is not made of numbers", source.strip(), expected) from None
        if len(values) != count:
            raise self.bad(f"has {len(values)} numbers", source.strip(), expected)
        if not all(math.isfinite(value) for value in values):
            raise self.bad("has a number that is not finite", source.strip(), expected)
        if min(values) < minimum:
            raise self.bad("is too small", source.strip(), f"at least {minimum:g}")
        return values

    def number_in(self, tag: str, default: float, minimum: float = -math.inf) -> float:
        """Return the number in the child `tag`, or `default` if there is no such child."""
        found = self.child(tag)
        return default if found is None else found.numbers(1, minimum=minimum)[0]

    def number_attribute(self, name: str, default: float) -> float:
        """Return the number in an attribute, or `default` if there is none."""
        text = self.attributes.get(name)
        return default if text is None else self.numbers(1, text)[0]


def read_bool(element: Element) -> bool:
    """Read the text as true or false, or 1 or 0.

    Raises:
        BadInput: if it is none of these.
    """
    text = element.text.strip().lower()
    if text in ("true", "1"):
        return True
    if text in ("false", "0"):
        return False
    raise element.bad("is neither true nor false", element.text.strip(), "true or false")


class _Reader:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.root: Element | None = None
        self._stack: list[Element] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._entity

    def read(self, data: bytes) -> Element:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            where = f"line {error.lineno}, column {error.offset}"
            raise BadInput(
                f"is not well-formed XML: {reason}",
                file=self.file,
                where=where,
                expected="an XML file",
            ) from None
        if self.root is None:
            raise BadInput("contains no element", file=self.file, expected="an XML file")
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self._parser.CurrentLineNumber, self.file)
        if len(self._stack) >= MAX_DEPTH:
            raise element.bad(f"is nested deeper than {MAX_DEPTH} elements")
        if self._stack:
            self._stack[-1].children.append(element)
        else:
            self.root = element
        self._stack.append(element)

    def _end(self, tag: str) -> None:
        self._stack.pop()

    def _text(self, text: str) -> None:
        if self._stack:
            self._stack[-1].text += text

    def _entity(self, name: str, *_: object) -> None:
        raise BadInput(
            f"declares the entity {name!r}",
            file=self.file,
            where=f"line {self._parser.CurrentLineNumber}",
            expected="XML without entity declarations",
        )


def as_text(element: Element) -> str:
    """Write an element with all its content as XML."""
    from xml.sax.saxutils import escape, quoteattr  # a slow import

    attributes = "".join(
        f" {name}={quoteattr(value)}" for name, value in element.attributes.items()
    )
    inside = escape(element.text.strip()) + "".join(map(as_text, element.children))
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>\n"


def read_xml(file: Path) -> Element:
    """Read the root element of an XML file.

    Raises:
        BadInput: if the file cannot be read, is too large, not well-formed, or declares entities.
    """
    try:
        data = read_bytes(file, MAX_BYTES)
    except OSError as error:
        raise BadInput(
            f"cannot be read: {error.strerror}", file=file, expected="an XML file"
        ) from None
    return parse_xml(data, file)


def parse_xml(data: bytes, file: Path) -> Element:
    """Read the root element from XML data; `file` is only used in errors.

    Raises:
        BadInput: if it is not well-formed, or declares entities.
    """
    return _Reader(file).read(_COMMENT.sub(_without_hyphens, data))


def _without_hyphens(comment: re.Match[bytes]) -> bytes:
    """Blank the hyphens in a comment: XML forbids two in a row, but Gazebo's parser accepts them."""
    return b"<!--" + comment[1].replace(b"-", b" ") + b"-->"
