"""An engine that cannot let forces act goes on without them, and says so once."""

from __future__ import annotations

import numpy as np
import pytest
from support.robot_files import ROOT
from support.scene_of import scene_of

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import MainTick
from hetwin_core.ensemble.scene.values import Value
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.engines.mujoco.engine import MujocoEngine
from model_nodes.main_physics.model import MainPhysics


def events_of_two_steps() -> list[Event]:
    model, found = MainPhysics(), []
    model.contribute({"world": str(ROOT / "worlds" / "tabletop.sdf"), "engine": "mujoco"}, 0)
    foreign = {("box", "external_wrench"): Value(np.array([0.0, 0, -1, 0, 0, 0]), 0)}
    for step in (1, 2):
        now = 2_500_000 * step
        found += model.step(MainTick(now, 2_500_000, scene_of([], {}), (), foreign)).events
    model.stop()
    return [event for event in found if event.name == "force_not_felt"]


def test_it_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert events_of_two_steps() == []
    monkeypatch.setattr(MujocoEngine, "push", Engine.push)
    (event,) = events_of_two_steps()
    assert event.arguments["object"] == "box"
    assert "cannot push box" in str(event.arguments["remark"])
