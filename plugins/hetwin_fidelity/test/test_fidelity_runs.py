"""Fidelity management by YAML alone, with real physics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.scene.values import Fidelity

BOXES = [f"box_{i}" for i in range(6)]
SCENARIO = """
scenario: small
rate: 200
world: {world}
robot: urdf/tabletop_arm.urdf
models:
  physics: {{type: main_physics, main: true}}
  {signaler}
"""
WORLD = """<sdf version="1.9"><world name="boxes"><gravity>0 0 -9.81</gravity>
<model name="floor"><static>true</static><link name="link"><collision name="floor"><geometry>
  <plane><normal>0 0 1</normal><size>20 20</size></plane></geometry></collision></link></model>
{boxes}</world></sdf>"""
BOX = """<model name="{name}"><pose>{x} 0 {z} 0 0 0</pose><link name="link">
  <inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>
  <collision name="box"><pose>0 0 0.05 0 0 0</pose><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision>
</link></model>
"""
SIGNALER = "signaler: {{type: fidelity_near_robot, parameters: {{{mode}}}}}"


def conducted(folder: Path, signaler: str, seconds: float = 0.5) -> Outcome:
    """Six boxes, each further away from the arm than the one before; the last one falls. Another one is called hand."""
    places = [(name, 0.9 + i, 1.5 if i == 5 else 0.0) for i, name in enumerate([*BOXES, "hand"])]
    boxes = "".join(BOX.format(name=name, x=x, z=z) for name, x, z in places)
    world = folder / "boxes.sdf"
    world.write_text(WORLD.format(boxes=boxes), encoding="utf-8")
    return run(SCENARIO.format(world=world, signaler=signaler), duration=seconds)


def levels(outcome: Outcome, name: str) -> list[float]:
    return [float(scene.get(name, "fidelity")[0]) for scene in outcome.record.scenes]


@pytest.mark.parametrize("mode", ["AdFi-1", "AdFi-2", "AdFi-3"])
def test_what_is_far_from_the_robot_is_lowered_when_it_rests(tmp_path: Path, mode: str) -> None:
    outcome = conducted(tmp_path, SIGNALER.format(mode=f"mode: {mode}"))
    assert outcome.summary.error is None
    *_, before, last = levels(outcome, "box_4")
    assert before < Fidelity.HIGH
    assert last == Fidelity.HIGH, "at the end everything is as usual"
    assert levels(outcome, "box_5")[-2] == Fidelity.HIGH, "it still falls"
    falling = [scene.pose("box_5")[2] for scene in outcome.record.scenes]
    assert falling[-1] < 0.4


def test_hifi_lowers_nothing_and_gives_the_same_poses_as_no_signaler(tmp_path: Path) -> None:
    with_it = conducted(tmp_path, SIGNALER.format(mode="mode: HiFi"), 0.2)
    without = conducted(tmp_path, "", 0.2)
    for one, other in zip(with_it.record.scenes, without.record.scenes, strict=True):
        for name in BOXES:
            assert np.array_equal(one.pose(name), other.pose(name))


def test_an_unknown_mode_is_named(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="AdFi-9"):
        conducted(tmp_path, SIGNALER.format(mode="mode: AdFi-9"))


def test_everything_is_raised_when_the_robot_decides(tmp_path: Path) -> None:
    looks = """
  planner:
    type: "support.small_ensemble:Watcher"
    parameters: {tells: [{at: 0.3, name: look, kind: action, arguments: {phase: begin}}]}
"""
    signaler = SIGNALER.format(mode="mode: AdFi-3, decisions: [look]") + looks
    seen = levels(conducted(tmp_path, signaler), "box_2")
    times = np.flatnonzero(np.diff(seen[:-1]) > 0)
    assert len(times) == 1
    assert times[0] * 0.005 == pytest.approx(0.3, abs=0.02)
    assert seen[-2] < Fidelity.HIGH, "it is found at rest again"
