"""The truck, its load and the robot in a physics engine."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_suite.engine import (
    BoundingBoxes,
    EngineSettings,
    Settings,
    entities_of,
    load_world,
    make_engine,
)
from hetwin_suite.model import POSE, Fidelity, Floats, Layout, pose_value
from hetwin_suite.runs import resource
from hetwin_truck.packets import Packet
from hetwin_truck.robot import ACTIVE_JOINTS, SPRINGS
from hetwin_truck.world import truck_sdf

PERIOD = 0.005
SETTLE_STEPS = 60
"""Number of steps after which a new load is at rest."""
HOME = dict.fromkeys(ACTIVE_JOINTS, 0.0) | {"base_drive": -3.0, "nose_pitch": 0.32, "arm_lift": 1.4}
_BELT_END = -1.2
"""x of the start of the warehouse's conveyor in the base frame [m]."""
_STORAGE_X = -14.0
URDF = ("urdf", "truck_unloader.urdf")


class Site:
    """Steps the engine, tracks the packets, and removes unloaded ones.

    Attributes:
        engine: loaded engine.
        packets: the load.
        unloaded: names of the packets that have left the belt.
        values: (frames * 13,) poses and twists of all frames at the current time.
        boxes: bounding boxes of the packets.
        robot: bounding boxes of the robot's links.
        joints: commanded positions of the driven joints.
        time: simulated time [s].
    """

    def __init__(self, packets: Sequence[Packet], *, sleep: bool = False) -> None:
        with tempfile.TemporaryDirectory(prefix="hetwin_truck_") as folder:
            world = Path(folder) / "truck.sdf"
            world.write_text(truck_sdf(packets), encoding="utf-8")
            robot_settings = {"urdf": str(resource(*URDF)), "springs": SPRINGS}
            loaded = load_world(Settings.read({"world": str(world), "robot": robot_settings}))
        self.engine = make_engine("mujoco")
        # The cups hold by welds, not by friction; settings for manipulation would only cost time.
        options = {"noslip_iterations": 0, "impratio": 1.0, "iterations": 30, "sleep": sleep}
        self.engine.load(loaded, EngineSettings(PERIOD, options=options))
        self.packets = list(packets)
        layout = Layout.build(entities_of(loaded, {}), [(n, POSE) for n in self.engine.frames])
        self.frame_ids = {name: i for i, name in enumerate(self.engine.frames)}
        self.values: Floats = np.zeros(layout.size)
        self.boxes = BoundingBoxes(layout, [p.name for p in packets])
        links = [e.name for e in layout.entities if e.owner == "truck_unloader"]
        self.robot = BoundingBoxes(layout, links)
        self.joints = np.array([HOME[name] for name in self.engine.driven])
        self._joint_ids = {name: i for i, name in enumerate(self.engine.driven)}
        start = np.zeros(len(self.engine.joints))
        start[: len(self.joints)] = self.joints
        self.engine.place_joints(start, np.zeros_like(start))
        self.unloaded: set[str] = set()
        self.time = 0.0
        self._read_frames()

    def _read_frames(self) -> None:
        self.engine.read_frames(self.values.reshape(-1, POSE.size))

    def poses(self) -> Floats:
        """Return (n, 13) poses and twists of the packets."""
        return self.boxes.poses(self.values)

    def joint(self, name: str) -> float:
        """Return the commanded position of a driven joint."""
        return float(self.joints[self._joint_ids[name]])

    def step(self, joints: Floats) -> None:
        """Advance by one period, with the driven joints at `joints` at its end."""
        velocities = (joints - self.joints) / PERIOD
        self.engine.command_joints(joints, velocities, np.zeros_like(joints))
        self.engine.step()
        self.joints = joints.copy()
        self.time += PERIOD
        self._read_frames()

    def settle(self, steps: int = SETTLE_STEPS) -> None:
        """Step while the robot stands still."""
        for _ in range(steps):
            self.step(self.joints)

    def targets(self, **joints: float) -> Floats:
        """Return the commanded positions of all driven joints, with the named ones replaced."""
        targets = self.joints.copy()
        for name, position in joints.items():
            targets[self._joint_ids[name]] = position
        return targets

    def remove_unloaded(self) -> list[str]:
        """Remove packets at the end of the belt from the simulation, and return their names."""
        has_left = self.boxes.places(self.values)[:, 0] < self.joint("base_drive") + _BELT_END
        leaving = [
            self.packets[i]
            for i in np.flatnonzero(has_left).tolist()
            if self.packets[i].name not in self.unloaded
        ]
        for packet in leaving:
            number = len(self.unloaded)
            self.unloaded.add(packet.name)
            position = (
                _STORAGE_X - 0.6 * (number // 40),
                0.6 * (number % 40 - 20),
                packet.size[2] / 2,
            )
            pose = pose_value(position, time_ns=0)
            self.engine.hand_back(packet.name, pose)
        names = [packet.name for packet in leaving]
        if leaving:
            self.engine.set_fidelity(names, Fidelity.LOW)
            self._read_frames()
        return names

    def in_truck(self) -> list[int]:
        """Return the indices of the packets that are still in the truck or on the robot."""
        return [i for i, p in enumerate(self.packets) if p.name not in self.unloaded]

    def save(self) -> object:
        """Return the whole state."""
        return self.engine.save(), self.joints.copy(), set(self.unloaded), self.time

    def restore(self, state: object) -> None:
        """Restore a state that was saved on a site with the same packets."""
        assert isinstance(state, tuple)
        engine, joints, unloaded, self.time = state
        self.engine.restore(engine)
        self.joints, self.unloaded = joints.copy(), set(unloaded)
        self._read_frames()
