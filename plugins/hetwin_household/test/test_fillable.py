"""A cup with a fluid is filled above a fifth of its capacity."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.household import happened, home, lived

_WALL = """
    <collision name="{n}"><pose>{x} {y} .05 0 0 0</pose><geometry><box><size>{sx} {sy} .1</size></box></geometry>
    </collision>"""
SIDES = [
    (0.04, 0, 0.01, 0.09),
    (-0.04, 0, 0.01, 0.09),
    (0, 0.04, 0.09, 0.01),
    (0, -0.04, 0.09, 0.01),
]
CUP = f"""
  <model name="cup"><pose>0.5 0 0.001 0 0 0</pose><link name="link">
    <inertial><pose>0 0 .04 0 0 0</pose><mass>.3</mass><inertia><ixx>5e-4</ixx><iyy>5e-4</iyy><izz>5e-4</izz></inertia>
    </inertial>
    <collision name="bottom"><pose>0 0 .005 0 0 0</pose><geometry><box><size>.09 .09 .01</size></box></geometry>
    </collision>
    {"".join(_WALL.format(n=n, x=x, y=y, sx=a, sy=b) for n, (x, y, a, b) in enumerate(SIDES))}
  </link></model>"""
KEYS = """
entities: {cup: {attributes: {fillable: {capacity: CAPACITY}}}}
models:
  physics: {type: main_physics, main: true}
  water: {type: fluid_in_cup, parameters: {cup: cup, particles: 40, radius: 0.006}}
"""


@pytest.mark.parametrize(("capacity", "filled"), [("1.0e-4", True), ("5.0e-4", False)])
def test_forty_drops_fill_a_small_cup(tmp_path: Path, capacity: str, filled: bool) -> None:
    """Forty balls of 0.9 ml are a heap of 57 ml."""
    file = home(tmp_path, [CUP], KEYS.replace("CAPACITY", capacity), [(0.3, 0.0, 0.0)])
    outcome = lived(file)
    assert outcome.summary.error is None, outcome.summary.error
    assert outcome.summary.state["filled(cup)"] is filled
    assert outcome.record.scenes[-1].get("cup", "particle_count")[0] == 40
    assert not any(name in ("filled", "emptied") for name, _ in happened(outcome))
