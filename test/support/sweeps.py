"""Recordings in which an arm sweeps through a free box that stands in its way, and scenarios of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.recorded_bags import joints, write_bag
from support.robot_files import TABLETOP_ARM

_ARM = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint")
_MS = 1_000_000
_WORLD = """<sdf version="1.9"><world name="sweep"><gravity>0 0 -9.81</gravity>
  <model name="table"><static>true</static><pose>0.6 0 0.7 0 0 0</pose><link name="link">
    <collision name="c"><geometry><box><size>0.6 1.6 0.1</size></box></geometry></collision></link></model>
  <model name="box"><pose>{x} {y} 0.83 0 0 {yaw}</pose><link name="link">
    <inertial><mass>{mass}</mass><inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.1 0.1 0.16</size></box></geometry></collision></link></model>
</world></sdf>"""


@dataclass(frozen=True)
class Sweep:
    """An arm stretched forward, 0.14 m above a table, that turns about its pedestal and back to where it was.

    Attributes:
        x, y, yaw: where the box stands [m, rad].
        mass: of the box [kg].
        turn: how far the arm turns [rad].
        seconds: how long that takes.
        twist: how far the box is hit twice... [rad].
    """

    x: float = 0.6
    y: float = 0.0
    yaw: float = 0.0
    mass: float = 0.5
    begin: float = -0.6
    turn: float = 0.6
    seconds: float = 0.5
    rate: int = 400

    def write(self, folder: Path, more: str = "") -> Path:
        """Write world, recording and scenario; returns the scenario."""
        folder.mkdir(parents=True)
        world = _WORLD.format(x=self.x, y=self.y, yaw=self.yaw, mass=self.mass)
        (folder / "world.sdf").write_text(world, "utf-8")
        times = np.arange(0, round((self.seconds + 1.5) * 1000), 10)
        share = np.clip((times / 1000 - 0.5) / self.seconds, 0.0, 1.0)
        pan = self.begin + self.turn * (10 * share**3 - 15 * share**4 + 6 * share**5)
        rows = zip(times.tolist(), pan.tolist(), strict=True)
        write_bag(folder / "bag", [joints(t * _MS, _ARM, (p, np.pi / 2, 0.0)) for t, p in rows])
        scenario = folder / "sweep.yaml"
        scenario.write_text(
            f"scenario: sweep\nworld: world.sdf\nrobot: {TABLETOP_ARM}\nrate: {self.rate}\n"
            "source: bag\nmodels:\n  physics: {type: main_physics, main: true}\n" + more,
            "utf-8",
        )
        return scenario
