"""Snapshots, steps and answers go through messages, known only by their fields, without losing a bit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from any_layout import a_layout, numbers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hetwin_suite.ensemble.events import Event, EventKind
from hetwin_suite.ensemble.layout import Layout
from hetwin_suite.ensemble.model import Request, RequestKind, StepInput, StepOutput
from hetwin_suite.ensemble.snapshot import Snapshot
from hetwin_suite.ensemble.transport import messages
from hetwin_suite.ensemble.values import Value

quick = settings(
    max_examples=50,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
MODELS = ("physics", "a")
times = st.integers(0, 2**31 * 10**9 - 1)


def stamp() -> Any:
    return SimpleNamespace(sec=0, nanosec=0)


def state_message() -> Any:
    return SimpleNamespace(stamp=stamp(), step=0, values=[], owners=[], parents=[], proximity=[])


def event_message() -> Any:
    return SimpleNamespace(stamp=stamp(), name="", kind="", source="", sequence=0, arguments="")


def step_message() -> Any:
    empty: dict[str, Any] = {f"foreign_{n}": [] for n in ("slots", "parents", "times", "values")}
    return SimpleNamespace(
        time=stamp(), step=0, period_ns=0, state=state_message(), events=[], **empty
    )


def output_message() -> Any:
    lists: dict[str, Any] = {
        n: [] for n in ("slots", "parents", "times", "sizes", "values", "block", "proximity")
    }
    return SimpleNamespace(
        time=stamp(),
        unknown=[],
        has_block=False,
        has_proximity=False,
        events=[],
        requests="",
        ended=False,
        **lists,
    )


@st.composite
def a_scene(draw: st.DrawFn) -> Snapshot:
    layout: Layout = draw(a_layout())
    slots = len(layout.slots)
    parents = st.integers(-1, len(layout.entities) - 1)
    return Snapshot(
        layout,
        MODELS,
        draw(times),
        draw(numbers(layout.size)),
        np.array(draw(st.lists(st.integers(0, 1), min_size=slots, max_size=slots)), np.int32),
        np.array(draw(st.lists(parents, min_size=slots, max_size=slots)), np.int32),
        draw(numbers(24)).reshape(2, 12),
    )


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


an_event = st.builds(
    Event,
    st.text(max_size=5),
    times,
    st.sampled_from(EventKind),
    st.text(max_size=5),
    st.integers(0, 2**31),
    st.dictionaries(
        st.text(max_size=3), st.floats(allow_nan=False) | st.text(max_size=3), max_size=2
    ),
)


def same(a: Value, b: Value) -> bool:
    return (a.time_ns, a.parent, a.data.tobytes()) == (b.time_ns, b.parent, b.data.tobytes())


@quick
@given(st.data())
def test_a_step_and_its_scene(data: st.DataObject) -> None:
    scene = data.draw(a_scene())
    foreign = data.draw(values_in(scene.layout))
    events = tuple(data.draw(st.lists(an_event, max_size=2)))
    tick = StepInput(data.draw(times), data.draw(times), scene, events, foreign)
    message = step_message()
    messages.fill_step(message, tick, 7, event_message)
    back = messages.read_step(message, scene)
    assert (back.time_ns, back.period_ns, back.events) == (tick.time_ns, tick.period_ns, events)
    assert back.scene.time_ns == scene.time_ns
    for part in ("values", "owners", "parents", "proximity"):
        mine, theirs = getattr(scene, part), getattr(back.scene, part)
        assert (mine.dtype, mine.shape, mine.tobytes()) == (
            theirs.dtype,
            theirs.shape,
            theirs.tobytes(),
        )
    assert foreign.keys() == back.foreign.keys()
    assert all(same(foreign[key], back.foreign[key]) for key in foreign)


@quick
@given(st.data())
def test_an_answer(data: st.DataObject) -> None:
    layout = data.draw(a_layout())
    output = StepOutput(
        data.draw(times),
        data.draw(values_in(layout)),
        data.draw(st.none() | numbers(5)),
        data.draw(st.none() | numbers(12).map(lambda n: n.reshape(1, 12))),
        data.draw(st.lists(an_event, max_size=2)),
        [Request(RequestKind.TAKE, "x", "pose")],
        data.draw(st.booleans()),
    )
    message = output_message()
    messages.fill_output(message, output, layout, event_message)
    back = messages.read_output(message, layout)
    assert (back.time_ns, back.events, back.requests, back.ended) == (
        output.time_ns,
        output.events,
        output.requests,
        output.ended,
    )
    assert output.values.keys() == back.values.keys()
    assert all(same(output.values[key], back.values[key]) for key in output.values)
    for part in ("block", "proximity"):
        mine, theirs = getattr(output, part), getattr(back, part)
        assert (mine is None) == (theirs is None)
        assert mine is None or (mine.shape, mine.tobytes()) == (theirs.shape, theirs.tobytes())


def test_an_attribute_that_the_scene_does_not_have_is_still_told() -> None:
    layout = Layout.build([], [])
    message = output_message()
    output = StepOutput(0, {("dog", "pose"): Value(np.zeros(13), 0)})
    messages.fill_output(message, output, layout, event_message)
    assert list(messages.read_output(message, layout).values) == [("dog", "pose")]


def test_a_frame_that_the_scene_does_not_have_is_not_the_world() -> None:
    layout = Layout.build([], [])
    assert messages.parent_name(layout, messages.parent_id(layout, "moon")) != "world"
    assert messages.parent_name(layout, messages.parent_id(layout, "world")) == "world"


@pytest.mark.parametrize("arguments", ["[1]", "3", "null"])
def test_arguments_must_be_an_object(arguments: str) -> None:
    message = event_message()
    message.kind, message.arguments = "model", arguments
    with pytest.raises(ValueError, match="must be a JSON object"):
        messages.read_event(message)
