"""An action annotation reads the same in a replay, in what a live robot says, at the conductor, and in the log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.recorded_bags import MS, TYPES, annotation, sine, write_bag
from support.small_run import SmallRun

from hetwin.msg import ActionAnnotation
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import (
    AnnotationFields,
    Event,
    EventKind,
    action_event,
    annotation_fields,
)
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.wire import messages
from model_nodes.main_physics.sources.annotations import TypedReader
from model_nodes.main_physics.sources.factory import open_source

AT = 300 * MS
HAND = {"hand": "right"}
READ: dict[str, tuple[AnnotationFields, dict[str, Any]]] = {
    "with a phase": (
        AnnotationFields("reach", "begin", json.dumps(HAND)),
        {**HAND, "phase": "begin"},
    ),
    "phase in the arguments": (
        AnnotationFields("reach", "", json.dumps({"phase": "end", **HAND})),
        {**HAND, "phase": "end"},
    ),
    "phase in both": (
        AnnotationFields("reach", "begin", json.dumps({"phase": "end"})),
        {"phase": "begin"},
    ),
    "no phase": (AnnotationFields("wave", "", ""), {"phase": "instant"}),
}
REFUSED = {
    "no operation": (AnnotationFields("", "begin", ""), "no operation"),
    "no phase of ours": (AnnotationFields("reach", "never", ""), "phase 'never'"),
    "nor in the arguments": (AnnotationFields("reach", "", '{"phase": 3}'), "phase '3'"),
    "no object": (AnnotationFields("reach", "begin", "[1]"), "not a JSON object"),
}


def at_the_conductor(fields: AnnotationFields) -> Event:
    message = ActionAnnotation(**fields._asdict())
    message.header.stamp.nanosec = AT
    return messages.read_annotation(message)


def live(fields: AnnotationFields) -> Event:
    (event,) = TypedReader("/actions")(ActionAnnotation(**fields._asdict()), AT)
    return event


def replayed(fields: AnnotationFields, folder: Path) -> Event:
    recorded = annotation(AT, fields.operation, fields.phase, fields.arguments)
    recording = sorted([*sine(), recorded], key=lambda m: m.time_ns)
    (event,) = open_source(write_bag(folder, recording)).events(1_000 * MS)
    return event


def logged(event: Event, out: Path) -> tuple[Episode, Event]:
    """What the log of a run with this event says, and what its replay says."""
    run = SmallRun(out, steps=400)
    with RunLog(out) as log:
        log.started(run.start())
        log.event(event)
        for step in range(1, run.steps):
            log.stepped(step, run.snapshot(step))
        log.ended(run.summary())
    (again,) = open_source(out / "log").events(900 * MS)
    return Episode.open(out), again


@pytest.mark.parametrize(("fields", "arguments"), READ.values(), ids=READ)
def test_it_reads_the_same_everywhere(
    fields: AnnotationFields, arguments: dict[str, Any], tmp_path: Path
) -> None:
    event = replayed(fields, tmp_path / "bag")
    assert event.arguments == arguments
    assert (event.name, event.kind, event.time_ns) == (fields.operation, EventKind.ACTION, AT)
    episode, again = logged(event, tmp_path / "run")
    for other in (at_the_conductor(fields), live(fields), episode.events[0], again):
        assert (other.name, other.kind, other.time_ns) == (event.name, event.kind, event.time_ns)
        assert dict(other.arguments) == arguments
    (shown,) = episode.annotations
    assert (shown.operation, shown.begin_ns if shown.open_end else shown.end_ns) == (event.name, AT)


@pytest.mark.parametrize(("fields", "why"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_the_same_everywhere(
    fields: AnnotationFields, why: str, tmp_path: Path
) -> None:
    for read in (at_the_conductor, live):
        with pytest.raises(ValueError, match=why):
            read(fields)
    with pytest.raises(RunFailed, match=why):
        replayed(fields, tmp_path / "bag")


@pytest.mark.parametrize("fields", [fields for fields, _ in READ.values()])
def test_the_fields_of_an_event_give_the_event_again(fields: AnnotationFields) -> None:
    event = action_event(fields, AT, "program")
    assert action_event(annotation_fields(event), AT, "program") == event


def test_the_recorded_type_has_these_fields() -> None:
    recorded = TYPES.types["hetwin/msg/ActionAnnotation"].__dataclass_fields__
    assert {"header", *AnnotationFields._fields} == set(recorded) - {"__msgtype__"}
