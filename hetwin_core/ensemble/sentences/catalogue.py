"""The catalogue of sentences: one file per group, loaded on first use.

The key ``says`` of a sentence is a text with arguments in braces. A colon introduces the argument's quantity, which
gives the unit: ``{depth:length}``, or a noun that it counts: ``{count:link}``. A float without either is refused;
``{step:number}`` is a number whose unit is another argument. A part in square brackets is omitted if an argument in
it is missing, null, empty or 0; of alternatives separated by bars, the first one with all its arguments is used.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

Piece: TypeAlias = str | int
"""Text, or a simulated time in ns."""

GROUPS = (
    *("verdict", "claim", "coverage", "concern", "event", "state"),
    *("ending", "robot", "thing", "outcome", "future", "explanation", "question"),
)
_FIELD = re.compile(r"\{(\w+)(?::([\w ]+))?\}")
_OPTIONAL = re.compile(r"\[([^\]]*)\]")


class Entry(NamedTuple):
    """A sentence of the catalogue.

    Attributes:
        says: its text, with arguments.
        means: its meaning.
        never: a common misreading.
        example: arguments for the reference page.
    """

    says: str
    means: str
    never: str
    example: Mapping[str, Any]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of its arguments."""
        return tuple(dict.fromkeys(match[1] for match in _FIELD.finditer(self.says)))


@cache
def group(name: str) -> Mapping[str, Entry]:
    """Return the sentences of a group by their names."""
    text = (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    rows = yaml.load(text, loader)
    return {
        key: Entry(row["says"], row["means"], row["not"], row.get("with") or {})
        for key, row in rows.items()
    }


def say(name: str, /, **arguments: Any) -> str:
    """Return a sentence.

    Args:
        name: its group and its name there, e.g. ``concern.fell``.
        arguments: its arguments in SI units; others are ignored.

    Raises:
        KeyError: if there is no such sentence, or an argument is missing.
        TypeError, ValueError: if an argument has the wrong type or value.
    """
    return plain(pieces(name, **arguments))


def pieces(name: str, /, **arguments: Any) -> tuple[Piece, ...]:
    """Return a sentence like `say`, in pieces that keep times as numbers."""
    group_name, _, key = name.partition(".")
    return tuple(_merge_texts(_render(group(group_name)[key].says, arguments)))


def plain(parts: Sequence[Piece]) -> str:
    """Return pieces as text."""
    return "".join(part if isinstance(part, str) else f"{part / 1e9:.2f} s" for part in parts)


def length(metres: float) -> str:
    """A length with a readable unit: in mm below 1 cm, in cm below 1 m."""
    size = abs(metres)
    if size < 0.01:
        return f"{metres * 1e3:.2g} mm"
    return f"{metres * 1e2:.3g} cm" if size < 1.0 else f"{metres:.3g} m"


def listed(parts: Sequence[str | Sequence[Piece]]) -> list[Piece]:
    """Parts as a list in a sentence: ``a, b and c``."""
    pieces: list[Piece] = []
    for i, part in enumerate(parts):
        if i:
            pieces.append(" and " if i == len(parts) - 1 else ", ")
        pieces += [part] if isinstance(part, str) else part
    return pieces


_KINDS: Mapping[str, Callable[[float], str]] = {
    "angle": lambda radians: f"{radians:.2f} rad",
    "degrees": lambda radians: f"{math.degrees(radians):.0f} degrees",
    "force": lambda newtons: f"{newtons:.3g} N",
    "length": length,
    "milliradian": lambda radians: f"{1e3 * radians:.2g} mrad",
    "number": lambda value: f"{value:.4g}",
    "percent": lambda share: f"{share:.0%}",
    "seconds": lambda time: f"{time:.2f} s",
    "simulated": lambda time: f"{time:.6f} s",
    "speed": lambda speed: f"{speed:.3g} m/s",
}


def _render(says: str, arguments: Mapping[str, Any]) -> Iterator[Piece]:
    for i, part in enumerate(_OPTIONAL.split(says)):
        if i % 2 == 0:
            yield from _fill(part, arguments)
            continue
        alternatives = (
            alternative for alternative in part.split("|") if _has_arguments(alternative, arguments)
        )
        yield from _fill(next(alternatives, ""), arguments)


def _has_arguments(part: str, arguments: Mapping[str, Any]) -> bool:
    return all(
        arguments.get(match[1])
        or (match[2] in ("time", "number") and arguments.get(match[1]) is not None)
        for match in _FIELD.finditer(part)
    )


def _fill(part: str, arguments: Mapping[str, Any]) -> Iterator[Piece]:
    words = _FIELD.split(part)
    yield words[0]
    for name, kind, literal in zip(words[1::3], words[2::3], words[3::3], strict=True):
        yield from _format(arguments[name], kind)
        yield literal


def _format(value: Any, kind: str | None) -> Sequence[Piece]:
    if kind is None:
        if isinstance(value, float):
            raise TypeError(f"{value} has no unit")
        return value if isinstance(value, list | tuple) else (str(value),)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    if kind == "time":
        return (int(value),)
    if kind in _KINDS:
        return (_KINDS[kind](float(value)),)
    return (f"{value} {kind}" if value == 1 else f"{value} {kind}s",)


def _merge_texts(parts: Iterator[Piece]) -> Iterator[Piece]:
    """Join neighbouring texts."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        yield part
        text = ""
    if text:
        yield text
