"""Between a slower model's answers, its poses go with their frame, or on along their own velocity."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_ensemble import Misbehaving, run

from hetwin_core.ensemble.model import MainChanges, MainTick
from hetwin_core.ensemble.scene.values import Value, pose_value

TEXT = """
scenario: slow
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1}}
  holder: {type: "support.small_ensemble:Misbehaving", rate: 20}
responsibilities:
  - {entity: ball, attribute: pose, model: holder}
"""


def answering(monkeypatch: pytest.MonkeyPatch, value: Value) -> list[np.ndarray]:
    def step(tick: MainTick) -> MainChanges:
        told = Value(value.data, tick.time_ns, value.parent)
        return MainChanges(tick.time_ns, values={("ball", "pose"): told})

    monkeypatch.setattr(Misbehaving, "deeds", {"step": step})
    outcome = run(TEXT)
    assert outcome.summary.error is None
    return [scene.pose("ball") for scene in outcome.record.scenes]


def test_a_pose_in_the_hands_frame_moves_with_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    poses = answering(monkeypatch, pose_value((0.0, 0.0, -0.1), parent="hand"))
    # the hand moves along x with 0.1 m/s, 1.1 m above the ground; the model answers from 0.05 s on
    for step, pose in enumerate(poses, 1):
        if step >= 5:
            assert pose[:3] == pytest.approx([0.1 * step / 100, 0.0, 1.0])
            assert pose[7:10] == pytest.approx([0.1, 0.0, 0.0])


def test_a_pose_in_the_world_goes_on_with_its_velocity(monkeypatch: pytest.MonkeyPatch) -> None:
    poses = answering(
        monkeypatch, pose_value((1.0, 2.0, 3.0), linear=(0.0, 1.0, 0.0), angular=(0, 0, 2))
    )
    for step, pose in enumerate(poses, 1):
        if step >= 5:
            since = (step - 5) % 5 / 100
            assert pose[:3] == pytest.approx([1.0, 2.0 + since, 3.0])
            assert pose[3:7] == pytest.approx([np.cos(since), 0.0, 0.0, np.sin(since)])


def test_until_its_first_answer_the_released_pose_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    poses = answering(monkeypatch, pose_value((1.0, 2.0, 3.0)))
    assert [pose[2] for pose in poses[:4]] == [1.0] * 4


def test_snapshots_say_in_which_frame_a_pose_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(tick: MainTick) -> MainChanges:
        value = pose_value((0.0, 0.0, 0.0), parent="hand", time_ns=tick.time_ns)
        return MainChanges(tick.time_ns, values={("ball", "pose"): value})

    monkeypatch.setattr(Misbehaving, "deeds", {"step": step})
    scenes = run(TEXT).record.scenes
    assert [scene.parent("ball") for scene in scenes] == ["world"] * 4 + ["hand"] * 6


def test_the_main_model_is_told_what_others_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from support import toys

    foreign: list[dict[tuple[str, str], Value]] = []
    right = toys.ToyPhysics.step

    def step(self: toys.ToyPhysics, tick: MainTick) -> MainChanges:
        foreign.append(dict(tick.foreign))
        return right(self, tick)

    monkeypatch.setattr(toys.ToyPhysics, "step", step)
    answering(monkeypatch, pose_value((0.0, 0.0, -0.1), parent="hand"))
    assert all(list(told) == [("ball", "pose")] for told in foreign)
    assert [told["ball", "pose"].parent for told in foreign] == ["world"] * 5 + ["hand"] * 5
    assert [told["ball", "pose"].time_ns for told in foreign[5:]] == [50_000_000] * 5
