"""Messages through memory that two processes share."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.transport.remote.memory import SharedParts, TooLarge


@given(st.lists(st.binary(max_size=30), max_size=5), st.lists(st.binary(max_size=30), max_size=5))
def test_the_last_message_is_read(first: list[bytes], second: list[bytes]) -> None:
    memory = SharedParts(4096)
    memory.write(first)
    memory.write(second)
    assert memory.read() == second


def test_a_forked_process_sees_it() -> None:
    memory = SharedParts(4096)
    pid = os.fork()
    if pid == 0:
        memory.write([b"from the child", b""])
        os._exit(0)
    os.waitpid(pid, 0)
    assert memory.read() == [b"from the child", b""]


def test_what_does_not_fit_is_refused_and_changes_nothing() -> None:
    memory = SharedParts(4096)
    memory.write([b"small"])
    with pytest.raises(TooLarge, match="it has 4090 bytes; expected at most 4080"):
        memory.write([b"x" * 4090])
    assert memory.read() == [b"small"]
