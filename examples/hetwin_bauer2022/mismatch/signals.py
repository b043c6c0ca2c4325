"""The axis of mismatch that removes kinds of signals from a recording."""

from __future__ import annotations

from dataclasses import replace

from hetwin_bauer2022.mismatch.axis import RecordingAxis
from hetwin_bauer2022.mismatch.facts import EpisodeFacts
from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_suite.runs import BadInput

JOINTS, EFFORTS, COMMANDS, WRENCH = 0.0, 1.0, 2.0, 3.0
_MIN_LEVEL = {
    "control_msgs/msg/JointTrajectoryControllerState": COMMANDS,
    "robotiq_2f_gripper_control/msg/Robotiq2FGripper_robot_input": COMMANDS,
    "geometry_msgs/msg/WrenchStamped": WRENCH,
}
"""Type of message -> minimum level at which it is kept; messages of other types are always kept."""


class Signals(RecordingAxis):
    """Level 0 keeps joint positions alone; efforts are added at 1, commands at 2, and wrenches at 3."""

    name = "signals"
    unit = "level"
    none = WRENCH
    levels = (JOINTS, EFFORTS, COMMANDS, WRENCH)
    lowest, highest = JOINTS, WRENCH
    hardware = (JOINTS, WRENCH)
    source = (
        "all levels occur: many robots publish positions alone, UR and Franka arms efforts and a wrench "
        "(ur_robot_driver, franka_ros)"
    )
    summary = (
        "0: positions of joints alone; 1: and efforts; 2: and commands and the gripper's status; "
        "3: and the wrench"
    )

    def check(self, level: float) -> None:
        """Check a level.

        Raises:
            BadInput: if it is not one of the four levels.
        """
        if level not in self.levels:
            expected = ", ".join(f"{possible:g}" for possible in self.levels)
            raise BadInput(
                f"{self.name} cannot have this level",
                where="--mismatch",
                found=level,
                expected=f"{expected}; {self.none:g} changes nothing",
            )

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Remove efforts below their level."""
        if level >= EFFORTS:
            return recorded
        return [replace(states, efforts=states.efforts[:, :0]) for states in recorded]

    def keeps(self, type_name: str, level: float) -> bool:
        """Whether messages of a type are kept."""
        return level >= _MIN_LEVEL.get(type_name, JOINTS)
