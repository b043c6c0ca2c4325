"""A scenario that starts fast and does not end by itself: a ball on a plane, and who looks at it."""

from __future__ import annotations

from pathlib import Path

WORLD = """
<sdf version="1.9">
  <world name="falling">
    <model name="ground">
      <static>true</static>
      <link name="link">
        <collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>
      </link>
    </model>
    <model name="ball">
      <pose>0 0 0.5 0 0 0</pose>
      <link name="link">
        <inertial><mass>0.1</mass><inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial>
        <collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision>
      </link>
    </model>
  </world>
</sdf>
"""

SCENARIO = """
scenario: falling_ball
world: falling_ball.sdf
rate: 100
models:
  physics: {type: main_physics, main: true, engine: ENGINE}
  cup: {type: "support.toys:ToyCup"}
"""


def falling_ball(folder: Path, engine: str) -> Path:
    """Write scenario and world.

    Args:
        folder: where to.
        engine: of the physics: mujoco or gz.
    """
    (folder / "falling_ball.sdf").write_text(WORLD, "utf-8")
    path = folder / "falling_ball.yaml"
    path.write_text(SCENARIO.replace("ENGINE", engine), "utf-8")
    return path
