"""The digest is equal for equal runs, and different for any difference that matters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import toys
from support.small_ensemble import run
from support.small_run import SmallRun

from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.model import MainChanges, Tick

TEXT = """
scenario: digest
rate: 100
models:
  physics:
    {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [{name: act, at: 0.05, x: 1}]}}
  grasp: {type: "support.toys:ToyGrasp"}
triggers:
  - {name: t, on: {action: act, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]}
"""


def test_equal_runs_have_equal_digests() -> None:
    assert len({run(TEXT).summary.digest for _ in range(3)}) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x: 1", "x: 2"),
        ("at: 0.05", "at: 0.0500001"),
        ("name: act, at", "name: act, phase: instant, at"),
        ("until: 0.1,", "until: 0.11,"),
        ("to: grasp", "to: physics"),
        ("rate: 100", "rate: 200"),
    ],
)
def test_a_difference_changes_it(old: str, new: str) -> None:
    assert run(TEXT).summary.digest != run(TEXT.replace(old, new, 1)).summary.digest


def test_one_bit_of_one_number_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = run(TEXT).summary.digest
    right = toys.ToyPhysics.step

    def step(self: toys.ToyPhysics, tick: Tick) -> MainChanges:
        output = right(self, tick)
        if tick.time_ns == 70_000_000 and output.block is not None:
            output.block[0] = np.nextafter(output.block[0], 1.0)
        return output

    monkeypatch.setattr(toys.ToyPhysics, "step", step)
    assert run(TEXT).summary.digest != before


def test_names_of_processes_and_wall_time_do_not() -> None:
    slow = TEXT.replace("until: 0.1,", "until: 0.1, pace: 0.001,")
    assert run(TEXT).summary.digest == run(slow).summary.digest


def test_the_last_state_counts_as_it_was_at_its_step(tmp_path: Path) -> None:
    scene = SmallRun(tmp_path).snapshot(1)
    kept, changed = Digest(scene.layout), Digest(scene.layout)
    values = scene.values.copy()
    for digest in (kept, changed):
        digest.values(0, scene.values)
        digest.values(1, values)
    expected = kept.hexdigest()
    values += 1.0
    assert changed.hexdigest() == expected
