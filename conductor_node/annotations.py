"""Action annotations that arrive as messages."""

from __future__ import annotations

import json
from typing import Any

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.wire.messages import read_time

PHASES = ("begin", "end", "instant")


def annotation_event(message: Any) -> Event:
    """The event that a ``hetwin/ActionAnnotation`` announces.

    Raises:
        ValueError: if its phase or its arguments cannot be used.
    """
    phase = message.phase or "instant"
    if phase not in PHASES:
        raise ValueError(f"phase {phase!r}; expected one of {', '.join(PHASES)}")
    try:
        arguments = json.loads(message.arguments) if message.arguments else {}
    except json.JSONDecodeError as error:
        raise ValueError(f"arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise ValueError(f"arguments must be a JSON object, not {message.arguments!r}")
    return Event(
        message.operation,
        read_time(message.header.stamp),
        EventKind.ACTION,
        "annotations",
        arguments={"phase": phase, **arguments},
    )
