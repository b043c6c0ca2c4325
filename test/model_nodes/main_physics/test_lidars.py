"""Laser scanners of a robot: what they measure, when, and what is refused."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import pytest
from support.small_worlds import at, ball, box, floor, gripper, loaded

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Fidelity
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.fittings import fitted_lidars
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.settings import Settings

LINKS = ["base", "head", "left"]


def lidar(**other: Any) -> dict[str, Any]:
    return {"link": "left", "beams": 5, "from": -pi, "to": pi, "reach": 2.0, "rate": 10} | other


def fitted(*given: dict[str, Any], frames: tuple[str, ...] = ("box",)) -> Any:
    lidars = {f"lidar_{i}": one for i, one in enumerate(given)}
    robot = Settings.read({"robot": {"urdf": "robot.urdf", "lidars": lidars}}).robot
    assert robot is not None
    return fitted_lidars(robot.lidars, {link: link for link in LINKS}, (*LINKS, *frames), 400.0)


def test_a_scan_is_what_single_beams_measure(engine: Engine) -> None:
    bodies = (floor(), box("wall", at(-1, 0, 0.5), (0.1, 4.0, 1.0), static=True))
    loaded(engine, *bodies, ball("ball", at(0.5, 0.4, 0.1)), gripper(at(0, 0, 0.1), gap=0.5))
    (one,) = fitted(lidar(beams=90, at=[0, 0.02, 0.03, 0.995, 0.0998, 0, 0]))
    scan = engine.read_scan(one.scanner)
    assert scan.tolist() == Engine.read_scan(engine, one.scanner).tolist()
    assert len(set(scan.tolist())) > 20
    engine.set_fidelity(["left"], Fidelity.LOW)
    assert engine.read_scan(one.scanner).tolist() == [2.0] * 90


@pytest.mark.parametrize(
    ("given", "where", "expected"),
    [
        ({"link": "hed"}, "robot.lidars.lidar_0.link", "perhaps 'head'"),
        ({"rate": 30}, "robot.lidars.lidar_0.rate", "28.5714 or 30.7692"),
        ({"rate": 500}, "robot.lidars.lidar_0.rate", "400 with the main rate 400"),
        ({"beams": 1}, "robot.lidars.lidar_0.beams", "1"),
        ({"from": 1.0, "to": 1.0}, "robot.lidars.lidar_0", "'from' less than 'to'"),
        ({"reach": 0.1, "nearest": 0.2}, "robot.lidars.lidar_0", "'nearest' less than 'reach'"),
        ({"reach": None}, "robot.lidars.lidar_0.reach", ""),
    ],
)
def test_a_scanner_that_cannot_be_used_is_named(
    given: dict[str, Any], where: str, expected: str
) -> None:
    with pytest.raises(BadInput) as error:
        fitted(lidar(**given))
    assert error.value.where == where
    assert expected in str(error.value)


def test_a_scanner_without_a_link_is_named() -> None:
    given = lidar()
    del given["link"]
    with pytest.raises(BadInput, match=r"robot\.lidars\.lidar_0\.link"):
        fitted(given)


def test_a_link_has_one_scanner_and_a_frame_one_name() -> None:
    with pytest.raises(BadInput, match="has a laser scanner already, lidar_0"):
        fitted(lidar(), lidar())
    raised = lidar(at=[0, 0, 0.1, 1, 0, 0, 0])
    with pytest.raises(BadInput, match=r"a name of its own.*found 'lidar_0'"):
        fitted(raised, frames=("lidar_0",))


def test_the_lab_robot_sees_the_walls_around_it() -> None:
    robot = {
        "urdf": str(resource("urdf") / "lab_robot.urdf"),
        "pose": [-2.0, -1.0, 0, 1, 0, 0, 0],
        "joints_at_start": {"head_joint": pi / 4},
        "lidars": {"lidar": lidar(link="lidar", beams=9, to=pi, reach=5, nearest=1.03)},
    }
    model = MainPhysics()
    world = str(resource("worlds") / "lab.sdf")
    parameters = {"world": world, "robot": robot, "rate": 400.0, "engine": "mujoco"}
    start = model.contribute(parameters, 0)
    try:
        (link,) = (e for e in start.entities if e.scanner is not None)
        (scan,) = (s.value.data for s in start.attributes if s.attribute.name == "scan")
    finally:
        model.stop()
    assert (link.name, link.kind) == ("lidar", EntityKind.LINK)
    # its column stands 0.04 m behind the base's middle
    west, south, east, north = 3.0 - 2.04, 2.0 - 1.0, 2.04 - 0.05, 2.0 + 1.0
    assert max(west, south) < 1.03
    assert scan[[7, 1, 3, 5]] == pytest.approx([0.0, 0.0, east, north], abs=1e-9)
    assert scan[[0, 8, 2]] == pytest.approx([sqrt(2) * west, sqrt(2) * west, sqrt(2) * south])
