"""The newest state goes through shared memory, whole or not at all."""

from __future__ import annotations

import multiprocessing
import threading

import numpy as np
import pytest

import hetwin_suite.view.live.feed as module
from hetwin_core.ensemble.conductor.controls import RealTimeFactor
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec
from hetwin_suite.view.live.feed import Phase, SharedState

LAYOUT = Layout.build(
    [Entity("ball", EntityKind.OBJECT)],
    [("ball", POSE), ("ball", AttributeSpec("temperature"))],
)
SECOND = 1_000_000_000


def write(memory: SharedState, number: int, **more: object) -> None:
    """Write a state all of whose numbers are the same."""
    values = np.full(LAYOUT.size, float(number))
    owners = np.full(2, number % 1000, np.int32)
    known: dict[str, object] = {"waits": False, "factor": None, "pace": None, "lag_s": None}
    memory.write(number, values, owners, **(known | more))  # type: ignore[arg-type]


def test_a_forked_process_writes_what_its_parent_reads() -> None:
    memory = SharedState()
    memory.set_layout(LAYOUT)
    assert memory.read() is None

    def child() -> None:
        own = memory
        own.set_layout(LAYOUT)
        write(own, 7, waits=True, factor=0.5, pace=2.0, lag_s=0.01, near=np.full((2, 12), 7.0))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(30)
    copied = memory.read()
    assert copied is not None
    assert (copied.time_ns, copied.phase, copied.factor, copied.pace, copied.lag_s) == (
        *(7, Phase.PAUSED),
        *(0.5, 2.0, 0.01),
    )
    assert copied.values.tolist() == [7.0] * LAYOUT.size
    assert copied.owners.tolist() == [7, 7]
    assert copied.near is not None
    assert copied.near.tolist() == [[7.0] * 12] * 2
    write(memory, 8)
    known = memory.read()
    assert known is not None
    assert known.near is None


def test_no_state_is_half_of_one_and_half_of_another() -> None:
    memory = SharedState()
    memory.set_layout(LAYOUT)
    over = threading.Event()

    def run() -> None:
        number = 0
        while not over.is_set():
            number += 1
            write(memory, number)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(2000):
            copied = memory.read()
            if copied is not None:
                assert set(copied.values.tolist()) == {float(copied.time_ns)}
                assert set(copied.owners.tolist()) == {copied.time_ns % 1000}
    finally:
        over.set()
        thread.join()


def test_a_state_that_stays_half_written_is_none() -> None:
    memory = SharedState()
    memory.set_layout(LAYOUT)
    write(memory, 1)
    memory._ints[0] += 1
    assert memory.read() is None


def test_too_large_a_scene_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIZE", 4096)
    large = Layout.build(
        [Entity("cup", EntityKind.OBJECT)], [("cup", AttributeSpec("particles", 7000))]
    )
    with pytest.raises(BadInput, match="more attributes than a page can show"):
        SharedState().set_layout(large)


def test_the_factor_is_that_of_the_last_seconds() -> None:
    factor = RealTimeFactor()
    assert factor.at(0, 0) is None
    assert factor.at(SECOND, 2 * SECOND) == pytest.approx(2.0)
    for tenth in range(1, 50):
        last = factor.at(SECOND + tenth * SECOND // 10, 2 * SECOND + tenth * SECOND // 20)
    assert last == pytest.approx(0.5)
    factor.restart_measurement()
    assert factor.at(99 * SECOND, 0) is None
