"""What happens in a run as messages, as a log and other records have them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.event_codec import event_to_fields
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.layout_json import layout_to_json
from hetwin_core.projection.messages import header, message, stamp

_LEVELS = {"info": 0, "warning": 1, "error": 2}


def registry_message(
    time_ns: int,
    scenario: str,
    models: Iterable[ModelRecord],
    layout: Layout,
    *,
    source: str = "",
    duration_ns: int | None = None,
    able: Mapping[str, Sequence[str]] | None = None,
) -> Any:
    """``hetwin/msg/Registry``; the keywords as `RunStart` has them."""
    rows = [message(topics.HETWIN_TYPES + "ModelInfo", **asdict(record)) for record in models]
    return message(
        topics.REGISTRY.type,
        stamp=stamp(time_ns),
        scenario=scenario,
        models=rows,
        layout=json.dumps(layout_to_json(layout), separators=(",", ":")),
        source=source,
        duration=(duration_ns or 0) / 1e9,
        able=able_text(able or {}),
        run="",  # nobody who reads a log has to recognise it
    )


def able_text(able: Mapping[str, Sequence[str]]) -> str:
    """Return who can be responsible for which attribute as the registry has it."""
    return json.dumps({name: list(models) for name, models in able.items()})


def responsibilities_message(time_ns: int, owners: Mapping[tuple[str, str], str]) -> Any:
    """``hetwin/msg/Responsibilities``, from the model of each (entity, attribute)."""
    rows = [
        message(
            topics.HETWIN_TYPES + "Responsibility", entity=entity, attribute=attribute, model=model
        )
        for (entity, attribute), model in owners.items()
    ]
    return message(topics.RESPONSIBILITIES.type, stamp=stamp(time_ns), responsibilities=rows)


def event_message(event: Event) -> Any:
    """``hetwin/msg/Event``."""
    fields = event_to_fields(event)._asdict()
    return message(topics.EVENTS.type, stamp=stamp(fields.pop("time_ns")), **fields)


def handover_message(handover: Handover) -> Any:
    """``hetwin/msg/Handover``."""
    return message(
        topics.HANDOVERS.type,
        stamp=stamp(handover.time_ns),
        entity=handover.entity,
        attribute=handover.attribute,
        from_model=handover.from_model,
        to_model=handover.to_model,
        cause=handover.cause,
        value=handover.value.data,
        parent=handover.value.parent,
    )


def note_message(time_ns: int, level: str, source: str, text: str) -> Any:
    """``diagnostic_msgs/msg/DiagnosticArray`` with one note; `level` is ``info``, ``warning`` or ``error``."""
    status = message(
        "diagnostic_msgs/msg/DiagnosticStatus",
        level=_LEVELS.get(level, 2),
        name=source,
        message=text,
        hardware_id="",
        values=[],
    )
    return message(topics.DIAGNOSTICS.type, header=header(time_ns), status=[status])
