"""Gazebo's server must not take SIGINT and SIGTERM from the run around it."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator

import pytest

from hetwin_core.ensemble.supervision.interrupts import TERMINATING
from hetwin_gazebo.simulation import preserved_signal_handlers

C_IGNORE = ctypes.c_void_p(1)


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """Numbers of the signals that Python's handlers got."""
    numbers: list[int] = []
    before = {s: signal.signal(s, lambda number, _: numbers.append(number)) for s in TERMINATING}
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


def take_the_handlers() -> None:
    """What Gazebo's server does when it is made, behind Python's back."""
    for number in TERMINATING:
        ctypes.CDLL(None).signal(int(number), C_IGNORE)


def test_handlers_are_set_again(heard: list[int]) -> None:
    with preserved_signal_handlers():
        take_the_handlers()
    for number in TERMINATING:
        signal.raise_signal(number)
    assert heard == list(TERMINATING)


def test_a_signal_that_arrives_meanwhile_is_handled_afterwards(heard: list[int]) -> None:
    with preserved_signal_handlers():
        take_the_handlers()
        signal.raise_signal(signal.SIGINT)
        assert not heard
    assert heard == [signal.SIGINT]


def test_it_works_in_any_thread(heard: list[int]) -> None:
    def work() -> None:
        with preserved_signal_handlers():
            take_the_handlers()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGTERM]
