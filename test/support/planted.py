"""Differences that are planted between two runs of a pick-and-place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rosbags.highlevel import AnyReader

from hetwin_core.episodes.messages import header, nanoseconds
from hetwin_core.episodes.recording import recording_writer
from hetwin_suite.running.api import run
from support.robot_files import ROOT

FILE = ROOT / "scenarios" / "pick_and_place.yaml"
RECORDING = ROOT / "scenarios" / "episodes" / "pick_and_place"
OFF_RAD, LATE_NS = 0.02, 500_000_000
UNTIL_S = 11.0


@dataclass(frozen=True)
class Planted:
    """What is different in one of the runs.

    Attributes:
        names: what is to be named: an entity, model or trigger.
        scenario: what the scenario says otherwise.
        scene: where things are otherwise.
        joint: one that is off by 0.02 rad in the recording.
        late_from: from this time of the recording on, all of it comes 0.5 s later [s].
    """

    names: str = ""
    scenario: Mapping[str, Any] = field(default_factory=dict)
    scene: Mapping[str, Any] = field(default_factory=dict)
    joint: str = ""
    late_from: float | None = None

    def run(self, out: Path) -> Path:
        """Run, and return the folder of the run."""
        out.mkdir(parents=True)
        file, source = FILE, RECORDING
        if self.joint or self.late_from is not None:
            source = out / "recording"
            self._write_recording(source)
        if self.scenario:
            file = out / "planted.yaml"
            whole = yaml.safe_load(FILE.read_text(encoding="utf-8"))
            merged = {key: _merged(whole[key], self.scenario[key]) for key in self.scenario}
            extended = {"extends": str(FILE), "scenario": "pick_and_place", **merged}
            file.write_text(yaml.safe_dump(extended), encoding="utf-8")
        ended = run(
            file,
            source=source,
            out=out / "run",
            scene=self.scene,
            duration=UNTIL_S,
            engine="mujoco",
        )
        return ended.folder

    def _write_recording(self, out: Path) -> None:
        """Write the shipped recording with the joint off, and late."""
        with AnyReader([RECORDING]) as reader, recording_writer(out) as writer:
            types = reader.typestore
            to = {
                one.id: writer.add_connection(one.topic, one.msgtype, typestore=types)
                for one in reader.connections
            }
            late_s = np.inf if self.late_from is None else self.late_from
            for connection, time_ns, raw in reader.messages():
                message: Any = reader.deserialize(raw, connection.msgtype)
                if self.joint in getattr(message, "name", ()):
                    message.position[list(message.name).index(self.joint)] += OFF_RAD
                late = LATE_NS if time_ns - reader.start_time >= 1e9 * late_s else 0
                stamped = header(nanoseconds(message.header.stamp) + late, message.header.frame_id)
                message = replace(message, header=stamped)
                data = types.serialize_cdr(message, connection.msgtype)
                writer.write(to[connection.id], time_ns + late, data)


def _merged(whole: Any, other: Any) -> Any:
    """Return what a file says, with what is said otherwise."""
    if not isinstance(whole, dict) or not isinstance(other, Mapping):
        return other
    return {**whole, **{key: _merged(whole.get(key), value) for key, value in other.items()}}


_TRIGGERS = [
    {
        "name": "grasp_begins",
        "on": {"event": "grasp.grip_closed"},
        "let": {"object": "event.object", "hand": "event.hand"},
        "if": "held_object(event.hand) == null && event.object == 'tray'",
        "do": [{"hand_over": {"entity": "$object", "attribute": "pose", "to": "holding"}}],
    },
    {
        "name": "grasp_lost",
        "on": {"event": "grasp.grip_lost"},
        "do": [{"hand_over": {"entity": "$event.object", "attribute": "pose", "to": "physics"}}],
    },
]

KINDS = {
    "an object heavier": Planted(
        "box", {"models": {"physics": {"parameters": {"bodies": {"box": {"mass": 3.0}}}}}}
    ),
    "an object more slippery": Planted(
        "box", {"models": {"physics": {"parameters": {"bodies": {"box": {"friction": 0.1}}}}}}
    ),
    "an object elsewhere": Planted("box", scene={"box": {"pose": [0.45, 0.21, 0.8, 1, 0, 0, 0]}}),
    "a joint off": Planted("tabletop_arm", joint="shoulder_pan_joint"),
    "an action later": Planted("box", late_from=6.5),
    "a model left out": Planted("handling", {"models": {"handling": None}}),
    "a model's parameter": Planted(
        "grasp", {"models": {"grasp": {"parameters": {"release_opening": 0.01}}}}
    ),
    "a model's rate": Planted("grasp", {"models": {"grasp": {"rate": 16}}}),
    "a trigger changed": Planted("grasp_begins", {"triggers": _TRIGGERS}),
    "the hand's frame": Planted(
        "gripper", {"hands": {"gripper": {"offset": [0, 0, 0.09, 1, 0, 0, 0]}}}
    ),
}
"""By what they are."""
