"""The wording of predicates: what the state at the end of a run means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from hetwin_core.ensemble.events import Json

_PREDICATE = re.compile(r"(\w+)\((.*)\)")


class _Phrase(NamedTuple):
    """How a predicate goes on after its first argument: if it holds, if not, and if it holds for no partner.

    What is not known is worded with the first of them: whether it holds is not known.
    """

    holds: str
    fails: str
    alone: str


_PHRASES = {
    "carried": _Phrase("is carried", "is not carried", ""),
    "collision": _Phrase("takes part in collisions", "takes part in no collision", ""),
    "connected": _Phrase("is connected to", "is not connected to", "is connected to nothing"),
    "held": _Phrase("is held by", "is not held by", "is not held"),
    "held_object": _Phrase("holds", "does not hold", "holds nothing"),
    "holding": _Phrase("holds something", "holds nothing", ""),
    "in_container": _Phrase("is in", "is not in", "is in no container"),
    "moved": _Phrase("has moved", "has not moved", ""),
    "on": _Phrase("is on", "is not on", "is on nothing"),
    "range_seen": _Phrase("sees", "does not see", "sees nothing"),
}


def predicate_words(name: str, value: Json) -> str:
    """A predicate in words, e.g. ``box is on tray`` for ``on(box, tray)``; other values as ``name: value``.

    Predicates that hetwin does not know are read as what follows *is*: ``open(door)`` is ``door is open``.
    """
    parts = _parts(name)
    if parts is None or not isinstance(value, bool | None):
        return f"{_spaced(name)}: {_value(value)}"
    attribute, subject, *others = parts
    phrase = _phrase(attribute, bool(others))
    if value is None:
        return f"whether {' '.join([subject, phrase.holds, *others])} is not known"
    return " ".join([subject, phrase.holds if value else phrase.fails, *others])


def predicate_stem(attribute: str, subject: str, *, partner: bool) -> str:
    """What a predicate says of its first argument if it holds, e.g. ``box is on``, ``gripper holds something``.

    Args:
        attribute: the predicate's name.
        subject: its first argument.
        partner: whether a second one follows.
    """
    return f"{subject} {_phrase(attribute, partner).holds}"


def state_words(state: Mapping[str, Json]) -> list[str]:
    """All predicates of a state in words, each thing said once.

    What names a partner (``on(box, tray)``) is said of the partner for which it holds, else once of all. What is
    true of several things alike is said of the first, with the number of the others.
    """
    partners, unknown = _holding(state, True), _holding(state, None)
    said: dict[str, dict[str, None]] = {}
    for name, value in state.items():
        if name.startswith("collision(") and value is True:
            continue  # as any body's
        subject, words = _statement(name, value, partners, unknown)
        said.setdefault(words, {})[subject] = None
    sentences = []
    for words, subjects in said.items():
        more = f" (and {len(subjects) - 1} more)" if len(subjects) > 1 else ""
        sentences.append(f"{next(iter(subjects))} {words}{more}".lstrip())
    return sentences


def _holding(state: Mapping[str, Json], wanted: bool | None) -> dict[tuple[str, str], list[str]]:
    """For each predicate with a partner and its first argument: the partners for which it has a truth value."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, value in state.items():
        parts = _parts(name)
        if parts is not None and len(parts) == 3:
            holding = found.setdefault((parts[0], parts[1]), [])
            holding += [parts[2]] if value is wanted else []
    return found


def _statement(
    name: str,
    value: Json,
    partners: Mapping[tuple[str, str], list[str]],
    unknown: Mapping[tuple[str, str], list[str]],
) -> tuple[str, str]:
    """A subject and the words about it; no subject where the name is no predicate, or the value is not known."""
    parts = _parts(name)
    if parts is None or not isinstance(value, bool | None):
        return "", predicate_words(name, value)
    attribute, subject, *others = parts
    phrase = _phrase(attribute, bool(others))
    holding = partners.get((attribute, subject)) if len(others) == 1 else None
    if holding:
        return subject, f"{phrase.holds} {' and '.join(holding)}"
    if holding is not None and not unknown[attribute, subject]:
        return subject, phrase.alone
    if value is None or holding is not None:
        of = unknown.get((attribute, subject), others) if len(others) == 1 else others
        words = " ".join([subject, phrase.holds, " or ".join(of)]).rstrip()
        return "", f"whether {words} is not known"
    return subject, " ".join([phrase.holds if value else phrase.fails, *others])


def _parts(name: str) -> list[str] | None:
    """The predicate's name and its arguments; None if it is no predicate."""
    match = _PREDICATE.fullmatch(name)
    if match is None or not match[2].strip():
        return None
    return [match[1], *(part.strip() for part in match[2].split(","))]


def _phrase(attribute: str, partner: bool) -> _Phrase:
    known = _PHRASES.get(attribute)
    if known is not None and bool(known.alone) == partner:
        return known
    words = _spaced(attribute)
    return _Phrase(f"is {words}", f"is not {words}", f"is {words} nothing")


def _spaced(name: str) -> str:
    return name.replace("_", " ") if _parts(name) is None else name


def _value(value: Json) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
