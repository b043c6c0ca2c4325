"""Values at a moment, and what the robot believes by what follows from its messages."""

from __future__ import annotations

import pytest
from support.made_tables import MadeTables, ns, placed_box, span
from support.small_run import SmallRun

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Status, Task


def held_box() -> MadeTables:
    """The robot sees the box, believes to hold it, and moves it by half a metre in a second."""
    made = placed_box()
    made.beliefs.clear()
    upright = (1.0, 0.0, 0.0, 0.0)
    made.believed("loc", "box", "", (0.5, 2.0, (0.4, 0.2, 0.5, *upright)), origin="percept")
    rows = [(2 + t / 10, 2.1 + t / 10, (0.4 + t / 20, 0.2, 0.5, *upright)) for t in range(10)]
    made.believed("loc", "box", "", *rows, (3.0, 10.0, (0.9, 0.2, 0.5, *upright)))
    made.believed("held", "box", "right_hand", (2.0, 6.0, True), (6.0, 10.0, False))
    return made


EPISODE = AskedTables(held_box().made())


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ('believed(loc("box", {"near": [0.4, 0.2, 0.5]}), at(1.5))', True),
        ('believed(moving("box"), at(1.5))', False),
        ('believed(moving("box"), at(2.55))', True),
        ("believed(moving(any), during(3.2, 9))", False),
        ('believed(moving("cup1"), at(2.55))', None),
        ('believed(attached("box", "right_hand"), at(3))', True),
        ('believed(attached("box", "fingertip"), at(3))', True),
        ('believed(attached("box", "base_link"), at(3))', False),
        ('believed(attached("box", any), at(7))', False),
    ],
)
def test_what_follows_from_beliefs(question: str, value: bool | None) -> None:
    assert EPISODE.ask(question).value is value


def test_a_variable_has_the_value_that_it_had_then() -> None:
    made = placed_box()
    history = ((ns(1), Status.ACTIVE), (ns(9), Status.DONE))
    said = ((ns(1), {"obs": "none"}), (ns(4), {"obs": "box"}))
    last = {"obs": "box"}
    made.tasks = [
        Task(0, "look.1", "", (), "look", "", Status.DONE, "", last, span(1, 9), history, said)
    ]
    episode = AskedTables(made.made())
    values = [
        episode.ask(f'variable("obs", at({t}))').value for t in ("2.0", "3.999", "4.0", "8.0")
    ]
    assert values == ["none", "none", "box", "box"]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ('occurs(loc_change("table"))', "cannot be the object of loc_change.*one of .*box.*arm"),
        ('occurs(picked_up("cup1", "cup2"))', "cannot be the hand of picked_up.*right_hand"),
        ('holds(held("box", "table"), at(1))', "cannot be the hand of held.*one of right_hand"),
        ('value(effort("no_joint"), at(1))', "unknown joint.*no_joint"),
    ],
)
def test_what_a_question_cannot_be_about_is_refused(question: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        EPISODE.ask(question)


def test_every_value_of_the_log_has_a_name(small_run: SmallRun) -> None:
    episode = AskedTables(open_tables(small_run.out))
    layout = episode.tables.layout
    for slot in layout.slots:
        found = episode.ask(f'value({slot.attribute.name}("{slot.entity}"), at(1.0))').value
        assert len(found) == slot.attribute.size if slot.attribute.size > 1 else found is not None
    pose = episode.ask('value(pose("box"), at(1.0))').value
    assert episode.ask('value(twist("box"), at(1.0))').value == pose[7:]
    assert episode.ask('value(loc("box"), at(1.0))').value == pose[:7]
    robots = [e for e in layout.entities if e.joints and layout.has(e.name, "joint_positions")]
    for robot in robots:
        all_of_them = episode.ask(f'value(joint_positions("{robot.name}"), at(1.0))').value
        one = episode.ask(f'value(position("{robot.joints[0]}"), at(1.0))').value
        assert one == (all_of_them[0] if isinstance(all_of_them, list) else all_of_them)
    up = episode.ask('value(contact_force("box"), at(1.0))').value
    assert len(up) == 3
