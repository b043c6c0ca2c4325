"""The section of a report with tasks, what held, what was believed, and flaws."""

from __future__ import annotations

from support.carried_box import (
    MadeRows,
    between,
    carried_box,
    made_tables,
    occasions,
    task,
)

from hetwin_core.episodes.tables.rows import Belief, Status
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.document import html_of
from hetwin_suite.view.figures import Part, Rows
from hetwin_suite.view.report.course import MAX_FACTS, Mark, course_card, course_figure, facts

TIPPED = Mark("unstable_support", between(7.8, 8.0), "box <came> off tray without a hand.")


def figure(tables: Tables, *flaws: Mark) -> Rows:
    return course_figure(tables, facts(tables)[0], flaws)


def bars_of(drawing: Rows, kind: str) -> list[tuple[str, float, float]]:
    return [(bar.row, bar.begin, bar.end) for bar in drawing.bars if bar.kind == kind]


def section_of(tables: Tables, *flaws: Mark, trouble: str = "") -> str:
    section = course_card(tables, flaws, trouble)
    assert section is not None
    return html_of(section)


def test_tasks_come_above_their_parts_and_facts_in_the_order_of_their_beginning() -> None:
    assert list(figure(carried_box(), TIPPED).rows) == [
        *("flaws", "tasks", "subtasks"),
        *("on(box, table)", "held(box, right_hand)", "on(box, tray)", "loc(box)"),
    ]


def test_tasks_have_the_colour_of_how_they_ended() -> None:
    drawing = figure(carried_box())
    assert bars_of(drawing, "task done") == [("tasks", 1.0, 4.5), ("subtasks", 2.0, 4.0)]
    assert bars_of(drawing, "task failed") == [("tasks", 4.5, 6.0)]
    colours = {bar.kind: bar.colour for bar in drawing.bars}
    assert len(set(colours.values())) == len(colours)
    (failed,) = (bar for bar in drawing.bars if bar.kind == "task failed")
    assert (failed.title, failed.detail) == ("retreat.1: failed", "stuck")


def test_tasks_at_the_same_time_are_side_by_side() -> None:
    tasks = [task(0, "a.1", 1.0, 4.0), task(1, "b.1", 2.0, 3.0), task(2, "c.1", 5.0, 6.0)]
    drawing = figure(made_tables(tasks=tasks))
    assert bars_of(drawing, "task done") == [
        *(("tasks", 1.0, 4.0), ("tasks 2", 2.0, 3.0), ("tasks", 5.0, 6.0)),
    ]


def test_tasks_that_name_each_other_as_parents_are_drawn_all_the_same() -> None:
    tasks = [task(0, "a.1", 1.0, 4.0, parent="b.1"), task(1, "b.1", 1.0, 4.0, parent="a.1")]
    assert len(bars_of(figure(made_tables(tasks=tasks)), "task done")) == 2


def test_a_belief_is_below_what_held_and_red_where_it_was_wrong() -> None:
    drawing = figure(carried_box())
    held = bars_of(drawing, "held in the world")
    assert ("on(box, tray)", 4.0, 7.8) in held
    assert bars_of(drawing, "believed") == [("on(box, tray)", 4.0, 10.0), ("loc(box)", 4.0, 10.0)]
    assert bars_of(drawing, "believed wrongly") == [
        *(("on(box, tray)", 7.8, 10.0), ("loc(box)", 7.9, 10.0)),
    ]
    wrong = [bar for bar in drawing.bars if bar.kind == "believed wrongly"][1]
    assert "by 40.0 cm and 6 degrees" in wrong.title
    assert wrong.detail == "last believed anew at 4.000 s"
    parts = {(bar.row, bar.kind): bar.part for bar in drawing.bars}
    assert parts["on(box, tray)", "held in the world"] is Part.UPPER
    assert parts["on(box, tray)", "believed"] is Part.LOWER
    assert parts["on(box, table)", "held in the world"] is None


def test_beliefs_that_repeat_are_one_bar_and_those_denied_are_none() -> None:
    said = [(True, 1.0, 2.0), (True, 2.0, 3.0), (False, 3.0, 5.0), (True, 5.0, 6.0)]
    beliefs = MadeRows(
        [
            Belief(i, "held", "cup", "hand", holds, None, between(begin, end), "/beliefs")
            for i, (holds, begin, end) in enumerate(said)
        ]
    )
    tables = made_tables(beliefs=beliefs, believed=frozenset({("held", "cup")}))
    row = "held(cup, hand)"
    assert bars_of(figure(tables), "believed") == [(row, 1.0, 3.0), (row, 5.0, 6.0)]


def test_a_flaw_is_a_bar_and_a_band_over_all_rows() -> None:
    later = Mark("stale_belief", between(7.9, 10.0), "box was believed where it was not.")
    drawing = figure(carried_box(), TIPPED, later)
    flaws = [bar for bar in drawing.bars if bar.row.startswith("flaws")]
    assert [(bar.row, bar.begin, bar.end) for bar in flaws] == [
        *(("flaws", 7.8, 8.0), ("flaws 2", 7.9, 10.0)),
    ]
    assert [(tint.begin, tint.end) for tint in drawing.tints] == [(7.8, 8.0), (7.9, 10.0)]
    assert flaws[0].title == "unstable support"
    assert flaws[0].detail == "box <came> off tray without a hand."


def test_what_never_changes_and_what_says_less_is_left_out() -> None:
    tables = made_tables(
        occasions=occasions(
            ("on", "table", "floor", 0.0, 10.0),
            ("contact", "box", "hand", 1.0, 2.0),
            ("moving", "box", "", 1.0, 2.0),
            ("on", "box", "tray", 4.0, 10.0),
        )
    )
    assert list(figure(tables).rows) == ["on(box, tray)"]


def test_of_too_many_facts_those_that_were_believed_wrongly_stay() -> None:
    many = [("on", f"cup{i}", "table", 1.0 + 0.1 * i, 9.0) for i in range(MAX_FACTS + 5)]
    box = carried_box()
    rows = [
        *many,
        *((o.fluent, o.a, o.b, 4.0, 7.8) for o in box.occasions.find("on", "box", "tray")),
    ]
    tables = made_tables(
        occasions=occasions(*rows),
        beliefs=box.beliefs,
        belief_errors=box.belief_errors,
        believed=box.believed,
    )
    shown, left = facts(tables)
    assert len(shown) == MAX_FACTS
    assert left == 7
    assert {"on(box, tray)", "loc(box)"} <= {fact.words for fact in shown}


def test_the_section_lists_the_flaws_with_links_to_their_times() -> None:
    section = section_of(carried_box(), TIPPED)
    assert 'data-time="7.8"' in section
    assert "box &lt;came&gt; off tray without a hand." in section
    assert "the lower half what the robot believed" in section
    assert section.count('class="plot"') == 1


def test_there_is_no_section_where_there_is_nothing_to_show() -> None:
    assert course_card(made_tables(), []) is None


def test_without_beliefs_nothing_is_said_of_them() -> None:
    tables = made_tables(tasks=[task(0, "a.1", 1.0, 2.0, status=Status.CANCELLED)])
    section = section_of(tables)
    assert "believed, red" not in section
    assert "Tasks have the colour" in section


def test_a_rule_that_cannot_be_used_costs_the_flaws_alone() -> None:
    section = section_of(carried_box(), trouble="Flaws were not looked for: no <rule>")
    assert "Flaws were not looked for: no &lt;rule&gt;" in section
    assert section.count('class="plot"') == 1
