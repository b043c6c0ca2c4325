"""Encodes the models, responsibilities, events, handovers and notes of a run as messages."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.events import Event, EventKind, annotation_fields, arguments_to_text
from hetwin_core.ensemble.scene.layout import Layout, layout_to_json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.tasks import task_fields
from hetwin_core.ensemble.topics import Encoded
from hetwin_core.episodes.messages import header, message, stamp, typestore

_STAMP, _COUNT, _LONG = struct.Struct("<4siI"), struct.Struct("<I"), struct.Struct("<Q")
_LITTLE_ENDIAN = b"\x00\x01\x00\x00"
_LEVELS = {"info": 0, "warning": 1, "error": 2}


def encoded(topic: topics.Topic, time_ns: int, **fields: object) -> Encoded:
    """Make and encode a message of a topic's type."""
    return encoded_message(topic, time_ns, message(topic.type, **fields))


def encoded_message(topic: topics.Topic, time_ns: int, content: object) -> Encoded:
    """Encode a message."""
    return Encoded(topic, time_ns, typestore().serialize_cdr(content, topic.type))


def _encode_fields(
    topic: topics.Topic, time_ns: int, *fields: str | int | bytes | Floats
) -> Encoded:
    """Encode a message with a stamp, texts, 64-bit integers, packed counts (bytes), and arrays of float64.

    Encoded by hand: these messages are sent at each step, and the library makes dozens of calls for each.
    """
    data = bytearray(_STAMP.pack(_LITTLE_ENDIAN, *divmod(time_ns, 1_000_000_000)))
    for field in fields:
        data += bytes(-len(data) % 4)
        if isinstance(field, str):
            raw = field.encode()
            data += _COUNT.pack(len(raw) + 1) + raw + b"\0"
        elif isinstance(field, bytes):
            data += field
        else:
            numbers = _LONG.pack(field) if isinstance(field, int) else field.tobytes()
            data += b"" if isinstance(field, int) else _COUNT.pack(len(field))
            # counted from the end of the four-byte header
            data += bytes((4 - len(data)) % 8 if numbers else 0) + numbers
    return Encoded(topic, time_ns, memoryview(data).toreadonly())


def registry(
    time_ns: int,
    scenario: str,
    models: Iterable[ModelRecord],
    layout: Layout,
    *,
    source: str = "",
    duration_ns: int | None = None,
    able: Mapping[str, Sequence[str]] | None = None,
    run: str = "",
) -> Encoded:
    """``hetwin/msg/Registry``; the keywords are as in `RunStart`, and `run` is the token that identifies the run."""
    rows = [
        message(topics.HETWIN_TYPES + "ModelInfo", kind="", **asdict(record)) for record in models
    ]
    return encoded(
        topics.REGISTRY,
        time_ns,
        stamp=stamp(time_ns),
        scenario=scenario,
        models=rows,
        layout=json.dumps(layout_to_json(layout), separators=(",", ":")),
        source=source,
        duration=(duration_ns or 0) / 1e9,
        able=json.dumps({name: list(others) for name, others in (able or {}).items()}),
        run=run,
    )


def descriptions(time_ns: int, robots: Mapping[str, str]) -> Iterator[Encoded]:
    """``std_msgs/msg/String`` with the URDF of each robot, by name."""
    for robot, urdf in robots.items():
        yield encoded(topics.robot_topic(topics.ROBOT_DESCRIPTION, robot), time_ns, data=urdf)


def responsibilities(time_ns: int, owners: Mapping[tuple[str, str], str]) -> Encoded:
    """``hetwin/msg/Responsibilities``, from the model of each (entity, attribute)."""
    texts = list[str]()
    for (entity, attribute), model in owners.items():
        texts += entity, attribute, model
    return _encode_fields(topics.RESPONSIBILITIES, time_ns, _COUNT.pack(len(owners)), *texts)


def event(happened: Event) -> list[Encoded]:
    """``hetwin/msg/Event``; for an event of the robot's program, also the action annotation or the task."""
    time_ns = happened.time_ns
    name, kind, source = happened.name, happened.kind, happened.source
    arguments = arguments_to_text(happened.arguments)
    first = _encode_fields(
        topics.EVENTS, time_ns, name, kind.value, source, happened.sequence, arguments
    )
    if kind is EventKind.ACTION:
        return [
            first,
            _encode_fields(topics.ANNOTATIONS, time_ns, "", *annotation_fields(happened)),
        ]
    if kind is EventKind.TASK:
        return [first, encoded_message(topics.TASKS, time_ns, task_message(happened))]
    return [first]


def task_message(event: Event) -> Any:
    """``hetwin/msg/Task`` from a task's event, not encoded."""
    fields = task_fields(event)._asdict()
    fields["after"] = list(fields["after"])
    return message(topics.TASKS.type, stamp=stamp(event.time_ns), **fields)


def handover(moved: Handover) -> Encoded:
    """``hetwin/msg/Handover``."""
    value = moved.value
    names = moved.entity, moved.attribute, moved.from_model, moved.to_model, moved.cause
    return _encode_fields(topics.HANDOVERS, moved.time_ns, *names, value.data, value.parent)


def note(time_ns: int, level: str, source: str, text: str) -> Encoded:
    """``diagnostic_msgs/msg/DiagnosticArray`` with one note; `level` is ``info``, ``warning`` or ``error``."""
    status = message(
        "diagnostic_msgs/msg/DiagnosticStatus",
        level=_LEVELS.get(level, 2),
        name=source,
        message=text,
        hardware_id="",
        values=[],
    )
    return encoded(topics.DIAGNOSTICS, time_ns, header=header(time_ns), status=[status])


def clock(time_ns: int) -> Encoded:
    """``rosgraph_msgs/msg/Clock``."""
    return encoded(topics.CLOCK, time_ns, clock=stamp(time_ns))
