"""What the labels of a drawing say: conditions, delayed assignments, tables and calls, as the paper writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import NamedTuple

from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import FUNCTIONS

_BREAKS = {"br", "div", "p", "li", "tr"}
_SIGNS = str.maketrans(
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
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*(?:\^?\+\s*)?(?::=|=(?!=))\s*(\S.*)\Z", re.DOTALL)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(\s*\)")
_LOOKUP = re.compile(r"\b([A-Za-z_]\w*)\s*\[([^\[\]]*)\]")
_YES = {"yes", "true", "y", "t"}
_NO = {"no", "false", "n", "f"}
_NOTHING = "1 / 0"
"""Beyond a table there is no value, so that the machine gets into a fault."""


class Label(NamedTuple):
    """What stands beside a wire.

    Attributes:
        side: of the diamond it leaves, yes or no; None if it says neither.
        conditions: that must all hold.
        assignments: signal -> its next value.
    """

    side: bool | None
    conditions: tuple[str, ...]
    assignments: Mapping[str, str]


class _Plain(HTMLParser):
    """Collects the text of HTML, with its line breaks; a raised plus is the paper's sign of a delayed assignment."""

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


def plain(label: str, style: Mapping[str, str]) -> str:
    """Return the text of a label, which is HTML where its style says so."""
    text = label
    if style.get("html") == "1":
        reader = _Plain()
        reader.feed(label)
        reader.close()
        text = reader.text
    lines = (" ".join(line.split()) for line in text.translate(_SIGNS).split("\n"))
    return "\n".join(line for line in lines if line)


def label_of(
    text: str, tables: Mapping[str, Sequence[str]], where: str, *, leaves_diamond: bool = False
) -> Label:
    """Return what a plain label says: a line or what stands between semicolons is a condition or an assignment.

    Args:
        text: as `plain` returns it.
        tables: name -> its entries.
        where: shape and text, for errors.
        leaves_diamond: whether yes and no in front mean the sides of a diamond.

    Raises:
        NetworkError: if a signal is assigned twice, or a table is not known.
    """
    parts = [part.strip() for line in text.split("\n") for part in line.split(";")]
    parts = [part for part in parts if part]
    side = _side(parts[0]) if parts and leaves_diamond else None
    conditions: list[str] = []
    assignments: dict[str, str] = {}
    for part in parts if side is None else parts[1:]:
        assigned = _ASSIGNED.match(part)
        if assigned is None:
            conditions.append(expanded(part, tables, where))
        elif assigned[1] in assignments:
            raise NetworkError(f"{assigned[1]} is assigned twice", where, part, "one assignment")
        else:
            assignments[assigned[1]] = expanded(assigned[2], tables, where)
    return Label(side, tuple(conditions), assignments)


def _side(text: str) -> bool | None:
    word = text.lower().strip("[]() ")
    return True if word in _YES else False if word in _NO else None


def expanded(text: str, tables: Mapping[str, Sequence[str]], where: str) -> str:
    """Return an expression of the closed language: calls without arguments are signals, tables are choices.

    Raises:
        NetworkError: if a table is not known.
    """

    def called(call: re.Match[str]) -> str:
        return call[0] if call[1] in FUNCTIONS else call[1]

    def looked_up(lookup: re.Match[str]) -> str:
        entries = tables.get(lookup[1])
        if entries is None:
            expected = f"a note with: table {lookup[1]}: its numbers"
            raise NetworkError(f"there is no table {lookup[1]}", where, lookup[0], expected)
        choice = _NOTHING
        for i, entry in reversed(list(enumerate(entries))):
            choice = f"({lookup[2].strip()}) == {i} ? {entry} : {choice}"
        return f"({choice})"

    text = _CALL.sub(called, text)
    while (found := _LOOKUP.sub(looked_up, text)) != text:
        text = found
    return text
