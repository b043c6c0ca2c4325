"""Recordings in which an arm sweeps through a free box that stands in its way, and scenarios of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, atan2, hypot, pi
from pathlib import Path

import numpy as np

from support.recorded_bags import MS, joints, write_bag
from support.robot_files import TABLETOP_ARM

_ARM = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint")
_BEGIN = -0.6
_RADIUS, _HALF = 0.044, 0.1
"""Of the arm, and of the box [m]."""
_BOX = """<model name="box"><pose>{x} {y} 0.83 0 0 0</pose><link name="link">
    <inertial><mass>2</mass><inertia><ixx>0.005</ixx><iyy>0.005</iyy><izz>0.006</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.16</size></box></geometry></collision></link></model>"""
_WORLD = """<sdf version="1.9"><world name="sweep"><gravity>0 0 -9.81</gravity>
  <model name="table"><static>true</static><pose>0.6 0 0.7 0 0 0</pose><link name="link">
    <collision name="c"><geometry><box><size>0.6 1.6 0.1</size></box></geometry></collision></link></model>
  {box}
</world></sdf>"""


@dataclass(frozen=True)
class Sweep:
    """An arm stretched forward over a table, that turns until it has pushed the near side of a box by 5 cm or so.

    Attributes:
        x, y: where the box stands [m].
        seconds: how long the arm turns.
        more: of the scenario.
    """

    x: float = 0.6
    y: float = -0.05
    seconds: float = 0.3
    more: str = ""

    @property
    def turn(self) -> float:
        """How far the arm turns [rad]."""
        return atan2(self.y - _HALF, self.x) - asin(_RADIUS / hypot(self.x, self.y)) - _BEGIN

    def write(self, folder: Path) -> Path:
        """Write world, recording and scenario; returns the scenario."""
        folder.mkdir(parents=True)
        world = _WORLD.format(box=_BOX.format(x=self.x, y=self.y))
        (folder / "world.sdf").write_text(world, "utf-8")
        times = np.arange(0, round((self.seconds + 1.5) * 1000), 10)
        share = np.clip((times / 1000 - 0.5) / self.seconds, 0.0, 1.0)
        pan = _BEGIN + self.turn * (10 * share**3 - 15 * share**4 + 6 * share**5)
        rows = zip(times.tolist(), pan.tolist(), strict=True)
        write_bag(folder / "bag", [joints(t * MS, _ARM, (p, pi / 2, 0.0)) for t, p in rows])
        scenario = folder / "sweep.yaml"
        scenario.write_text(
            f"scenario: sweep\nworld: world.sdf\nrobot: {TABLETOP_ARM}\nrate: 400\nsource: bag\n"
            f"models:\n  physics: {{type: main_physics, main: true}}\n{self.more}",
            "utf-8",
        )
        return scenario
