"""Arms of robots of example-robot-data, and forward kinematics by somebody else: MuJoCo's own reader of URDF."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.resources import example_robots
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.solver import sampled_limits
from model_nodes.main_physics.world.robot_file import read_robot

_LEFT_OUT = "visual|collision|inertial|transmission|gazebo"


class Arm(NamedTuple):
    """A chain of a robot: its file below the robots of example-robot-data, and the links at both ends."""

    file: str
    base: str
    tip: str

    @property
    def urdf(self) -> Path:
        """The robot's file.

        Raises:
            FileNotFoundError: if the package is not installed.
        """
        folder = example_robots()
        if folder is None:
            raise FileNotFoundError("the package example-robot-data is not installed")
        return folder / "robots" / self.file

    def chain(self) -> Chain:
        """Return the chain."""
        return read_robot(self.urdf).chain(self.base, self.tip, limited=True)


ARMS = {
    "tiago": Arm("tiago_description/robots/tiago.urdf", "torso_lift_link", "arm_tool_link"),
    "pr2": Arm("pr2_description/urdf/pr2.urdf", "torso_lift_link", "r_wrist_roll_link"),
    "panda": Arm("panda_description/urdf/panda.urdf", "panda_link0", "panda_link8"),
    "baxter": Arm("baxter_description/urdf/baxter.urdf", "torso", "left_wrist"),
    "ur5": Arm("ur_description/urdf/ur5_robot.urdf", "base_link", "tool0"),
    "xarm7": Arm("xarm_description/urdf/xarm7.urdf", "link_base", "link_eef"),
    "kinova": Arm(
        "kinova_description/robots/kinova.urdf", "j2s6s200_link_base", "j2s6s200_end_effector"
    ),
    "z1": Arm("z1_description/urdf/z1.urdf", "link00", "link06"),
    "so101": Arm("so_arm_description/urdf/so101.urdf", "base_link", "gripper_frame_link"),
    "talos": Arm("talos_data/robots/talos_reduced.urdf", "torso_2_link", "arm_left_7_link"),
    "alex": Arm("alex_description/urdf/alex_nub_hands.urdf", "Torso", "leftNub"),
}


def postures(chain: Chain, count: int, seed: int) -> Floats:
    """Return (count, n) random positions of the joints within their limits [rad or m]."""
    lower, upper = sampled_limits(chain)
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(lower)))


class ByMujoco:
    """Places a link in the frame of another one, with a robot that MuJoCo has read by itself.

    Args:
        file: its URDF; shapes and masses are left out.
        base, tip: the links.
    """

    def __init__(self, file: Path, base: str, tip: str) -> None:
        text = re.sub(r"<!--.*?-->", "", file.read_text(), flags=re.DOTALL)
        text = re.sub(rf"<({_LEFT_OUT})\b[^>]*?/>", "", text)
        text = re.sub(rf"<({_LEFT_OUT})\b.*?</\1>", "", text, flags=re.DOTALL)
        options = (
            '<mujoco><compiler fusestatic="false" balanceinertia="true" boundmass="1e-3"'
            ' boundinertia="1e-3"/></mujoco>'
        )
        self._model = mj.MjModel.from_xml_string(text.replace("</robot>", options + "</robot>"))
        self._data = mj.MjData(self._model)
        self._base, self._tip = self._body(base), self._body(tip)

    def _body(self, link: str) -> int:
        found: int = mj.mj_name2id(self._model, mj.mjtObj.mjOBJ_BODY, link)
        return max(found, 0)  # the root is the world there

    def matrix(self, joints: tuple[str, ...], positions: Floats) -> Floats:
        """(4, 4) of the tip in the base, for positions (n,) of joints [rad or m]."""
        model, data = self._model, self._data
        for name, position in zip(joints, positions.tolist(), strict=True):
            data.qpos[model.joint(name).qposadr[0]] = position
        mj.mj_kinematics(model, data)
        return np.asarray(np.linalg.inv(self._of(self._base)) @ self._of(self._tip))

    def _of(self, body: int) -> Floats:
        matrix = np.eye(4)
        matrix[:3, :3] = self._data.xmat[body].reshape(3, 3)
        matrix[:3, 3] = self._data.xpos[body]
        return matrix
