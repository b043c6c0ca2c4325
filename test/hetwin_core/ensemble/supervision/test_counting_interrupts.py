"""SIGINT and SIGTERM are counted, held back, or end a process at once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hetwin_core.ensemble.supervision.interrupts import (
    TERMINATING,
    Interrupted,
    Interrupts,
    block_signals,
    unblock_signals,
)

SLOW_IMPORT = """
import importlib.util, sys
from hetwin_core.ensemble.supervision.starting import start
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "slow":
            print("importing", flush=True)
            while True:
                try:
                    import time; time.sleep(60)
                except BaseException:
                    raise ImportError("an import makes what it likes of an exception")
sys.meta_path.insert(0, Slow())
start("slow")
"""


def kill(number: signal.Signals) -> None:
    signal.raise_signal(number)  # in this thread: any other may take what is sent to the process


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """No signal is ignored, as under nohup or in the background of a shell."""
    before = {number: signal.getsignal(number) for number in TERMINATING}
    for number in TERMINATING:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    block_signals()
    try:
        yield
    finally:
        unblock_signals()


@pytest.mark.parametrize("number", TERMINATING)
def test_signals_are_counted(number: signal.Signals) -> None:
    counts: list[tuple[int, int]] = []
    before = signal.getsignal(number)
    with Interrupts(lambda count, number: counts.append((count, number))) as interrupts:
        kill(number)
        kill(signal.SIGTERM)
    assert counts == [(1, number), (2, signal.SIGTERM)]
    assert interrupts.first == number
    assert interrupts.code == 128 + number
    assert signal.getsignal(number) == before


def test_signals_of_the_same_wish_count_once() -> None:
    with Interrupts(apart_s=60.0) as interrupts:
        kill(signal.SIGINT)
        kill(signal.SIGTERM)
    assert (interrupts.count, interrupts.first) == (1, signal.SIGINT)


def test_without_a_signal_there_is_nothing_to_raise() -> None:
    with Interrupts() as interrupts:
        interrupts.raise_if_any()
        assert interrupts.code == 0
        kill(signal.SIGTERM)
        with pytest.raises(Interrupted, match="interrupted by SIGTERM") as raised:
            interrupts.raise_if_any()
    assert raised.value.code == 143


def test_a_signal_that_was_held_back_arrives_on_entering() -> None:
    with held():
        kill(signal.SIGINT)
        with Interrupts() as interrupts:
            assert interrupts.first == signal.SIGINT
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("number", TERMINATING)
def test_an_import_is_ended_at_once_and_quietly(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_IMPORT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (128 + number, f"interrupted by {number.name}\n")
