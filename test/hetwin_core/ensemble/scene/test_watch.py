"""Reports about the robot, as tables and as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_layout import any_text
from support.random_examples import examples

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.model import MainContribution
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.scene import ResponsibilityTable, Scene
from hetwin_core.ensemble.scene.snapshot import (
    CLEARANCES,
    PROXIMITY,
    ROBOT_JOINTS,
    TABLES,
    TOUCHES,
    no_rows,
    proximity_tables,
    rows_problem,
)
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding, Watch, WatchLayout, watch_every

finite = st.floats(allow_nan=False, allow_infinity=False)
known_or_not = finite | st.just(float("nan"))
limit = st.none() | finite


def arrays(count: int, numbers: st.SearchStrategy[float]) -> st.SearchStrategy[Floats]:
    return st.lists(numbers, min_size=count, max_size=count).map(lambda n: np.array(n, np.float64))


@st.composite
def a_watch_layout(draw: st.DrawFn) -> WatchLayout:
    count = draw(st.integers(0, 3))

    def each(of: st.SearchStrategy[object]) -> tuple[object, ...]:
        return tuple(draw(st.lists(of, min_size=count, max_size=count)))

    finding = st.builds(
        Finding,
        any_text,
        st.integers(0, 2**60),
        st.integers(0, 2**60),
        st.dictionaries(any_text, any_text | finite | st.lists(any_text, max_size=2), max_size=2),
    )
    return WatchLayout(
        ((draw(any_text), count),),
        each(any_text),  # type: ignore[arg-type]
        each(st.booleans()),  # type: ignore[arg-type]
        *(each(limit) for _ in range(4)),  # type: ignore[arg-type]
        has_inertias=draw(st.booleans()),
        findings=tuple(draw(st.lists(finding, max_size=2))),
    )


@st.composite
def a_watch(draw: st.DrawFn, count: int) -> Watch:
    rows, touches = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    known = draw(arrays(touches * TABLES[TOUCHES].number, finite)).reshape(
        touches, TABLES[TOUCHES].number
    )
    known[:, 5] = draw(arrays(touches, known_or_not))
    return Watch(
        draw(st.integers(0, 2**53)),
        *(draw(arrays(count, known_or_not)) for _ in range(4)),
        draw(arrays(rows * TABLES[CLEARANCES].number, finite)).reshape(
            rows, TABLES[CLEARANCES].number
        ),
        draw(st.integers(0, 10**9)),
        known,
    )


def layout_of(*joints: str) -> WatchLayout:
    none = (None,) * len(joints)
    return WatchLayout(
        (("arm", len(joints)),), joints, (True,) * len(joints), none, none, none, none
    )


@examples(100)
@given(st.data(), a_watch_layout())
def test_a_report_comes_back_to_the_bit(data: st.DataObject, layout: WatchLayout) -> None:
    watch = data.draw(a_watch(len(layout.joints)))
    tables = watch.tables()
    assert not any(rows_problem(name, table.rows()) for name, table in tables.items())
    back = Watch.read(tables, replace(layout, delay_ns=watch.delay_ns))
    assert back is not None
    assert (back.time_ns, back.delay_ns) == (watch.time_ns, watch.delay_ns)
    for part in (
        "recorded",
        "recorded_velocities",
        "measured_efforts",
        "expected_efforts",
        "clearances",
        "touches",
    ):
        mine, theirs = getattr(watch, part), getattr(back, part)
        assert mine.shape == theirs.shape
        assert mine.tobytes() == theirs.tobytes()


@examples(100)
@given(a_watch_layout())
def test_a_layout_comes_back_from_json_also_in_a_contribution(layout: WatchLayout) -> None:
    assert WatchLayout.from_json(json.loads(json.dumps(layout.to_json()))) == layout
    text = json_codec.contribution_to_text(MainContribution(watch=layout))
    assert json_codec.contribution_from_text(text).watch == layout


def test_a_contribution_without_a_watch_has_none() -> None:
    text = json_codec.contribution_to_text(MainContribution())
    assert json_codec.contribution_from_text(text).watch is None


def test_a_report_of_another_robot_is_refused() -> None:
    two = Watch(0, *[np.zeros(2)] * 4, no_rows(CLEARANCES)).tables()
    with pytest.raises(ValueError, match="is about 2 joints; arm has 1"):
        Watch.read(two, layout_of("elbow"))


@pytest.mark.parametrize(
    ("name", "rows", "text"),
    [
        (ROBOT_JOINTS, np.zeros(4), r"shape \(4,\); expected float64 of shape \(n, 4\)"),
        (CLEARANCES, np.zeros((1, 8)), r"shape \(1, 8\)"),
        (CLEARANCES, np.zeros((1, 9), np.float32), "float32"),
        (CLEARANCES, np.array([[0.0] * 8 + [np.nan]]), "not finite"),
        (TOUCHES, np.array([[0.0] * 8 + [np.nan]]), "not finite"),
        (TOUCHES, np.array([[0.0] * 5 + [np.inf] + [0.0] * 3]), "not finite"),
        (ROBOT_JOINTS, np.array([[np.inf, 0.0, 0.0, 0.0]]), "not finite"),
        (PROXIMITY, np.array([[1.0] * 12, [np.nan] * 12]), "not finite"),
    ],
)
def test_what_is_wrong_with_a_table(name: str, rows: Floats, text: str) -> None:
    wrong = rows_problem(name, rows)
    assert wrong is not None
    assert re.search(text, wrong)


@pytest.mark.parametrize(
    ("rate", "watch_rate", "every"),
    [(400.0, 50.0, 8), (400.0, 0.0, 0), (20.0, 50.0, 1), (240.0, 50.0, 5), (1000.0, 1.0, 1000)],
)
def test_how_often_a_report_comes(rate: float, watch_rate: float, every: int) -> None:
    assert watch_every(rate, watch_rate) == every


def test_the_scene_keeps_the_last_table_of_each_kind_and_a_kept_snapshot_copies_those_asked_for() -> (
    None
):
    layout = Layout.build([], [])
    scene = Scene(layout, ResponsibilityTable(layout, ("physics",), np.empty(0, np.int32)), 0)
    assert len(scene.snapshot().proximity) == 0
    report = Watch(20, *[np.ones(1)] * 4, no_rows(CLEARANCES)).tables()
    scene.put_tables(report)
    scene.put_tables(proximity_tables(np.zeros((1, 12))))
    scene.resolve(40)
    assert scene.snapshot().tables[ROBOT_JOINTS] is report[ROBOT_JOINTS]
    kept = scene.kept_snapshot((ROBOT_JOINTS,)).tables
    assert list(kept) == [ROBOT_JOINTS]
    report[ROBOT_JOINTS].rows()[0] = 60.0
    assert (kept[ROBOT_JOINTS].rows().tolist(), kept[ROBOT_JOINTS].time_ns) == ([[1.0] * 4], 20)


def test_a_part_of_the_report_is_of_one_robot() -> None:
    none = (None,) * 3
    layout = WatchLayout(
        (("left", 1), ("right", 2)), ("a", "b", "c"), (True,) * 3, none, none, none, none
    )
    assert dict(layout.parts()) == {"left": slice(0, 1), "right": slice(1, 3)}
    assert layout.of("right").joints == ("b", "c")
    assert layout.of("right").robots == (("right", 2),)
    three = np.arange(3.0)
    watch = Watch(0, three, 10 + three, 20 + three, 30 + three, no_rows(CLEARANCES))
    part = watch.of(slice(1, 3))
    assert part.recorded.tolist() == [1.0, 2.0]
    assert part.expected_efforts.tolist() == [31.0, 32.0]
