"""Bodies that differ from their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.falling_ball import WORLD

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.settings import BodyChanges, Settings, check_bounces
from model_nodes.main_physics.world.description import Body


def settings(folder: Path, **changes: object) -> Settings:
    """The main model's settings with a changed ball."""
    world = folder / "falling_ball.sdf"
    world.write_text(WORLD)
    return Settings.read({"world": str(world), "bodies": {"ball": changes}})


def ball(folder: Path, **changes: object) -> Body:
    """The changed ball."""
    bodies = load_world(settings(folder, **changes)).bodies
    return next(body for body in bodies if body.name == "ball")


def rebound(folder: Path, **changes: object) -> float:
    """The share of the speed that is left when the ball has struck the ground."""
    engine = make_engine("mujoco")
    engine.load(
        load_world(settings(folder, **changes)),
        EngineSettings(period=1 / 400, substeps=1, proximity_range=0.02),
    )
    states, speeds = np.empty((len(engine.frames), 13)), []
    for _ in range(200):
        engine.step()
        engine.read_frames(states)
        speeds.append(states[engine.frames.index("ball"), 9])
    return max(speeds) / -min(speeds)


@pytest.mark.parametrize("bounce", [0.4, 0.8])
def test_a_ball_leaves_the_ground_with_the_share_of_its_speed_that_is_said(
    bounce: float, tmp_path: Path
) -> None:
    assert rebound(tmp_path, bounce=bounce) == pytest.approx(bounce, abs=0.1)


def test_without_a_bounce_contacts_are_as_they_were(tmp_path: Path) -> None:
    assert rebound(tmp_path) == rebound(tmp_path, mass=1.0)


def test_a_heavier_body_has_more_inertia_too(tmp_path: Path) -> None:
    inertial = ball(tmp_path, mass=2.0).links[0].inertial
    assert inertial is not None
    assert inertial.mass == pytest.approx(0.2)
    assert inertial.inertia[:3] == pytest.approx((2e-4, 2e-4, 2e-4))


@pytest.mark.parametrize(
    ("changes", "friction"),
    [({"friction_factor": 0.5}, 0.5), ({"friction": 0.3}, 0.3), ({"mass": 2.0}, None)],
)
def test_all_surfaces_change(
    changes: dict[str, float], friction: float | None, tmp_path: Path
) -> None:
    (geometry,) = ball(tmp_path, **changes).links[0].geometries
    assert geometry.friction == friction


def test_a_body_that_is_not_there_is_named(tmp_path: Path) -> None:
    world = tmp_path / "falling_ball.sdf"
    world.write_text(WORLD)
    given = Settings.read({"world": str(world), "bodies": {"bal": {"mass": 2.0}}})
    with pytest.raises(BadInput, match=r"bodies\.bal.*perhaps 'ball'"):
        load_world(given)


def test_an_engine_that_cannot_bounce_says_so() -> None:
    changes = {"ball": BodyChanges(bounce=0.5)}
    with pytest.raises(BadInput, match=r"bodies\.ball\.bounce: gz cannot make a body bounce"):
        check_bounces(changes, "gz", bounces=False)
    check_bounces(changes, "mujoco", bounces=True)
