"""Snapshots, steps and answers go through messages, known only by their fields, without losing a bit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from support.any_scene import MODELS, a_scene, an_event
from support.random_examples import examples

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.topics import STATE
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.messages import typestore
from hetwin_core.episodes.periodic_messages import StateMessages
from hetwin_core.wire import messages

quick = examples(50)


def sent(event: Event) -> Any:
    """The message of an event as a node receives it."""
    encoded = next(iter(run_messages.event(event)))
    return typestore().deserialize_cdr(bytes(encoded.data), encoded.topic.type)


@quick
@given(a_scene())
def test_a_state(scene: Snapshot) -> None:
    parts = scene.values, scene.owners, scene.parents, scene.proximity
    encoded = StateMessages(scene.layout).fill(scene.time_ns, 7, *parts)
    message: Any = typestore().deserialize_cdr(bytes(encoded), STATE.type)
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
    assert messages.read_event(sent(event)) == event


def test_numbers_that_json_does_not_know_become_null() -> None:
    event = Event("hot", 0, arguments={"degrees": float("inf"), "name": "Ofentür"})
    message = sent(event)
    assert message.arguments == '{"degrees": null, "name": "Ofentür"}'
    assert messages.read_event(message).arguments == {"degrees": None, "name": "Ofentür"}


@pytest.mark.parametrize("arguments", ["[1]", "3", "null"])
def test_arguments_must_be_an_object(arguments: str) -> None:
    message = sent(Event("hot", 0))
    message.arguments = arguments
    with pytest.raises(ValueError, match="not a JSON object"):
        messages.read_event(message)
