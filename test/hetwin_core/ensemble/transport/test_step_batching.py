"""What is kept of steps that were taken in one call."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import StepOutput
from hetwin_core.ensemble.scene.late_rows import LateRows
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats, Value
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.step_batching import QuietSteps

LAST = StepOutput(time_ns=99)


def kept(steps: QuietSteps) -> list[StepOutput]:
    message = SimpleNamespace(index=[], numbers=[], more="")
    copy = deepcopy(steps)  # what was told cannot grow any more
    step_codec.fill_output(message, LAST, Layout.build([], []), copy)
    *before, _ = step_codec.read_outputs(message, Layout.build([], []))
    return before


def same(one: StepOutput, other: StepOutput) -> bool:
    assert one.block is not None
    assert other.block is not None
    if (one.proximity is None) != (other.proximity is None):
        return False
    near = one.proximity is None or np.array_equal(one.proximity, other.proximity)
    if (one.watch is None) != (other.watch is None):
        return False
    near = near and (one.watch is None or np.array_equal(one.watch, other.watch))
    return near and one.time_ns == other.time_ns and np.array_equal(one.block, other.block)


@examples(50)
@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=6), st.integers(0, 5))
def test_nothing_is_lost(rows: list[int | None], size: int) -> None:
    generator = np.random.default_rng(1)
    steps = QuietSteps()
    given_ = []
    for i, count in enumerate(rows):
        near = None if count is None else generator.normal(size=(count, 12))
        watch = generator.normal(size=4) if i % 2 else None
        block = generator.normal(size=size)
        given_.append(StepOutput(time_ns=i, block=block, proximity=near, watch=watch))
        assert steps.add(given_[-1])
    assert all(same(a, b) for a, b in zip(given_, kept(steps), strict=True))
    assert same(given_[-1], steps.pop())
    assert all(same(a, b) for a, b in zip(given_[:-1], kept(steps), strict=True))


def test_a_copy_is_kept() -> None:
    steps, block = QuietSteps(), np.zeros(2)
    assert steps.add(StepOutput(time_ns=1, block=block))
    block[:] = 1.0
    found = kept(steps)[0].block
    assert found is not None
    assert found.tolist() == [0.0, 0.0]


def test_rows_that_are_computed_when_read_are_left_for_later() -> None:
    rows, calls = np.ones((2, 12)), list[int]()
    steps = QuietSteps(keeps_functions=True)

    def compute(time_ns: int) -> Floats:
        calls.append(time_ns)
        return rows

    for time_ns in (1, 2):
        near = partial(compute, time_ns)
        assert steps.add(StepOutput(time_ns=time_ns, block=np.zeros(1), proximity=near))
    message = SimpleNamespace(index=[], numbers=[], more="")
    step_codec.fill_output(message, LAST, Layout.build([], []), deepcopy(steps))
    found = step_codec.read_outputs(message, Layout.build([], []), lambda at: steps.later[at]())
    assert calls == []
    assert found[1].proximity_rows is rows
    assert calls == [2]
    popped = steps.pop()
    assert popped.time_ns == 2
    assert popped.proximity_rows is rows


@pytest.mark.parametrize(
    "loud",
    [
        StepOutput(time_ns=1),
        StepOutput(time_ns=1, block=np.zeros(2, np.float32)),
        StepOutput(time_ns=1, block=np.zeros(2), events=[Event("e", 1)]),
        StepOutput(time_ns=1, block=np.zeros(2), values={("a", "b"): Value(np.zeros(1), 1)}),
        StepOutput(time_ns=1, block=np.zeros(2), proximity=np.zeros((1, 11))),
        StepOutput(time_ns=1, block=np.zeros(2), watch=np.zeros((1, 3))),
        StepOutput(time_ns=1, block=np.zeros(2), ended=True),
        StepOutput(time_ns=1, block=np.zeros(2), input_ns=1),
        None,
    ],
)
def test_what_has_more_to_tell_is_not_taken(loud: object) -> None:
    steps = QuietSteps()
    assert steps.add(StepOutput(time_ns=0, block=np.zeros(2)))
    assert not steps.add(loud)
    assert len(steps) == 1


def test_rows_that_only_last_until_the_next_step_are_computed_at_once() -> None:
    rows, steps = np.ones((2, 12)), QuietSteps(keeps_functions=True)
    near = LateRows(lambda: rows, lasts=False)
    assert steps.add(StepOutput(time_ns=1, block=np.zeros(2), proximity=near))
    assert not steps.later
    kept = steps.pop().proximity_rows
    assert kept is not None
    assert kept.tobytes() == rows.tobytes()
