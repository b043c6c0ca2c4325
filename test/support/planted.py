"""Differences that are planted between two runs of a pick-and-place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from hetwin_suite._mismatch.joint_states import JointStates
from hetwin_suite._mismatch.recording_file import (
    Message,
    Recording,
    read_recording,
    start_of,
    write_recording,
)
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
            write_recording(source, self._recorded())
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

    def _recorded(self) -> Recording:
        whole = read_recording(RECORDING)
        states = [self._off(one) for one in whole.joint_states]
        if self.late_from is None:
            return replace(whole, joint_states=states)
        since = start_of(RECORDING) + round(1e9 * self.late_from)
        others = [_later(one, whole, since) for one in whole.others]
        return replace(whole, joint_states=[_late(one, since) for one in states], others=others)

    def _off(self, one: JointStates) -> JointStates:
        return one.moved(one.of_each({self.joint: OFF_RAD}))


def _merged(whole: Any, other: Any) -> Any:
    """Return what a file says, with what is said otherwise."""
    if not isinstance(whole, dict) or not isinstance(other, Mapping):
        return other
    return {**whole, **{key: _merged(whole.get(key), value) for key, value in other.items()}}


def _late(one: JointStates, since: int) -> JointStates:
    late = np.where(one.received >= since, LATE_NS, 0)
    return replace(one, stamps=one.stamps + late, received=one.received + late)


def _later(one: Message, whole: Recording, since: int) -> Message:
    if one.received < since:
        return one
    kind = whole.connections[one.topic].msgtype
    said: Any = whole.types.deserialize_cdr(one.data, kind)
    stamp = said.header.stamp
    ns = stamp.sec * 1_000_000_000 + stamp.nanosec + LATE_NS
    stamp = replace(stamp, sec=ns // 1_000_000_000, nanosec=ns % 1_000_000_000)
    said = replace(said, header=replace(said.header, stamp=stamp))
    data = bytes(whole.types.serialize_cdr(said, kind))
    return one._replace(received=one.received + LATE_NS, data=data)


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
