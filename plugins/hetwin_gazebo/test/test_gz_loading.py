"""Gazebo loads a world once: what a scenario says of handovers, it has loaded before the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.cli_runs import hetwin
from support.gazebo_servers import needs_gazebo
from support.plugins import needs
from support.small_worlds import PERIOD, at, ball, box, floor
from support.twin_runs import twin_run

from hetwin_core.ensemble.scene.values import pose_value
from hetwin_gazebo import engine as gz_engine
from hetwin_gazebo.simulation import Simulation
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import World

pytestmark = needs_gazebo


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The worlds that the engine has had Gazebo load."""
    worlds: list[str] = []

    class Counted(Simulation):
        def __init__(self, world: World, *arguments: Any) -> None:
            worlds.append(world.name)
            super().__init__(world, *arguments)

    monkeypatch.setattr(gz_engine, "Simulation", Counted)
    return worlds


@pytest.mark.parametrize(("known", "count"), [(True, 1), (False, 2)])
def test_a_handover_that_is_known_before_loads_nothing(
    known: bool, count: int, loads: list[str]
) -> None:
    engine = make_engine("gz")
    world = World("small", (floor(), box("box", at(0, 0, 0.05)), ball("ball", at(1, 0, 0.05))))
    expected = (("box", "pose"), ("box", "collision")) if known else ()
    engine.load(world, EngineSettings(period=PERIOD, handed_over=expected))
    try:
        engine.step()
        engine.follow("box", pose_value((0, 0, 0.5)))
        engine.step()
        engine.hand_back("box", pose_value((0, 0, 0.5)))
        engine.step()
        if known:
            engine.set_collision("box", False)
            engine.step()
    finally:
        engine.close()
    assert loads == ["small"] * count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "kind", "seconds"),
    [
        ("pick_and_place", None, 4.5),
        pytest.param("uncertain_environment", "drop", 2.6, marks=needs("hetwin_bauer2022")),
        pytest.param("insertion", "insertion", 0.2, marks=needs("hetwin_bauer2022")),
    ],
)
def test_shipped_scenarios_load_their_world_once(
    scenario: str, kind: str | None, seconds: float, loads: list[str], tmp_path: Path
) -> None:
    source = None
    if kind is not None:
        options = ("-n", 1, "--seed", 5, "--out", tmp_path / kind)
        assert hetwin("record", kind, *options).code == 0
        source = tmp_path / kind / f"{kind}_0001" / "recording"
    episode = twin_run(scenario, tmp_path / "run", source=source, duration=seconds)
    assert episode.handovers
    assert len(loads) == 1
