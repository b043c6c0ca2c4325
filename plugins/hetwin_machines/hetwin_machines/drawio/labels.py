"""Parse the labels of a drawing: conditions, delayed assignments, table lookups and calls, in the paper's notation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import NamedTuple

from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import FUNCTIONS

_BREAKS = {"br", "div", "p", "li", "tr"}
_OPERATORS_OF_SIGNS = str.maketrans(
    {
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "\N{MINUS SIGN}": "-",
        "·": "*",
        "\N{MULTIPLICATION SIGN}": "*",
        "÷": "/",
        "\u200b": "",
        "∧": "&&",
        "\N{LOGICAL OR}": "||",
        "¬": "!",
        "←": ":=",
        "\xa0": " ",
        "\N{FULLWIDTH EQUALS SIGN}": "=",
        "⁺": "+",
    }
)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\s*(?:\^?\+\s*)?(?::=|=(?!=))\s*(\S.*)\Z", re.DOTALL)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(\s*\)")
_LOOKUP = re.compile(r"\b([A-Za-z_]\w*)\s*\[([^\[\]]*)\]")
_YES = {"yes", "true", "y", "t"}
_NO = {"no", "false", "n", "f"}
_NO_ENTRY = "1 / 0"
"""Value of a lookup beyond the end of a table; its evaluation fails, so that the machine reports a fault."""


class Label(NamedTuple):
    """Parsed label of a wire.

    Attributes:
        answer: which side of a diamond the wire leaves from, yes (True) or no (False); None if the label has neither.
        conditions: expressions that must all be true.
        assignments: signal -> expression for its next value.
    """

    answer: bool | None
    conditions: tuple[str, ...]
    assignments: Mapping[str, str]


class _TextCollector(HTMLParser):
    """Collects the text of HTML, including line breaks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _BREAKS:
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS - {"br"}:
            self.text += "\n"

    def handle_data(self, data: str) -> None:
        self.text += data


def plain_text(label: str, style: Mapping[str, str]) -> str:
    """Return a label as plain text, with mathematical signs replaced by operators; the style tells if it is HTML."""
    text = label
    if style.get("html") == "1":
        reader = _TextCollector()
        reader.feed(label)
        reader.close()
        text = reader.text
    lines = (" ".join(line.split()) for line in text.translate(_OPERATORS_OF_SIGNS).split("\n"))
    return "\n".join(line for line in lines if line)


def label_of(
    text: str, tables: Mapping[str, Sequence[str]], where: str, *, leaves_diamond: bool = False
) -> Label:
    """Parse a plain label, whose lines and parts between semicolons are conditions or assignments.

    Args:
        text: as returned by `plain_text`.
        tables: name of a table -> its entries.
        where: shape and text, for error messages.
        leaves_diamond: whether a leading yes or no is the side of a diamond.

    Raises:
        NetworkError: if a signal is assigned twice or a table is unknown.
    """
    parts = [part.strip() for line in text.split("\n") for part in line.split(";")]
    parts = [part for part in parts if part]
    answer = _answer(parts[0]) if parts and leaves_diamond else None
    conditions: list[str] = []
    assignments: dict[str, str] = {}
    for part in parts if answer is None else parts[1:]:
        assigned = _ASSIGNMENT.match(part)
        if assigned is None:
            conditions.append(expand(part, tables, where))
        elif assigned[1] in assignments:
            raise NetworkError(f"{assigned[1]} is assigned twice", where, part, "one assignment")
        else:
            assignments[assigned[1]] = expand(assigned[2], tables, where)
    return Label(answer, tuple(conditions), assignments)


def _answer(text: str) -> bool | None:
    word = text.lower().strip("[]() ")
    return True if word in _YES else False if word in _NO else None


def expand(text: str, tables: Mapping[str, Sequence[str]], where: str) -> str:
    """Rewrite a label in the expression language: ``f()`` as the signal ``f``, a table lookup as nested choices.

    Raises:
        NetworkError: if a table is unknown.
    """

    def signal_of(call: re.Match[str]) -> str:
        return call[0] if call[1] in FUNCTIONS else call[1]

    def choices_of(lookup: re.Match[str]) -> str:
        entries = tables.get(lookup[1])
        if entries is None:
            expected = f"a note with: table {lookup[1]}: its numbers"
            raise NetworkError(f"there is no table {lookup[1]}", where, lookup[0], expected)
        choice = _NO_ENTRY
        for i, entry in reversed(list(enumerate(entries))):
            choice = f"({lookup[2].strip()}) == {i} ? {entry} : {choice}"
        return f"({choice})"

    text = _CALL.sub(signal_of, text)
    while (found := _LOOKUP.sub(choices_of, text)) != text:
        text = found
    return text
