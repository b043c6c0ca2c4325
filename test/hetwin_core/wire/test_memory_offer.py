"""Memory for calls, given to one process only."""

from __future__ import annotations

import os
import time
from array import array

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.transport.remote.memory import SIZE_BYTES, FlatMessage, MemoryChannel
from hetwin_core.wire.memory_offer import MemoryRequest, offer_memory

TIMEOUT_S = 1.0


def both_ends() -> tuple[MemoryChannel, MemoryChannel]:
    """The conductor's end and the model's, both in this process."""
    wanted = MemoryRequest()
    here = offer_memory(wanted.address, os.getpid(), "r1")
    there = wanted.taken(os.getpid(), "r1", TIMEOUT_S)
    assert here is not None
    assert there is not None
    return here, there


def soon() -> float:
    return time.monotonic() + TIMEOUT_S


def goes_on() -> bool:
    return True


def test_a_call_and_its_result() -> None:
    conductor, model = both_ends()
    assert model.next_request(0.0) is None
    numbers, tables = array("d", [0.1]), array("i", [3])
    conductor.request(FlatMessage("step", array("q", [1, -2]), numbers, tables, "[]", "{}"))
    call = model.next_request(TIMEOUT_S)
    assert call is not None
    assert (call.call, call.index.tolist(), call.events, call.more) == ("step", [1, -2], "[]", "{}")
    assert array("d", call.numbers) == numbers
    assert array("i", call.tables) == tables
    assert model.next_request(0.0) is None
    assert conductor.reply_until(0.0, goes_on) is None
    model.reply(FlatMessage(more="{}", error="broken"))
    result = conductor.reply_until(soon(), goes_on)
    assert result is not None
    assert (result.more, result.error) == ("{}", "broken")
    assert conductor.reply_until(0.0, goes_on) is None


def test_waiting_ends_when_there_is_nobody_to_wait_for() -> None:
    conductor, model = both_ends()
    begun = time.monotonic()
    assert conductor.reply_until(begun + 60.0, lambda: False) is None
    assert time.monotonic() - begun < 10.0

    def replies_and_ends() -> bool:
        model.reply(FlatMessage(more="last words"))
        return False

    result = conductor.reply_until(soon(), replies_and_ends)
    assert result is not None
    assert result.more == "last words"


def test_without_an_offer_there_is_none() -> None:
    assert MemoryRequest().taken(os.getpid(), "r1", 0.0) is None


def test_a_node_that_does_not_wait_gets_none() -> None:
    wanted = MemoryRequest()
    wanted.close()
    assert offer_memory(wanted.address, os.getpid(), "r1") is None


def test_memory_that_is_too_small_is_refused_in_words() -> None:
    files = [os.memfd_create("small"), os.memfd_create("small"), os.eventfd(0), os.eventfd(0)]
    with pytest.raises(BadInput, match="the shared memory is too small; found '0 bytes'"):
        MemoryChannel(files)
    os.ftruncate(files[0], SIZE_BYTES)
    os.ftruncate(files[1], SIZE_BYTES - 1)
    with pytest.raises(BadInput, match=f"'{SIZE_BYTES - 1} bytes'; expected {SIZE_BYTES}"):
        MemoryChannel(files)
    for file in files:
        os.close(file)


def test_another_process_does_not_get_it() -> None:
    wanted = MemoryRequest()
    assert offer_memory(wanted.address, os.getppid(), "r1") is None
    assert wanted.taken(os.getpid(), "r1", TIMEOUT_S) is None


@pytest.mark.parametrize(
    ("conductor", "run"),
    [(os.getppid(), "r1"), (os.getpid(), "r2")],
    ids=["another process", "another run"],
)
def test_a_node_takes_it_from_its_conductor_alone(conductor: int, run: str) -> None:
    wanted = MemoryRequest()
    offered = offer_memory(wanted.address, os.getpid(), run)
    assert wanted.taken(conductor, "r1", TIMEOUT_S) is None
    own = offer_memory(wanted.address, os.getpid(), "r1")
    taken = wanted.taken(os.getpid(), "r1", TIMEOUT_S)
    assert offered is not None
    assert own is not None
    assert taken is not None
