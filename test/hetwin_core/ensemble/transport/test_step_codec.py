"""Steps and answers go through flat messages without losing a bit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_layout import a_layout, numbers
from support.any_scene import a_scene, an_event, times
from support.random_examples import examples

from hetwin_core.ensemble.model import MainChanges, MainTick, Request, RequestKind
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, TOUCHES, Table, proximity_tables
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.transport import step_codec

quick = examples(50)


def step_message() -> Any:
    return SimpleNamespace(index=[], numbers=[], tables=[], events="")


def output_message() -> Any:
    return SimpleNamespace(index=[], numbers=[], more="")


@st.composite
def values_in(draw: st.DrawFn, layout: Layout) -> dict[tuple[str, str], Value]:
    chosen = draw(st.lists(st.sampled_from(range(len(layout.slots))), unique=True, max_size=3))
    frames = ["world", *(e.name for e in layout.entities)]
    return {
        (layout.slots[i].entity, layout.slots[i].attribute.name): Value(
            draw(numbers(layout.slots[i].attribute.size)),
            draw(times),
            draw(st.sampled_from(frames)),
        )
        for i in chosen
    }


def same(a: Value, b: Value) -> bool:
    return (a.time_ns, a.parent, a.data.tobytes()) == (b.time_ns, b.parent, b.data.tobytes())


def same_array(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return (mine.dtype, mine.shape, mine.tobytes()) == (
        theirs.dtype,
        theirs.shape,
        theirs.tobytes(),
    )


@quick
@given(st.data(), st.booleans())
def test_a_step_and_its_scene(data: st.DataObject, with_state: bool) -> None:
    scene, at_start = data.draw(a_scene()), None
    foreign = data.draw(values_in(scene.layout))
    events = tuple(data.draw(st.lists(an_event, max_size=2)))
    tick = MainTick(data.draw(times), data.draw(times), scene, events, foreign)
    at_start = MainTick(0, 0, scene).scene
    message = step_message()
    step_codec.fill_step(message, tick, (PROXIMITY,) if with_state else None)
    back = step_codec.read_step(message, at_start)
    assert (back.time_ns, back.period_ns, back.events) == (tick.time_ns, tick.period_ns, events)
    assert back.scene.time_ns == scene.time_ns
    for part in ("values", "owners", "parents", "proximity"):
        assert same_array(getattr(scene, part), getattr(back.scene, part))
    assert foreign.keys() == back.foreign.keys()
    assert all(same(foreign[key], back.foreign[key]) for key in foreign)


near = st.integers(0, 1).flatmap(lambda n: numbers(12 * n)).map(lambda n: n.reshape(-1, 12))
touches = numbers(9).map(lambda n: n.reshape(1, 9))
tables = st.fixed_dictionaries(
    {}, optional={PROXIMITY: near.map(Table), TOUCHES: touches.map(Table)}
)


@quick
@given(st.data())
def test_the_output_of_a_step(data: st.DataObject) -> None:
    layout = data.draw(a_layout())
    output = MainChanges(
        time_ns=data.draw(times),
        values=data.draw(values_in(layout)),
        block=data.draw(st.none() | numbers(5)),
        tables=data.draw(tables),
        events=data.draw(st.lists(an_event, max_size=2)),
        requests=data.draw(st.sampled_from([[], [Request(RequestKind.TAKE, "x", "pose")]])),
        ended=data.draw(st.booleans()),
        input_ns=data.draw(st.none() | times),
        late=data.draw(st.booleans()),
        quiet_ns=data.draw(st.none() | times),
    )
    message = output_message()
    step_codec.fill_output(message, output, layout)
    back = step_codec.read_output(message, layout)
    assert same_array(output.block, back.block)
    assert output.tables.keys() == back.tables.keys()
    for name, table in output.tables.items():
        assert same_array(table.rows(), back.tables[name].rows())
    for part in ("time_ns", "events", "requests", "ended", "input_ns", "late", "quiet_ns"):
        assert getattr(output, part) == getattr(back, part)
    assert output.values.keys() == back.values.keys()
    assert all(same(output.values[key], back.values[key]) for key in output.values)


def test_an_attribute_that_the_scene_does_not_have_is_still_told() -> None:
    layout = Layout.build([], [])
    message = output_message()
    output = MainChanges(0, values={("dog", "pose"): Value(np.zeros(13), 0)})
    step_codec.fill_output(message, output, layout)
    back = step_codec.read_output(message, layout)
    assert list(back.values) == [("dog", "pose")]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (None, "NoneType"),
        (MainChanges(0, block=np.zeros(2, np.float32)), "the block is float32"),
        (MainChanges(0, block=np.zeros((2, 1))), r"shape \(2, 1\)"),
        (
            MainChanges(0, tables=proximity_tables(np.zeros(12))),
            r"proximity is float64 of shape \(12,",
        ),
        (MainChanges(0, tables={TOUCHES: Table(np.zeros((1, 3)))}), r"shape \(1, 3\)"),
    ],
)
def test_what_cannot_be_said_is_refused(output: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        step_codec.fill_output(output_message(), output, Layout.build([], []))


def test_a_frame_that_the_scene_does_not_have_is_not_the_world() -> None:
    layout = Layout.build([], [])
    assert step_codec.parent_name(layout, step_codec.parent_id(layout, "moon")) != "world"
    assert step_codec.parent_name(layout, step_codec.parent_id(layout, "world")) == "world"


@pytest.mark.parametrize(
    ("index", "numbers_", "more", "said"),
    [
        ([5], [], "", "index has 1 numbers; expected"),
        ([5, -1, 0, 0, -1], [], "", "index has 5 numbers; expected"),
        ([5, -1, 0], [1.0], "", "numbers has 1 values, and the sizes in index add up to 0"),
        (
            [5, -1, 0],
            [],
            '{"events": [["high"]]}',
            r"events has the row \['high'\]; expected \[name",
        ),
    ],
)
def test_an_output_of_anyones_that_does_not_fit_is_named(
    index: list[int], numbers_: list[float], more: str, said: str
) -> None:
    arrays = {"index": np.array(index, np.int64), "numbers": np.array(numbers_, np.float64)}
    with pytest.raises(ValueError, match=said):
        step_codec.read_output(SimpleNamespace(**arrays, more=more), Layout((), (), 0))
