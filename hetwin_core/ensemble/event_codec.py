"""Events as the fields of ``hetwin/msg/Event``, as rows of the messages of a step, and as rows of a run's summary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.plain_json import plain


def event_of_message(message: Any, time_ns: int) -> Event:
    """The event of a ``hetwin/msg/Event``, whatever has decoded it.

    Raises:
        ValueError: if the kind is unknown, or the arguments are no JSON object.
    """
    try:
        arguments = arguments_from_text(message.arguments)
        sequence = int(message.sequence)
        row = [message.name, time_ns, message.kind, message.source, sequence, arguments]
        return event_from_row(row)
    except ValueError as error:
        raise ValueError(f"event {message.name!r}: {error}") from None


def event_to_row(event: Event) -> list[Any]:
    """An event as a list for JSON: name, time in ns, kind, source, sequence, arguments, which are kept as they are."""
    arguments = dict(event.arguments)
    return [event.name, event.time_ns, event.kind.value, event.source, event.sequence, arguments]


def event_from_row(row: Sequence[Any]) -> Event:
    """Inverse of `event_to_row`; an empty kind is that of a model's event.

    Raises:
        ValueError: if the kind is unknown.
    """
    name, time_ns, kind, source, sequence, arguments = row
    return Event(name, time_ns, EventKind(kind or EventKind.MODEL), source, sequence, arguments)


def event_to_summary(event: Event) -> dict[str, Json]:
    """An event as `summary.json` and ``hetwin run --json`` have it, with its time in s."""
    return {
        "time": event.time_ns / 1e9,
        "name": event.name,
        "kind": event.kind.value,
        "source": event.source,
        "arguments": dict(event.arguments),
    }


def event_from_summary(row: Mapping[str, Any]) -> Event:
    """Inverse of `event_to_summary`, without the sequence number.

    Raises:
        ValueError: if the kind is unknown.
    """
    time_ns = round(row["time"] * 1e9)
    return event_from_row(
        [row["name"], time_ns, row["kind"], row["source"], 0, dict(row["arguments"])]
    )


def arguments_to_text(arguments: Mapping[str, Json]) -> str:
    """Arguments as a JSON object; numbers that are not finite become null, as JSON knows no others."""
    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # seldom
        return json.dumps(plain(arguments), ensure_ascii=False)


def arguments_from_text(text: str) -> dict[str, Json]:
    """Inverse of `arguments_to_text`; an empty text means none.

    Raises:
        ValueError: if this is no JSON object.
    """
    if not text.strip():
        return {}
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"the arguments are no JSON ({error}): {text[:80]!r}") from None
    if not isinstance(content, dict):
        raise ValueError(f"the arguments are no JSON object: {text[:80]!r}")
    return content
