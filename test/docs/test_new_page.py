"""The page about `hetwin new`: each row of its table of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.action_messages import (
    EXECUTING,
    REQUEST_RECEIVED,
    controller,
    goals,
    got_result,
    gripper,
    pins,
    robotiq,
    sent_goal,
    trajectory,
    tree,
)
from support.hetwin_command import hetwin
from support.learning_sets import SO101, write_aloha, write_lerobot, write_robomimic, write_table
from support.menagerie import write_robot
from support.mobile_recordings import ODOMETRY, PERIOD, bound, cart, drive, posed
from support.moved_together import felt, states, steps, wrenches
from support.recorded_bags import MS, Recorded, joints, write_bag
from support.robot_files import ROOT, TABLETOP_ARM, example
from support.tabletop import JOINTS

from hetwin_core.ensemble.concern_words import concern_text
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.scaffolding.new_scenario import draft_scenario
from model_nodes.main_physics.sources.action_types import GRIPPER
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.world.robot_xml import joints_of

PAGE = (ROOT / "docs" / "reference" / "recordings.md").read_text("utf-8")
TABLE = PAGE.split("## Messages")[1].split("\n## ")[0]
ROW = re.compile(r"^\| (?P<what>[^|]+) \| (?P<said>[^|]+) \|$", re.MULTILINE)
ROWS = {row["what"]: row["said"] for row in ROW.finditer(TABLE) if row["said"] != "what is said"}

PANDA = "panda_description/urdf/panda.urdf"
SEVEN = range(1, 8)


def record(folder: Path, names: Sequence[str], seconds: int = 1) -> Path:
    times = range(0, seconds * 1000 * MS, 20 * MS)
    values = [0.02] * len(names)
    return write_bag(folder / "bag", [joints(t, names, values, efforts=values) for t in times])


def drafted(folder: Path, names: Sequence[str], robot: str | Path, *rules: str) -> str:
    """All that is said of a recording and a robot."""
    try:
        draft = draft_scenario(record(folder, names), robot=str(robot), joints=rules)
    except BadInput as error:
        return str(error)
    return "\n".join([*draft.chosen.matching.how, *draft.warnings])


def of_file(folder: Path, file: Path) -> str:
    return drafted(folder, joints_of(file), file)


def ran(folder: Path, pattern: str, instead: str = "") -> str:
    """What a run says of the arm, with some of its description replaced."""
    file = folder / "changed.urdf"
    text = re.sub(pattern, instead, TABLETOP_ARM.read_text(), flags=re.DOTALL)
    file.write_text(text)
    bag = record(folder, JOINTS, 3)
    said = hetwin("new", bag, "--robot", file, "--out", folder / "out", "--run")
    assert said.code == 0, said.err
    return " ".join(f"{said.out} {said.err}".split())


def told(folder: Path, *said: Recorded, opens: bool = False) -> str:
    """What is said of a run of the arm, whose fingers rest or open, while an action server says something."""
    made = [
        joints(t, JOINTS, [0.04 if opens and t and "finger" in j else 0.02 for j in JOINTS])
        for t in range(0, 3000 * MS, 20 * MS)
    ]
    bag = write_bag(folder / "bag", sorted([*made, *said], key=lambda one: one.time_ns))
    ran = hetwin("new", bag, "--robot", TABLETOP_ARM, "--out", folder / "out")
    assert ran.code == 0, ran.err
    ran = hetwin("run", folder / "out" / "bag.yaml", "--no-page", "--out", folder / "run")
    return " ".join(f"{ran.out} {ran.err}".split())


@cache
def _of_parts() -> str:
    with TemporaryDirectory() as folder:
        return told(
            Path(folder),
            controller(500 * MS, "/arm_controller/state", ("a", "b"), (0.0, 0.2)),
            sent_goal(600 * MS, "/gripper_cmd", 0.01),
            got_result(700 * MS, "/gripper_cmd", event=REQUEST_RECEIVED),
            got_result(900 * MS, "/gripper_cmd", 0.01),
            robotiq(500 * MS, 2),
            pins(500 * MS, digital_out=(False,)),
            pins(700 * MS, digital_out=(True,)),
        )


def of_parts(_: Path) -> str:
    """What is said of one run in which all parts of a robot say something of themselves."""
    return _of_parts()


def changed(folder: Path, inside: str, name: str = "r.urdf") -> str:
    file = folder / name
    text = TABLETOP_ARM.read_text().replace("</robot>", f"{inside}</robot>")
    file.write_text(text.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" '))
    return drafted(folder, JOINTS, file)


def of_data_set(path: Path, *options: str) -> str:
    """All that `hetwin new` says of a data set."""
    said = hetwin("new", path, "--out", path.parent / "out", *options)
    return " ".join(f"{said.out} {said.err}".split())


def of_so101(folder: Path) -> str:
    example("so_arm_description/urdf/so101.urdf")
    names = [f"{name}.pos" for name in SO101]
    data_set = write_lerobot(folder / "pick", names=names, size=30.0, robot="so101_follower")
    return of_data_set(data_set, "--episode", "3")


def of_robomimic(folder: Path) -> str:
    example(PANDA)
    return of_data_set(write_robomimic(folder / "lift.hdf5"), "--episode", "1")


def of_aloha(folder: Path) -> str:
    """On an arm with the names of ALOHA's joints."""
    text = TABLETOP_ARM.read_text()
    own = ("waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate")
    for before, name in zip(JOINTS, own, strict=False):
        text = text.replace(f'"{before}"', f'"{name}"')
    (folder / "r.urdf").write_text(text.replace('"gripper_left_finger_joint"', '"left_finger"'))
    data_set = write_aloha(folder / "aloha", width=7)
    return of_data_set(data_set, "--episode", "1", "--robot", str(folder / "r.urdf"))


def of_table(folder: Path) -> str:
    header = ["time", *(f"{name} [deg]" for name in JOINTS)]
    rows = [[i / 10, *[i % 2] * len(JOINTS)] for i in range(20)]
    return of_data_set(write_table(folder / "a.csv", header, rows), "--robot", str(TABLETOP_ARM))


def set_back(folder: Path) -> str:
    """What is said of odometry whose clock is set back on the way."""
    times = range(0, 301 * PERIOD, PERIOD)
    made = [
        posed(ODOMETRY, t, drive(t / 1e9), stamp_ns=t - (350 * MS if t > 2000 * MS else 0))
        for t in times
    ]
    source = bound(write_bag(folder / "bag", made), cart(folder), {"odometry": "/odom"})
    return "\n".join(concern_text(found.name, found.arguments) for found in source.findings)


def off_the_joints(folder: Path) -> str:
    """What is said of a wrench whose stamps are too early."""
    efforts = steps(1, 3)
    made = [*states(steps(2, 3), efforts), *wrenches(felt(efforts), -250 * MS)]
    bag = write_bag(folder / "bag", sorted(made, key=lambda one: one.time_ns))
    found = open_source(bag).findings
    return "\n".join(concern_text(one.name, one.arguments) for one in found)


MESH = '<geometry><mesh filename="package://gone/arm.stl"/></geometry>'
CASES: dict[str, Callable[[Path], str]] = {
    "joints with another prefix": lambda f: drafted(
        f, [f"fer_joint{i}" for i in SEVEN], example(PANDA)
    ),
    "joints that are matched by hand": lambda f: drafted(
        f,
        [f"arm_{i}_motor" for i in SEVEN],
        example(PANDA),
        r"arm_([1-7])_motor=panda_joint\1",
    ),
    "joints that nothing matches": lambda f: drafted(
        f, [f"drive{i}" for i in range(1, 6)], example(PANDA)
    ),
    "a xacro file": lambda f: changed(f, '<xacro:property name="a" value="1"/>', "r.xacro"),
    "xacro that cannot be expanded": lambda f: changed(f, '<link name="${side}"/>'),
    "`${` in a comment or in `<ros2_control>`": lambda f: changed(
        f, '<!-- ${a} --><ros2_control name="${b}"><param name="min">${-pi}</param></ros2_control>'
    ),
    "an MJCF robot": lambda f: of_file(f, write_robot("parallel", f)),
    "an MJCF scene": lambda f: of_file(f, write_robot("parallel", f).parent / "scene.xml"),
    "a closed loop of links": lambda f: of_file(f, write_robot("linkage", f)),
    "an MJCF mesh that is not on disk": lambda f: of_file(
        f, write_robot("parallel", f, mesh=False)
    ),
    "a URDF whose meshes are not on disk": lambda f: ran(f, "<geometry>.*?</geometry>", MESH),
    "a URDF without collision shapes": lambda f: ran(f, "<collision.*?</collision>"),
    "a URDF without masses": lambda f: ran(f, "<inertial.*?</inertial>"),
    "an episode of LeRobot": of_so101,
    "an episode of robomimic": of_robomimic,
    "an episode of ALOHA": of_aloha,
    "a CSV table": of_table,
    "an episode that is not there": lambda f: of_data_set(
        write_lerobot(f / "pick"), "--episode", "50"
    ),
    "status of an action (`action_msgs/GoalStatusArray`)": lambda f: told(
        f, goals(500 * MS, "/gripper_cmd", {1: EXECUTING})
    ),
    "feedback of a gripper (`GripperCommand`, `ParallelGripperCommand`)": lambda f: told(
        f, gripper(500 * MS, "/gripper_cmd", 0.0, reached=True)
    ),
    "a gripper that contradicts the twin": lambda f: told(
        f, gripper(500 * MS, "/gripper_cmd", 0.0249, stalled=True), opens=True
    ),
    "feedback of a trajectory (`FollowJointTrajectory`)": lambda f: told(
        f, trajectory(500 * MS, "/arm/follow_joint_trajectory", ("a", "b"), (0.0, 0.2))
    ),
    "state of a controller (`JointTrajectoryControllerState`)": of_parts,
    "goal of a gripper's action, where its services are introspected": of_parts,
    "result of an action, where its services are introspected": of_parts,
    "status of a gripper (Robotiq, `GripperState`)": of_parts,
    "inputs and outputs of a UR (`ur_msgs/IOStates`, `ToolDataMsg`)": of_parts,
    "a behaviour tree (`nav2_msgs/BehaviorTreeLog`)": lambda f: told(
        f, tree(500 * MS, ("Pick", "RUNNING"))
    ),
    "feedback that cannot be decoded": lambda f: told(
        f, Recorded("/gripper_cmd/_action/feedback", GRIPPER, 500 * MS, b"\0\1\0\0\7")
    ),
    "odometry or transforms whose clock is set back": set_back,
    "a wrench, gripper or controller whose clock is off that of the joints": off_the_joints,
    "a robot's name that is not known": lambda f: drafted(f, JOINTS, "tabeltop_arm"),
}


def test_each_row_has_a_case() -> None:
    assert list(ROWS) == list(CASES)


@pytest.mark.parametrize("what", CASES)
def test_a_row_is_true(what: str, tmp_path: Path) -> None:
    said = CASES[what](tmp_path)
    if ROWS[what] == "nothing":
        assert said == ""
    else:
        assert ROWS[what].strip("`") in said
