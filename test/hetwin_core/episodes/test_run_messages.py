"""What happens in a run is encoded as the library of message types encodes it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from support.random_examples import examples

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.events import Event, EventKind, arguments_to_text
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.messages import header, message, stamp, typestore

TIME_NS = 12_345_678_901
texts = some.text(max_size=9)


def by_the_library(topic: topics.Topic, **fields: object) -> bytes:
    return bytes(typestore().serialize_cdr(message(topic.type, **fields), topic.type))


@examples(60)
@given(texts, texts, some.integers(0, 2**64 - 1), some.dictionaries(texts, texts, max_size=2))
def test_an_event(name: str, source: str, sequence: int, arguments: dict[str, str]) -> None:
    happened = Event(name, TIME_NS, EventKind.MODEL, source, sequence, arguments)
    (encoded,) = run_messages.event(happened)
    assert (encoded.topic, encoded.time_ns) == (topics.EVENTS, TIME_NS)
    assert bytes(encoded.data) == by_the_library(
        topics.EVENTS,
        stamp=stamp(TIME_NS),
        name=name,
        kind="model",
        source=source,
        sequence=sequence,
        arguments=arguments_to_text(arguments),
    )


@examples(40)
@given(texts, texts)
def test_an_action(operation: str, hand: str) -> None:
    arguments = {"phase": "begin", "hand": hand}
    _, encoded = run_messages.event(
        Event(operation, TIME_NS, EventKind.ACTION, arguments=arguments)
    )
    assert encoded.topic == topics.ANNOTATIONS
    assert bytes(encoded.data) == by_the_library(
        topics.ANNOTATIONS,
        header=header(TIME_NS),
        operation=operation,
        phase="begin",
        arguments=arguments_to_text({"hand": hand}),
    )


@examples(60)
@given(texts, texts, some.lists(some.floats(-1, 1), max_size=4))
def test_a_handover(entity: str, cause: str, numbers: list[float]) -> None:
    value = Value(np.array(numbers, np.float64), TIME_NS, "hand")
    moved = Handover(TIME_NS, entity, "pose", "physics", "in_hand", cause, value)
    assert bytes(run_messages.handover(moved).data) == by_the_library(
        topics.HANDOVERS,
        stamp=stamp(TIME_NS),
        entity=entity,
        attribute="pose",
        from_model="physics",
        to_model="in_hand",
        cause=cause,
        value=value.data,
        parent="hand",
    )
