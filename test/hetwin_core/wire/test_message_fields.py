"""Snapshots, steps and answers go through messages, known only by their fields, without losing a bit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_layout import a_layout, numbers
from support.random_examples import examples

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.wire import messages

quick = examples(50)
MODELS = ("physics", "a")
times = st.integers(0, 2**31 * 10**9 - 1)


def stamp() -> Any:
    return SimpleNamespace(sec=0, nanosec=0)


def state_message() -> Any:
    return SimpleNamespace(stamp=stamp(), step=0, values=[], owners=[], parents=[], proximity=[])


def event_message() -> Any:
    return SimpleNamespace(stamp=stamp(), name="", kind="", source="", sequence=0, arguments="")


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


an_event = st.builds(
    Event,
    st.text(max_size=5),
    times,
    st.sampled_from(EventKind),
    st.text(max_size=5),
    st.integers(0, 2**31),
    st.dictionaries(
        st.text(max_size=3),
        st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
        max_size=2,
    ),
)


@quick
@given(a_scene())
def test_a_state(scene: Snapshot) -> None:
    message = state_message()
    messages.fill_state(message, scene, 7)
    back = messages.read_state(message, scene.layout, MODELS)
    assert (back.time_ns, message.step) == (scene.time_ns, 7)
    for part in ("values", "owners", "parents", "proximity"):
        mine, theirs = getattr(scene, part), getattr(back, part)
        assert (mine.dtype, mine.shape, mine.tobytes()) == (
            theirs.dtype,
            theirs.shape,
            theirs.tobytes(),
        )


@quick
@given(an_event)
def test_an_event(event: Event) -> None:
    assert messages.read_event(messages.fill_event(event_message(), event)) == event


def test_numbers_that_json_does_not_know_become_null() -> None:
    event = Event("hot", 0, arguments={"degrees": float("inf"), "name": "Ofentür"})
    message = messages.fill_event(event_message(), event)
    assert message.arguments == '{"degrees": null, "name": "Ofentür"}'
    assert messages.read_event(message).arguments == {"degrees": None, "name": "Ofentür"}


def test_a_frame_that_the_scene_does_not_have_is_not_the_world() -> None:
    layout = Layout.build([], [])
    assert messages.parent_name(layout, messages.parent_id(layout, "moon")) != "world"
    assert messages.parent_name(layout, messages.parent_id(layout, "world")) == "world"


@pytest.mark.parametrize("arguments", ["[1]", "3", "null"])
def test_arguments_must_be_an_object(arguments: str) -> None:
    message = event_message()
    message.kind, message.arguments = "model", arguments
    with pytest.raises(ValueError, match="no JSON object"):
        messages.read_event(message)
