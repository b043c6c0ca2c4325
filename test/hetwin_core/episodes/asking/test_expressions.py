"""Questions as expressions in CEL, and what they say of wrong ones."""

from __future__ import annotations

from typing import Any

import pytest
from support.made_tables import placed_box

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.asked import AskedTables

EPISODE = AskedTables(placed_box().made())
PLACE = {"id": "place.1", "operation": "place", "from": 2.6, "to": 6.5, "status": "done"}
FALL = {"name": "loc_change", "time": 8.3, "arguments": {"object": "cup2"}}

ANSWERS: list[tuple[str, Any]] = [
    ('holds(on("box", "tray"), at(end))', True),
    ('holds(on("box", "tray"), at(5.7))', False),
    ('holds(supporting("tray", "box"), at(6))', True),
    ('holds(held("box", "right_hand"), throughout(task("place.1")))', False),
    ('holds(held("box"), during(task("place")))', True),
    ('holds(moving("box") && !held("box"), during(start, end))', False),
    ('holds(on("box", "tray") || on("box", "table"), throughout(0, 2.4))', True),
    ('holds(height("box") > 0.7, during(0, 5))', False),
    ('holds(height("box") > 0.7 && on("box", "tray"), during(0, 10))', True),
    ('["box", "cup1"].all(c, holds(height(c) >= 0.0, at(9)))', True),
    ('holds(visible("box"), at(1))', None),
    ('holds(visible("box"), at(1)) || holds(held("box"), at(3))', True),
    ('holds(visible("box"), at(1)) && holds(held("box"), at(1))', False),
    ('["box"].all(c, believed(visible(c), at(1)))', None),
    ('believed(loc("box", {"near": [0.6, 0.2, 0.5], "within": 0.02}), throughout(5, 8))', True),
    ('incorrect_belief(loc("box"), any)', True),
    ('incorrect_belief(loc("box"), at(5))', False),
    ("occurs(loc_change(any), during(start, end)).filter(e, !expected(e))", [FALL]),
    ('occurs(fell("cup1"))', []),
    ('size(occurs(collision("right_hand", any)))', 2),
    ('count(occurs(collision("robot")))', 2),
    ('count(tasks("pick_up").filter(t, t.status == "failed"))', 0),
    ('count(on("box", any))', 2),
    ('duration("2s")', "0:00:02"),
    ('tasks("place")', [PLACE]),
    ('tasks("place").all(t, holds(goal(t), at(t.end)))', True),
    ('supertask(task("place.1")).id', "bring.1"),
    ('supertask(task("bring.1"))', None),
    ('value(loc("robot"), at(occurs(picked_up("box"))[0]))', [1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
    ('value(temperature("cup1"), at(2))', 0.0),
    ('value(height("box") * 2.0, at(0))', 1.0),
    ('variable("object", at(3))', "box"),
    ('variable(loc("box"), at(3))[0]', 0.4),
    ('believed(picked_up("box"))[0].time', 2.6),
    ('meets(task("pick_up.1"), task("place.1"))', True),
    ('before(task("pick_up.1"), task("place.1"))', False),
    ('during(held("box"), task("bring.1"))', True),
    ('during(occurs(fell("cup2"))[0], task("retreat.1"))', True),
    ('overlaps(task("pick_up.1"), held("box"))', True),
    ('causes("retreat.1", occurs(fell("cup2"))[0])', True),
    ('causes(task("place.1"), occurs(fell("cup2"))[0])', False),
    ('causes(occurs(collision("palm", "cup2"))[0], occurs(fell("cup2"))[0])', True),
    ('causes(occurs(picked_up("box"))[0]).map(c, c.id)', ["pick_up.1", "bring.1"]),
    ('causes(loc("box"), loc("box"), at(0.5))', True),
    ('causes(loc("box"), loc("box"), at(3))', True),
    ('causes(on("box", "tray"), loc("box"), at(3))', False),
    ('holds(on(any("x"), "table") && contact(any(\'x\'), "right_hand"), at(2.1))', True),
]


@pytest.mark.parametrize(("question", "value"), ANSWERS)
def test_answers(question: str, value: object) -> None:
    assert EPISODE.ask(question).value == value


def test_evidence_of_a_truth() -> None:
    told = EPISODE.ask('holds(on(any, "table"), at(start))').as_json()
    assert told["bindings"] == [{"a": "tray"}, {"a": "cup1"}, {"a": "cup2"}, {"a": "box"}]
    assert [row["row"] for row in told["evidence"]] == [0, 1, 2, 3]
    assert told["evidence"][2] == {"table": "occasions", "row": 2, "from": 0.0, "to": 8.0}


def test_evidence_of_what_made_it_false() -> None:
    told = EPISODE.ask(
        '["box", "cup1"].all(c, holds(on(c, "table"), at(1)) && holds(held(c), at(3)))'
    )
    assert told.value is False
    assert told.evidence == ()
    told = EPISODE.ask('tasks().filter(t, t.goal != "").all(t, holds(goal(t), at(6.2)))')
    assert told.value is False
    assert [(row.table, row.row) for row in told.evidence] == [("tasks", 1)]


def test_evidence_of_a_pose_is_when_it_was_measured() -> None:
    told = EPISODE.ask('value(loc("box"), at(3.1416))').as_json()
    assert told["evidence"] == [{"table": "poses", "row": 314, "from": 3.14, "to": 3.14}]


def test_evidence_of_a_wrong_belief() -> None:
    (row,) = EPISODE.ask('incorrect_belief(loc("box"), any)').as_json()["evidence"]
    assert (row["table"], row["from"], row["to"], row["distance"]) == (
        "belief_errors",
        1.0,
        4.0,
        0.2,
    )


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ('on("box", "tray")', r'neither true nor false.*holds\(on\("box", "tray"\), at'),
        ('on("box", "tray") && true', "neither true nor false"),
        ("at(1)", "neither true nor false"),
        ('holds(on("bxo", "tray"), at(1))', "unknown entity; found 'bxo'.*perhaps 'box'"),
        ('holds(on("bxo", "tray"), at(1)) && false', "unknown entity; found 'bxo'"),
        (
            'holds(onn("box", "tray"), at(1))',
            "unknown fluent, event or function 'onn'.*perhaps 'on'",
        ),
        ('holds(picked_up("box"), at(1))', "this is an event, not a fluent"),
        ('occurs(on("box", "tray"))', "this is a fluent, not an event"),
        ('occurs(fell("cup9"))', "unknown entity; found 'cup9'.*perhaps 'cup2' or 'cup1'"),
        (
            'holds(on("box", "tray"), at(11))',
            "outside of the episode; found '11 s'; expected 0 to 10 s",
        ),
        ('holds(on("box", "tray"), at("x"))', "this is not a time; found 'x'"),
        ('holds(on("box", "tray"), at(1)', "syntax error"),
        (
            'holds(on("box"), at(1), 3)',
            r"holds: wrong number of arguments.*holds\(fluent, time\)",
        ),
        ("holds(on(box), at(1))", "unknown name 'box'"),
        ('height("box") > 0.4', "height is about the state, which needs a time"),
        ('task("plcae.1")', "unknown task; found 'plcae.1'.*perhaps 'place.1'"),
        ('tasks("plcae")', "unknown task; found 'plcae'.*perhaps 'place'"),
        ('task("place.1").foo', "there is no 'foo'"),
        ('variable("objct", at(3))', "unknown variable; found 'objct'.*perhaps 'object'"),
        ('value(weight("box"), at(1))', "unknown fluent, event or function 'weight'"),
        ('value(temperature("box"), at(1))', "no such attribute"),
        ('value(loc("box"), during(1, 2))', "needs a moment"),
        ('before(1, task("place.1"))', "this is not an interval"),
        ('believed(height("box") > 0.7, at(1))', "about the world, not about beliefs"),
        ('holds(loc("box", {"nera": [1, 2]}), at(1))', "this is not a valid place"),
        ('on("box", at(1))', "must be a name or any; found 'a time'"),
        ('on("box", on("box", "tray"))', "must be a name or any; found 'a fluent'"),
    ],
)
def test_bad_input(question: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        EPISODE.ask(question, "questions.txt: line 3")
    assert str(caught.value).startswith("questions.txt: line 3")
    assert caught.value.expected
