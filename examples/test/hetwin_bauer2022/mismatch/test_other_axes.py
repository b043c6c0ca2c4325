"""What the axes of belief, twin and reality do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from toy_episode import facts, twin
from transforms3d.quaternions import rotate_vector

from hetwin_bauer2022.mismatch.axis import BeliefAxis, RealityAxis, TwinAxis
from hetwin_bauer2022.mismatch.real_world import Compliance, RealWorld, TrueValues
from hetwin_bauer2022.mismatch.registry import axis_of
from hetwin_bauer2022.mismatch.twin_files import TwinFiles
from hetwin_core.ensemble.errors import BadInput
from hetwin_stand_ins.motion import Grip

UPRIGHT = [1.0, 0.0, 0.0, 0.0]
SCENE = {
    name: {"pose": [x, 0.0, 0.8, *UPRIGHT]}
    for name, x in (("ball", 0.5), ("stand", 0.5), ("socket", 0.3))
}


def believed(name: str, level: float) -> dict[str, Any]:
    axis = axis_of(name)
    assert isinstance(axis, BeliefAxis)
    return axis.change(SCENE, level, facts())


def changed(name: str, level: float, thing: str = "ball", held_part: str = "") -> TwinFiles:
    axis, found = axis_of(name), twin()
    assert isinstance(axis, TwinAxis)
    axis.change(found, level, facts(thing, held_part))
    return found


def step(scene: dict[str, Any], name: str) -> Any:
    return np.subtract(scene[name]["pose"], SCENE[name]["pose"])[:3]


def test_an_object_is_believed_aside_together_with_its_stand() -> None:
    scene = believed("object_place", 0.012)
    assert np.linalg.norm(step(scene, "ball")) == pytest.approx(0.012)
    assert step(scene, "stand") == pytest.approx(step(scene, "ball"))
    assert step(scene, "ball")[2] == 0.0
    assert step(scene, "socket").tolist() == [0.0, 0.0, 0.0]
    assert step(believed("object_place", 0.024), "ball") == pytest.approx(2 * step(scene, "ball"))


def test_a_socket_is_believed_aside() -> None:
    scene = believed("socket_place", 0.005)
    assert np.linalg.norm(step(scene, "socket")) == pytest.approx(0.005)
    assert scene["ball"] == SCENE["ball"]


def test_a_tilted_object_stays_where_the_fingers_hold_it() -> None:
    pose = np.array(believed("object_tilt", 0.2)["ball"]["pose"])
    assert 2 * np.arccos(pose[3]) == pytest.approx(0.2)
    held = np.array(facts().held_at)
    assert pose[:3] + rotate_vector(held, pose[3:]) == pytest.approx([0.5, 0.0, 0.85])


def numbers(files: TwinFiles, path: str) -> list[float]:
    return [float(element.text or "") for element in files.world.findall(path)]


def test_an_object_is_scaled_wholly() -> None:
    found = changed("object_size", 1.05)
    assert numbers(found, ".//model[@name='ball']//radius") == pytest.approx([0.033 * 1.05])
    (pose,) = found.world.findall(".//model[@name='ball']//collision/pose")
    assert [float(n) for n in (pose.text or "").split()] == pytest.approx([0, 0, 0.0105, 0.1, 0, 0])
    assert numbers(found, ".//model[@name='ball']//mass") == [0.058]
    assert numbers(found, ".//model[@name='probe']//radius") == [0.024, 0.012]


def test_of_a_probe_only_the_radius_of_what_the_fingers_hold_is_scaled() -> None:
    found = changed("object_size", 0.95, "probe", "handle")
    assert numbers(found, ".//model[@name='probe']//radius") == pytest.approx([0.0228, 0.012])
    assert numbers(found, ".//model[@name='probe']//length") == [0.1, 0.04]


def test_what_is_not_there_is_named() -> None:
    axis = axis_of("object_place")
    assert isinstance(axis, BeliefAxis)
    with pytest.raises(
        BadInput, match=r"no belief about the pose of this object.*\"ball\": .*scene.json"
    ):
        axis.change({"stand": SCENE["stand"]}, 0.01, facts())
    with pytest.raises(BadInput, match=r"no such model.*expected cup"):
        changed("mass", 2.0, "cup")


def test_thicker_fingers() -> None:
    found = changed("finger_thickness", 1.1)
    assert [
        float(e.get("radius", "")) for e in found.robot.iter() if e.get("radius")
    ] == pytest.approx([0.0088, 0.011])
    assert found.robot.findall(".//cylinder")[0].get("length") == "0.04"


def test_a_heavier_object() -> None:
    found = changed("mass", 2.0)
    assert numbers(found, ".//mass") == pytest.approx([0.116])
    assert numbers(found, ".//ixx") == pytest.approx([8e-5])


def test_friction_of_object_and_fingers() -> None:
    found = changed("friction", 0.5)
    assert numbers(found, ".//mu") == numbers(found, ".//mu2") == [0.3]
    marks = {m.get("reference"): m.findtext("mu1") for m in found.robot.findall("gazebo")}
    assert marks == {"tip_1": "0.5", "tip_2": "0.5"}


def real_world(name: str, level: float) -> RealWorld:
    axis = axis_of(name)
    assert isinstance(axis, RealityAxis)
    real = RealWorld(TrueValues({}, {}), Grip(), np.ones(3), Compliance(3.0, (1.0, 2.0), 0.03))
    return axis.change(real, level, np.random.default_rng(1))


def test_a_softer_arm() -> None:
    assert real_world("compliance", 2.0).compliance == Compliance(6.0, (1.0, 2.0), 0.03)


def test_a_softer_object() -> None:
    truths = real_world("soft_object", 4.0).truths
    assert truths.bounce == pytest.approx((2 * 0.0085, 0.3))
    assert truths.touch == pytest.approx((0.008, 1.0))
