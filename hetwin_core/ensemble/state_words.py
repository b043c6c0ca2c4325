"""Predicates in words, e.g. the state at the end of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.sentences.catalogue import group, say

_PREDICATE = re.compile(r"(\w+)\((.*)\)")


def predicate_words(name: str, value: Json) -> str:
    """A predicate in words, e.g. ``box is on tray`` for ``on(box, tray)``; other values as ``name: value``.

    The name of an unknown predicate is put after *is*: ``open(door)`` becomes ``door is open``.
    """
    parts = _parts(name)
    if parts is None or not isinstance(value, bool | None):
        return f"{_spaced(name)}: {_value(value)}"
    attribute, subject, *arguments = parts
    if value is None:
        return say(
            "state.unknown", statement=_predicate_text(attribute, subject, " ".join(arguments))
        )
    return _predicate_text(attribute, subject, " ".join(arguments), holds=value)


def predicate_stem(attribute: str, subject: str, *, partner: bool) -> str:
    """A true predicate as a statement about its first argument, e.g. ``box is on``, ``gripper holds something``.

    Args:
        attribute: the predicate's name.
        subject: its first argument.
        partner: whether a second argument follows.
    """
    return _predicate_text(attribute, subject, "\0" if partner else "").removesuffix("\0").rstrip()


def state_words(state: Mapping[str, Json]) -> list[str]:
    """All predicates of a state in words, each fact once.

    Predicates with a partner (``on(box, tray)``) are combined into one statement, about the partner for which they
    hold if there is one. A statement about several entities names the first, and the number of the others.
    """
    partners, unknown = _partners(state, True), _partners(state, None)
    subjects_by_words: dict[str, dict[str, None]] = {}
    for name, value in state.items():
        if name.startswith("collision(") and value is True:
            continue  # every body collides with something
        subject, words = _statement(name, value, partners, unknown)
        subjects_by_words.setdefault(words, {})[subject] = None
    return [
        say(
            "state.alike",
            statement=f"{next(iter(subjects))} {words}".lstrip(),
            count=len(subjects) - 1,
        )
        for words, subjects in subjects_by_words.items()
    ]


def _partners(state: Mapping[str, Json], wanted: bool | None) -> dict[tuple[str, str], list[str]]:
    """The partners for which each predicate (name, first argument) has the wanted truth value."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, value in state.items():
        parts = _parts(name)
        if parts is not None and len(parts) == 3:
            partner_names = found.setdefault((parts[0], parts[1]), [])
            partner_names += [parts[2]] if value is wanted else []
    return found


def _statement(
    name: str,
    value: Json,
    partners: Mapping[tuple[str, str], list[str]],
    unknown: Mapping[tuple[str, str], list[str]],
) -> tuple[str, str]:
    """A subject and the words about it; no subject for a name that is not a predicate, or an unknown value."""
    parts = _parts(name)
    if parts is None or not isinstance(value, bool | None):
        return "", predicate_words(name, value)
    attribute, subject, *arguments = parts
    partner_names = partners.get((attribute, subject)) if len(arguments) == 1 else None
    if partner_names:
        return subject, _predicate_text(attribute, "", " and ".join(partner_names))
    if partner_names is not None and not unknown[attribute, subject]:
        return subject, _without_partner(attribute)
    if value is None or partner_names is not None:
        of = unknown.get((attribute, subject), arguments) if len(arguments) == 1 else arguments
        return "", say(
            "state.unknown", statement=_predicate_text(attribute, subject, " or ".join(of))
        )
    return subject, _predicate_text(attribute, "", " ".join(arguments), holds=value)


def _parts(name: str) -> list[str] | None:
    """The predicate's name and its arguments; None if it is not a predicate."""
    match = _PREDICATE.fullmatch(name)
    if match is None or not match[2].strip():
        return None
    return [match[1], *(part.strip() for part in match[2].split(","))]


def _predicate_text(attribute: str, a: str, b: str, *, holds: bool = True) -> str:
    """A predicate in words; without its first argument if that is empty."""
    entry = group("state").get(attribute)
    takes_two = entry is not None and "b" in entry.fields
    known = attribute if entry is not None and takes_two == bool(b) else "other"
    name = f"state.{'' if holds else 'not_'}{known}"
    return " ".join(say(name, a=a, b=b, name=_spaced(attribute)).split())


def _without_partner(attribute: str) -> str:
    """The statement for a predicate that holds for no partner."""
    known = f"{attribute}_nothing"
    name = known if known in group("state") else "other_nothing"
    return say(f"state.{name}", a="", name=_spaced(attribute)).lstrip()


def _spaced(name: str) -> str:
    return name.replace("_", " ") if _parts(name) is None else name


def _value(value: Json) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
