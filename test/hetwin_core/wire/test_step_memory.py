"""Memory for steps, offered on a socket to one process only."""

from __future__ import annotations

import os
from array import array

import pytest

from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.wire.step_memory import Asked, Offer, StepMemory, Wanted

TIMEOUT_S = 1.0


def both_ends() -> tuple[StepMemory, StepMemory]:
    """The conductor's end and the model's, both in this process."""
    offer = Offer(os.getpid(), "r1")
    asked = Asked(os.getpid(), "r1")
    here, there = offer.taken(), asked.memory(TIMEOUT_S)
    assert here is not None
    assert there is not None
    return here, there


def test_a_step_and_its_output() -> None:
    conductor, model = both_ends()
    assert model.wait_for_request(0.0) == Wanted()
    conductor.request(FlatMessage(array("q", [1, -2]), array("d", [0.1]), array("i", [3]), "[]"))
    request, rows_at, calls = model.wait_for_request(TIMEOUT_S)
    assert request is not None
    assert (rows_at, calls) == (None, 0)
    assert request.index.tolist() == [1, -2]
    assert array("d", request.numbers) == array("d", [0.1])
    assert array("i", request.tables) == array("i", [3])
    assert request.events == "[]"
    assert not conductor.has_stepped(0.0)
    model.reply(FlatMessage(more="{}", error="broken"))
    assert conductor.has_stepped(TIMEOUT_S)
    assert not conductor.has_stepped(0.0)
    assert (conductor.output().more, conductor.output().error) == ("{}", "broken")


def test_calls_are_counted_beside_a_step() -> None:
    conductor, model = both_ends()
    conductor.announce_call()
    conductor.announce_call()
    assert model.wait_for_request(TIMEOUT_S) == Wanted(calls=2)
    conductor.announce_call()
    conductor.request(FlatMessage())
    request, _, calls = model.wait_for_request(TIMEOUT_S)
    assert (request is not None, calls) == (True, 1)


def test_rows_are_asked_for_by_their_time() -> None:
    conductor, model = both_ends()
    conductor.request_rows(2_500_000)
    assert model.wait_for_request(TIMEOUT_S) == Wanted(rows_at=2_500_000)


def test_without_an_offer_there_is_none() -> None:
    assert Asked(os.getpid(), "r1").memory(TIMEOUT_S) is None


def test_an_offer_that_is_not_taken_ends() -> None:
    assert Offer(os.getpid(), "r1").taken() is None
    assert Asked(os.getpid(), "r1").memory(TIMEOUT_S) is None


def test_a_second_offer_to_the_same_process_is_none() -> None:
    first, second = Offer(os.getpid(), "r1"), Offer(os.getpid(), "r1")
    asked = Asked(os.getpid(), "r1")
    assert second.taken() is None
    assert first.taken() is not None
    assert asked.memory(TIMEOUT_S) is not None


def test_another_process_does_not_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here, node = os.getpid(), os.getppid()
    offer = Offer(node, "r1")
    with monkeypatch.context() as pretending:
        pretending.setattr(os, "getpid", lambda: node)
        asked = Asked(here, "r1")
    assert offer.taken() is None
    assert asked.memory(TIMEOUT_S) is None
