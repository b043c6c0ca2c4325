"""A hand that is reported later than the arm."""

from __future__ import annotations

from dataclasses import replace

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class HandLatency(RecordingAxis):
    """The states of the finger joints are stamped and received later than those of the arm."""

    name = "hand_latency"
    unit = "s"
    levels = (0.0, 0.03, 0.06, 0.12, 0.24)
    lowest, highest = 0.0, 10.0
    hardware = (0.0, 0.05)
    source = (
        "a status polled at 20 Hz, the default of robotiq_3f_gripper_control, is up to 50 ms "
        "old; no measurement of a hand beside its arm was found"
    )
    summary = "finger joints are stamped and received this much later than they were measured"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Delay the finger joints; where others are in the same messages, these are sent apart."""
        late = round(1e9 * level)
        fingers = episode.closing
        found: list[JointStates] = []
        for one in recorded:
            others = [name for name in one.names if name not in fingers]
            if others:
                found.append(one if len(others) == len(one.names) else one.joints(others))
            if len(others) < len(one.names):
                hand = one.joints(fingers)
                found.append(
                    replace(hand, stamps=hand.stamps + late, received=hand.received + late)
                )
        return found
