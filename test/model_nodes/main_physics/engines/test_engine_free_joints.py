"""What every engine must do with ball joints and universal joints that nothing drives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_worlds import PERIOD, at, box, frame

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.world.sdf.reader import read_world

LENGTH, MASS, MOMENT = 0.5, 2.0, 0.05
GRAVITY = (3.0, 4.0, -9.0)
UNIVERSAL = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"


def pendulum(folder: Path, kind: str, gravity: tuple[float, ...], axes: str = "") -> Path:
    """Write a pendulum that hangs from the origin by a joint, with the same inertia about all axes."""
    moments = "".join(f"<{k}>{MOMENT}</{k}>" for k in ("ixx", "iyy", "izz"))
    inertial = f"<inertial><mass>{MASS}</mass><inertia>{moments}</inertia></inertial>"
    file = folder / "pendulum.sdf"
    file.write_text(
        f"""<sdf version="1.9"><world name="w"><gravity>{" ".join(map(str, gravity))}</gravity>
        <model name="p"><link name="hook">{inertial}</link>
        <link name="bob"><pose>0 0 {-LENGTH} 0 0 0</pose>{inertial}</link>
        <joint name="held" type="fixed"><parent>world</parent><child>hook</child></joint>
        <joint name="free" type="{kind}"><pose relative_to="hook"/><parent>hook</parent><child>bob</child>
        {axes}</joint></model></world></sdf>"""
    )
    return file


def expected(gravity: tuple[float, ...], seconds: float) -> Floats:
    """Where the bob is: it swings in the plane of gravity and the vertical, as a physical pendulum."""
    sideways = np.array([gravity[0], gravity[1], 0.0])
    across = sideways / np.linalg.norm(sideways)
    rest = np.arctan2(float(np.linalg.norm(sideways)), -gravity[2])
    stiffness = MASS * float(np.linalg.norm(gravity)) * LENGTH / (MOMENT + MASS * LENGTH**2)
    angle = speed = 0.0
    steps = 20_000
    for _ in range(steps):  # semi-implicit, so fine that its error does not matter
        speed -= stiffness * np.sin(angle - rest) * seconds / steps
        angle += speed * seconds / steps
    return LENGTH * (np.sin(angle) * across - np.cos(angle) * np.array([0.0, 0.0, 1.0]))


def steps(engine: Engine, seconds: float) -> None:
    for _ in range(round(seconds / PERIOD)):
        engine.step()


def test_a_ball_joint_swings_as_a_pendulum(engine: Engine, tmp_path: Path) -> None:
    engine.load(read_world(pendulum(tmp_path, "ball", GRAVITY)), EngineSettings(PERIOD))
    assert engine.joints == ()
    check_swing(engine, GRAVITY)


@pytest.mark.parametrize("gravity", [(5.0, 0.0, -9.0), (0.0, 5.0, -9.0)])
def test_a_universal_joint_swings_about_both_axes(
    engine: Engine, tmp_path: Path, gravity: tuple[float, ...]
) -> None:
    file = pendulum(tmp_path, "universal", gravity, UNIVERSAL)
    engine.load(read_world(file), EngineSettings(PERIOD))
    assert engine.joints == ("p::free", "p::free_second")
    check_swing(engine, gravity)


def check_swing(engine: Engine, gravity: tuple[float, ...]) -> None:
    for seconds in (0.25, 0.5, 1.0):
        steps(engine, seconds if seconds == 0.25 else seconds / 2)
        bob = frame(engine, "p::bob")
        assert bob[:3] == pytest.approx(expected(gravity, seconds), abs=5e-3)


def test_a_ball_joint_turns_on_when_the_world_changes_and_from_a_saved_state(
    engine: Engine, tmp_path: Path
) -> None:
    engine.load(read_world(pendulum(tmp_path, "ball", GRAVITY)), EngineSettings(PERIOD))
    steps(engine, 0.25)
    saved = engine.save()
    engine.add(box("far", at(50, 0, 0)))
    steps(engine, 0.25)
    there = frame(engine, "p::bob")
    assert there[:3] == pytest.approx(expected(GRAVITY, 0.5), abs=5e-3)
    engine.remove("far")
    engine.restore(saved)
    assert frame(engine, "p::bob")[:3] == pytest.approx(expected(GRAVITY, 0.25), abs=5e-3)
    steps(engine, 0.25)
    assert frame(engine, "p::bob") == pytest.approx(there, abs=5e-3)


def test_a_joint_whose_limits_are_the_same_stays(engine: Engine, tmp_path: Path) -> None:
    axis = "<axis><xyz>0 1 0</xyz><limit><lower>0</lower><upper>0</upper></limit></axis>"
    file = pendulum(tmp_path, "revolute", GRAVITY, axis)
    engine.load(read_world(file), EngineSettings(PERIOD))
    steps(engine, 0.25)
    assert frame(engine, "p::bob")[:3] == pytest.approx((0, 0, -LENGTH), abs=2e-2)
