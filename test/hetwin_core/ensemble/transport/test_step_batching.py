"""What is kept of steps that were taken in one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import MainChanges, Tick
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, TOUCHES, Snapshot, Table, near_by
from hetwin_core.ensemble.scene.values import Floats, Value
from hetwin_core.ensemble.transport import step_batching, step_codec
from hetwin_core.ensemble.transport.step_batching import Stepper

EMPTY = Layout.build([], [])
LAST = MainChanges(99)
NONE = np.empty(0, np.int32)
TICK = Tick(0, 1, Snapshot(EMPTY, (), 0, np.empty(0), NONE, NONE))


@pytest.fixture(autouse=True)
def _idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, a call is not too long."""
    monkeypatch.setattr(step_batching, "LONGEST_S", 60.0)


def taken(*outputs: object, keeps_functions: bool = False) -> list[MainChanges]:
    """What is kept if a model's steps return these outputs, as long as it goes on."""
    given = iter(outputs)

    def step(_: Tick) -> MainChanges:
        return cast(MainChanges, next(given))

    further = range(1, len(outputs))
    return Stepper(keeps_functions=keeps_functions).step(step, TICK, further)


def told(
    outputs: list[MainChanges], rows_at: Callable[[str, int], Floats] | None = None
) -> list[MainChanges]:
    """The outputs as they are read where they were called for."""
    message = SimpleNamespace(index=[], numbers=[], more="")
    step_codec.fill_outputs(message, outputs, EMPTY)
    return step_codec.read_outputs(message, EMPTY, rows_at)


def same_rows(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one, other))


def same(one: MainChanges, other: MainChanges) -> bool:
    tables = one.tables.keys() == other.tables.keys() and all(
        same_rows(table.rows(), other.tables[name].rows()) for name, table in one.tables.items()
    )
    return one.time_ns == other.time_ns and same_rows(one.block, other.block) and tables


@examples(50)
@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=6), st.integers(0, 5))
def test_nothing_is_lost(rows: list[int | None], size: int) -> None:
    generator = np.random.default_rng(1)
    given_ = []
    for i, count in enumerate(rows):
        tables = {} if count is None else near_by(generator.normal(size=(count, 12)))
        if i % 2:
            tables[TOUCHES] = Table(generator.normal(size=(2, 9)))
        block = generator.normal(size=size)
        given_.append(MainChanges(i, block=block, tables=tables))
    found = told(taken(*given_, LAST))
    assert all(same(a, b) for a, b in zip([*given_, LAST], found, strict=True))


def test_a_copy_is_kept() -> None:
    block, near = np.zeros(2), np.zeros((1, 12))

    def step(tick: Tick) -> MainChanges:
        for array in (block, near):
            array += 1.0
        return MainChanges(tick.time_ns, block=block, tables=near_by(near))

    first, second = Stepper().step(step, TICK, [1])
    for output, expected in ((first, 1.0), (second, 2.0)):
        assert output.block is not None
        for numbers in (output.block, output.tables[PROXIMITY].rows()):
            assert set(numbers.flatten()) == {expected}


def test_rows_that_are_computed_when_read_are_left_for_later() -> None:
    rows, calls = np.ones((2, 12)), list[int]()

    def compute(name: str, time_ns: int) -> Floats:
        assert name == PROXIMITY
        calls.append(time_ns)
        return rows

    tables = [Table(partial(compute, PROXIMITY, time_ns)) for time_ns in (1, 2, 3)]
    steps = [
        MainChanges(i, block=np.zeros(1), tables={PROXIMITY: table})
        for i, table in enumerate(tables, 1)
    ]
    outputs = taken(*steps, keeps_functions=True)
    found = told(outputs, compute)
    assert calls == [3]  # whoever waits for the last step may read them
    assert found[1].tables[PROXIMITY].rows() is rows
    assert calls == [3, 2]
    assert outputs[0].tables[PROXIMITY].rows() is rows


def test_without_one_who_can_ask_later_they_are_computed_at_once() -> None:
    rows = np.ones((2, 12))
    tables = {PROXIMITY: Table(lambda: rows)}
    first, _ = taken(MainChanges(1, block=np.zeros(1), tables=tables), LAST)
    assert same_rows(first.tables[PROXIMITY].known, rows)


def test_the_steps_before_a_failure_count() -> None:
    def step(tick: Tick) -> MainChanges:
        if tick.time_ns == 2:
            raise ValueError("it broke")
        return MainChanges(tick.time_ns, block=np.zeros(1))

    stepper = Stepper()
    assert [output.time_ns for output in stepper.step(step, TICK, [1, 2, 3])] == [0, 1]
    with pytest.raises(ValueError, match="it broke"):
        stepper.step(step, TICK, [])
    assert len(stepper.step(step, TICK, [])) == 1


@pytest.mark.parametrize(
    "loud",
    [
        MainChanges(1),
        MainChanges(1, block=np.zeros(2, np.float32)),
        MainChanges(1, block=np.zeros(2), events=[Event("e", 1)]),
        MainChanges(1, block=np.zeros(2), values={("a", "b"): Value(np.zeros(1), 1)}),
        MainChanges(1, block=np.zeros(2), tables=near_by(np.zeros((1, 11)))),
        MainChanges(1, block=np.zeros(2), tables=near_by(np.zeros((1, 12), np.float32))),
        MainChanges(1, block=np.zeros(2), ended=True),
        MainChanges(1, block=np.zeros(2), input_ns=1),
        None,
    ],
)
def test_what_has_more_to_tell_is_the_last(loud: object) -> None:
    quiet = MainChanges(0, block=np.zeros(2))
    outputs = taken(quiet, loud, quiet)
    assert len(outputs) == 2
    assert outputs[1] is loud


def test_rows_that_only_last_until_the_next_step_are_computed_at_once() -> None:
    rows = np.ones((2, 12))
    tables = {PROXIMITY: Table(lambda: rows, lasts=False)}
    step = MainChanges(1, block=np.zeros(2), tables=tables)
    first, _ = taken(step, LAST, keeps_functions=True)
    assert same_rows(first.tables[PROXIMITY].known, rows)
