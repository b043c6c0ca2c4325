"""Range sensors and belts that a scenario fits to a robot."""

from __future__ import annotations

from typing import Any

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import Belt, RangeSensor
from model_nodes.main_physics.fittings import rangefinders, run_belts
from model_nodes.main_physics.settings import Settings

LINKS = ["base", "finger_left", "finger_right"]


def test_a_pattern_fits_a_sensor_to_every_link_that_it_means() -> None:
    given = {"urdf": "arm.urdf", "range_sensors": {"finger_*": {"along": [0, 2, 0], "reach": 0.5}}}
    robot = Settings.read({"robot": given}).robot
    assert robot is not None
    found = rangefinders(robot.range_sensors, {link: link for link in LINKS})
    assert [sensor.frame for sensor in found] == ["finger_left", "finger_right"]
    assert {sensor.along for sensor in found} == {(0.0, 1.0, 0.0)}
    assert {sensor.reach for sensor in found} == {0.5}


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, "reach"),
        ({"reach": -1.0}, "reach"),
        ({"reach": 1.0, "along": [0, 0, 0]}, "along"),
        ({"reach": 1.0, "at": [0, 0]}, "at"),
        ({"reach": 1.0, "colour": "red"}, "colour"),
        ("near", "sensor"),
    ],
)
def test_a_sensor_that_cannot_be_used_is_named(given: Any, where: str) -> None:
    with pytest.raises(BadInput, match=where) as error:
        Settings.read({"robot": {"urdf": "arm.urdf", "range_sensors": {"sensor": given}}})
    assert str(error.value.where).startswith("robot.range_sensors.sensor")


def test_a_belt_that_cannot_be_used_is_named() -> None:
    belts = {"belt": {"velocity": [1, "fast", 0]}}
    with pytest.raises(BadInput, match=r"robot\.belts\.belt\.velocity\.1: .*found 'fast'"):
        Settings.read({"robot": {"urdf": "arm.urdf", "belts": belts}})


def test_a_pattern_that_means_no_link_is_named(engine: Any) -> None:
    with pytest.raises(BadInput, match="thumb"):
        rangefinders({"thumb": RangeSensor(reach=1.0)}, {link: link for link in LINKS})
    with pytest.raises(BadInput, match="thumb"):
        run_belts(engine, {"thumb": Belt()}, {link: link for link in LINKS})
