"""Axes of mismatch: differences between reality, recording, belief and twin, each scaled by a level.

An axis of your own is a class named by an entry point of `hetwin.mismatches`; use it by `--mismatch NAME=LEVEL`::

    from dataclasses import replace

    from hetwin_bauer2022.mismatch import EpisodeFacts, JointStates, RecordingAxis


    class LateArm(RecordingAxis):
        name, unit, levels = "late_arm", "s", (0.0, 0.01, 0.02, 0.05, 0.1)
        source, summary = "not measured", "delay of the stamps of all joints"

        def change(self, recorded: list[JointStates], level: float, episode: EpisodeFacts):
            return [replace(states, stamps=states.stamps + round(level * 1e9)) for states in recorded]
"""

from __future__ import annotations

from hetwin_bauer2022.mismatch.axis import (
    Axis,
    BeliefAxis,
    Mismatch,
    Place,
    RealityAxis,
    RecordingAxis,
    TwinAxis,
)
from hetwin_bauer2022.mismatch.facts import EpisodeFacts, HandFacts
from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_bauer2022.mismatch.real_world import STIFF, Compliance, RealWorld, TrueValues
from hetwin_bauer2022.mismatch.recording_file import read_recording, start_time_ns, write_recording
from hetwin_bauer2022.mismatch.registry import (
    axes,
    axis_names,
    check_places,
    read_mismatches,
    sorted_mismatches,
)
from hetwin_bauer2022.mismatch.twin_files import TwinFiles

__all__ = [
    "STIFF",
    "Axis",
    "BeliefAxis",
    "Compliance",
    "EpisodeFacts",
    "HandFacts",
    "JointStates",
    "Mismatch",
    "Place",
    "RealWorld",
    "RealityAxis",
    "RecordingAxis",
    "TrueValues",
    "TwinAxis",
    "TwinFiles",
    "axes",
    "axis_names",
    "check_places",
    "read_mismatches",
    "read_recording",
    "sorted_mismatches",
    "start_time_ns",
    "write_recording",
]
