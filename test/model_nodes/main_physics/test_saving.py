"""The main model saved between two steps: what is restored, and what cannot be."""

from __future__ import annotations

import pytest
from test_main_physics import ARM_JOINTS, ROOT, Run, Swing

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.saving.plain import Plain
from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine

PLANNED = {
    "joint_names": [*ARM_JOINTS],
    "points": [{"positions": [0.2, 0.2, 0.2], "time_from_start": 1.0}],
}


class Saveable(Swing):
    """A swing that says where it is."""

    def save(self) -> Plain:
        return {"told_to": self._told_to}

    def restore(self, saved: Plain) -> None:
        assert isinstance(saved, dict)
        assert isinstance(saved["told_to"], int)
        self._told_to = saved["told_to"]


def swinging() -> Run:
    return Run(source=Saveable(ARM_JOINTS))


def restored(run: Run, other: Run) -> Run:
    """Another main model with the state of the first."""
    saved = run.model.save()
    other.time_ns, other.values, other.foreign = run.time_ns, run.values.copy(), dict(run.foreign)
    other.model.restore(saved, other.scene())
    return other


def same_from_now_on(one: Run, other: Run) -> None:
    for _ in range(30):
        first, second = one.step(), other.step()
        assert first.block is not None
        assert second.block is not None
        assert first.block.tobytes() == second.block.tobytes()
        assert first.tables.keys() == second.tables.keys()
        for name, table in first.tables.items():
            assert table.rows().tobytes() == second.tables[name].rows().tobytes()
        assert first.events == second.events


@pytest.mark.parametrize("steps", [0, 1, 37, 38])
def test_goes_on_to_the_bit(steps: int) -> None:
    run = swinging()
    for _ in range(steps):
        run.step()
    same_from_now_on(run, restored(run, swinging()))


def test_what_another_model_moves_stays_with_it() -> None:
    run = swinging()
    run.step(5)
    value = run.model.release("box", "pose", run.scene())
    run.foreign = {("box", "pose"): value}
    run.step(5)
    other = restored(run, swinging())
    same_from_now_on(run, other)
    for each in (run, other):
        each.model.take("box", "pose", value, each.scene())
        each.foreign = {}
    same_from_now_on(run, other)


def test_what_was_changed_stays_changed() -> None:
    run = swinging()
    run.step(3)
    run.model.change({"bodies": {"box": {"mass": 3.0}}})
    run.step(3)
    other = restored(run, swinging())
    same_from_now_on(run, other)
    for each in (run, other):
        each.model.change({"bodies": {"box": {"mass": 1.5}}})
    same_from_now_on(run, other)


def test_another_world_refuses_it() -> None:
    run, other = (
        swinging(),
        Run(source=None, world=str(ROOT / "worlds" / "lab.sdf"), entities={}),
    )
    with pytest.raises(Refused):
        restored(run, other)


def test_source_that_cannot_go_on_is_named() -> None:
    saved = Run().model.save()
    assert "source" not in saved
    assert saved["needs_source"] == "a Swing cannot be saved: it cannot be read again"


def test_source_that_was_changed_on_the_way_is_named() -> None:
    run = swinging()
    run.step(3)
    run.model.change({"source": {"plan": [{"trajectory": PLANNED}]}})
    run.step(3)
    saved = run.model.save()
    assert "the source was replaced during the run" in str(saved["needs_source"])
    assert "source" in saved  # for this process, which has it


def test_engine_without_the_same_bits_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    run = swinging()
    monkeypatch.setattr(MujocoEngine, "deterministic", False)
    with pytest.raises(Refused, match="mujoco cannot be saved: it is not deterministic"):
        run.model.save()
