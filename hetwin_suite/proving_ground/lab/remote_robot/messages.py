"""Commands and answers as text, as they go to a robot and come back: one JSON object each."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hetwin_suite.model import Json


def as_text(arguments: Mapping[str, Json]) -> str:
    """Return arguments of a command or an answer as text."""
    return json.dumps(dict(arguments), separators=(",", ":"))


def from_text(text: str) -> dict[str, Json]:
    """Return the arguments of a command or an answer.

    Raises:
        ValueError: if the text is no JSON object with a whole number ``id``, or has numbers that are not finite.
    """
    said = json.loads(text, parse_constant=_no_number)
    if not isinstance(said, dict) or not isinstance(said.get("id"), int):
        raise ValueError(f"found {text[:80]!r}; expected a JSON object with a whole number id")
    return said


def _no_number(text: str) -> Json:
    raise ValueError(f"found {text}; expected finite numbers")
