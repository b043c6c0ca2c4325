"""Tasks as events, and back."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.events import EventKind, event_from_row, event_to_row
from hetwin_core.ensemble.tasks import TaskFields, task_event, task_fields

FIELDS = TaskFields(
    id="place.4",
    parent="serve.1",
    after=("pick_up.4", "look.2"),
    operation="place",
    goal='on("box", "tray")',
    status="failed",
    reason="slipped",
    variables='{"hand": "gripper", "at": [0.1, null]}',
)


@pytest.mark.parametrize("fields", [FIELDS, TaskFields("t", status="created")])
def test_a_task_survives_as_event_and_as_row(fields: TaskFields) -> None:
    event = task_event(fields, 5, "/tasks")
    assert (event.time_ns, event.kind, event.source) == (5, EventKind.TASK, "/tasks")
    assert event.name == (fields.operation or fields.id)
    assert task_fields(event) == fields
    assert task_fields(event_from_row(event_to_row(event))) == fields


def test_variables_are_values_in_events() -> None:
    variables = task_event(FIELDS, 0, "/tasks").arguments["variables"]
    assert variables == {"hand": "gripper", "at": [0.1, None]}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (FIELDS._replace(id=""), "no id"),
        (FIELDS._replace(status="faild"), r"status 'faild' of task place.4; .*perhaps 'failed'"),
        (FIELDS._replace(variables="[1]"), "variables of task place.4: .*not a JSON object"),
    ],
)
def test_what_is_no_task_is_refused_in_words(fields: TaskFields, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        task_event(fields, 0, "/tasks")
