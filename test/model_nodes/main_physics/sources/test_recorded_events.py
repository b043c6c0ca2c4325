"""Action annotations and topic values of a recording become events at their times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from support.recorded_bags import (
    MS,
    TYPES,
    Recorded,
    annotation,
    header,
    plain,
    sine,
    write_bag,
    write_ros1_bag,
)

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event, EventKind
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan

STEP_NS = 5 * MS
Write: TypeAlias = Callable[[Path, list[Recorded]], Path]
BOTH = pytest.mark.parametrize("write", [write_bag, write_ros1_bag])
"""Storages of ROS 2 and ROS 1."""


def with_motion(*messages: Recorded) -> list[Recorded]:
    """These messages and 2 s of joint states, in the order of their log times."""
    return sorted([*sine(), *messages], key=lambda m: m.time_ns)


def played(source: Plan) -> list[tuple[int, Event]]:
    """Return each event with the time of the call that returned it."""
    events, time_ns = [], 0
    while True:
        events += [(time_ns, event) for event in source.events(time_ns)]
        if source.ended(time_ns):
            return events
        time_ns += STEP_NS


def check_on_time(events: list[tuple[int, Event]]) -> None:
    """Each event comes with the first call at or after its time."""
    for called_ns, event in events:
        assert called_ns - STEP_NS < event.time_ns <= called_ns


@BOTH
def test_typed_annotations(tmp_path: Path, write: Write) -> None:
    folder = write(
        tmp_path / "a.bag",
        with_motion(
            annotation(300 * MS, "reach", "begin", {"hand": "right", "n": [1, 2.5, None]}),
            annotation(702 * MS, "reach", "end", {"hand": "right"}),
            annotation(702 * MS, "beep", "instant", "", topic="/more_actions"),
        ),
    )
    events = played(open_source(folder))
    check_on_time(events)
    assert [event for _, event in events] == [
        Event(
            "reach",
            300 * MS,
            EventKind.ACTION,
            "/actions",
            0,
            {"hand": "right", "n": [1, 2.5, None], "phase": "begin"},
        ),
        Event(
            "reach", 702 * MS, EventKind.ACTION, "/actions", 1, {"hand": "right", "phase": "end"}
        ),
        Event("beep", 702 * MS, EventKind.ACTION, "/more_actions", 0, {"phase": "instant"}),
    ]


def test_annotations_can_be_chosen(tmp_path: Path) -> None:
    folder = write_bag(
        tmp_path / "bag",
        with_motion(
            annotation(300 * MS, "reach", "begin"),
            annotation(400 * MS, "lift", "begin", topic="/other"),
        ),
    )
    for chosen, expected in (([{"topic": "/other"}], ["lift"]), ([], [])):
        source = open_source({"recording": str(folder), "annotations": chosen})
        assert [event.name for _, event in played(source)] == expected


@BOTH
def test_stamps_decide_and_order(tmp_path: Path, write: Write) -> None:
    """Two annotations that were logged late, in the wrong order; and one stamped by another clock."""
    folder = write(
        tmp_path / "a.bag",
        with_motion(
            annotation(900 * MS, "second", "instant", stamp_ns=600 * MS),
            annotation(1000 * MS, "first", "instant", stamp_ns=500 * MS, topic="/b"),
            annotation(1100 * MS, "third", "instant", stamp_ns=90_000 * MS),
        ),
    )
    events = played(open_source(folder))
    check_on_time(events)
    assert [(e.name, e.time_ns // MS) for _, e in events] == [
        ("first", 500),
        ("second", 600),
        ("third", 1100),
    ]


TAGS: dict[Any, Any] = {
    1: {"operation": "reach", "arguments": {"hand": "right"}},
    2: "lift",
    "3": {"operation": "reach", "arguments": {"hand": "left"}},
}


@pytest.mark.parametrize("type_name", ["std_msgs/msg/Int32", "std_msgs/msg/String"])
def test_mapped_values(tmp_path: Path, type_name: str) -> None:
    values = [0, 1, 1, 1, 2, 7, 7, 1, 3, 3]
    convert = str if type_name.endswith("String") else int
    tags = [
        plain((k + 1) * 100 * MS, "/tag", type_name, data=convert(v)) for k, v in enumerate(values)
    ]
    folder = write_bag(tmp_path / "bag", with_motion(*tags))
    source = open_source(
        {"recording": str(folder), "annotations": [{"topic": "/tag", "map": TAGS}]}
    )
    events = played(source)
    check_on_time(events)
    found = [
        (e.time_ns // MS, e.name, e.arguments["phase"], e.arguments.get("hand")) for _, e in events
    ]
    assert found == [
        (200, "reach", "begin", "right"),
        (500, "reach", "end", "right"),
        (500, "lift", "begin", None),
        (600, "lift", "end", None),
        (800, "reach", "begin", "right"),
        (900, "reach", "end", "right"),
        (900, "reach", "begin", "left"),
    ]
    assert {e.source for _, e in events} == {"/tag"}
    assert [e.sequence for _, e in events] == list(range(7))


@BOTH
def test_values_in_fields_of_fields(tmp_path: Path, write: Write) -> None:
    messages = [
        Recorded(
            "/status",
            "std_msgs/msg/Header",
            (k + 1) * 100 * MS,
            header((k + 1) * 100 * MS, frame),
        )
        for k, frame in enumerate(("x", "hand", "x"))
    ]
    pose = TYPES.types["geometry_msgs/msg/Point"](x=1.0, y=2.0, z=float("nan"))
    stamped = TYPES.types["geometry_msgs/msg/PointStamped"](
        header=header(250 * MS, "hand"), point=pose
    )
    point = Recorded("/point", "geometry_msgs/msg/PointStamped", 250 * MS, stamped)
    folder = write(tmp_path / "a.bag", with_motion(*messages, point))
    source = open_source(
        {
            "recording": str(folder),
            "annotations": [
                {"topic": "/status", "field": "frame_id", "map": {"hand": "move_hand"}},
                {"topic": "/point", "field": "header.frame_id", "map": {"hand": "point"}},
            ],
            "topics": ["/point"],
        }
    )
    events = [event for _, event in played(source)]
    assert [(e.time_ns // MS, e.name) for e in events] == [
        (200, "move_hand"),
        (250, "point"),
        (250, "/point"),
        (300, "move_hand"),
    ]
    assert events[2].kind is EventKind.TOPIC
    assert events[2].arguments["point"] == {"x": 1.0, "y": 2.0, "z": None}
    assert events[2].arguments["header"]["frame_id"] == "hand"  # type: ignore[index,call-overload]


@BOTH
def test_watched_topics(tmp_path: Path, write: Write) -> None:
    levels = [
        plain((k + 1) * 30 * MS, "/battery", "std_msgs/msg/Float32", data=k / 4) for k in range(9)
    ]
    folder = write(tmp_path / "a.bag", with_motion(*levels))
    source = open_source({"recording": str(folder), "topics": ["/battery", "/joint_states"]})
    events = played(source)
    check_on_time(events)
    battery = [e for _, e in events if e.name == "/battery"]
    assert [(e.time_ns, e.arguments) for e in battery] == [
        (m.time_ns, {"data": m.message.data}) for m in levels
    ]
    states = [e for _, e in events if e.name == "/joint_states"]
    assert len(states) == len(sine())
    assert states[0].arguments["name"] == ["a", "b"]
    assert states[0].arguments["position"] == [0.0, 2.0]
    assert states[0].arguments["effort"] == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (annotation(800 * MS, "lift", "begin", "{'hand': 1"), "not JSON"),
        (annotation(800 * MS, "lift", "begin", "[1]"), "not a JSON object"),
        (annotation(800 * MS, "lift", "sometimes"), "phase 'sometimes'"),
        (annotation(800 * MS, "", "begin"), "no operation"),
        (Recorded("/actions", "hetwin/msg/ActionAnnotation", 800 * MS, b"\0\1\0\0junk"), "used"),
    ],
)
def test_a_broken_annotation_fails_the_run_at_its_time(
    tmp_path: Path, broken: Recorded, reason: str
) -> None:
    folder = write_bag(
        tmp_path / "bag",
        with_motion(
            annotation(300 * MS, "reach", "begin"),
            annotation(798 * MS, "reach", "end"),
            broken,
            annotation(900 * MS, "drop", "begin"),
        ),
    )
    source = open_source(folder)
    assert [e.name for e in source.events(797 * MS)] == ["reach"]
    assert not source.ended(797 * MS)
    # One long step: what was before is handed out first, then the run fails.
    assert [e.arguments["phase"] for e in source.events(1_900 * MS)] == ["end"]
    assert not source.ended(3_000 * MS)
    with pytest.raises(RunFailed, match=reason) as failure:
        source.events(1_900 * MS)
    assert failure.value.time_ns == 800 * MS
    assert failure.value.model == "recording"
    assert "/actions, message 3" in failure.value.reason
    source.close()


def test_recordings_are_streamed(tmp_path: Path) -> None:
    """Reading begins at the latest a second ahead, and looks at one message beyond 1.5 s."""
    good = annotation(1_920 * MS, "lift", "begin")
    broken = annotation(1_950 * MS, "lift", "end", "{")
    source = open_source(write_bag(tmp_path / "bag", with_motion(good, broken)))
    assert source.events(400 * MS) == []
    assert source.events(919 * MS) == []
    assert source.ended(5_000 * MS)
    assert source.events(920 * MS) == []
    assert not source.ended(5_000 * MS)
    assert len(source.events(1_949 * MS)) == 1
