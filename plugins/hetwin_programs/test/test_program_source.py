"""A program as a source: what it asks for is done in its time, and what is wrong with it is said with its place."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hetwin_core.ensemble.beliefs import belief_fields
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import ProgramSpec
from hetwin_core.ensemble.tasks import task_fields
from hetwin_programs.camera.detector import Detection, picture
from hetwin_programs.program.part import ProgramPart
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.world.description import Base, Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

URDF = Path(__file__).resolve().parents[3] / "urdf" / "tabletop_arm.urdf"
FINGERS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
GRIPPER = NamedHand(
    name="gripper",
    link="gripper_base",
    offset=[0, 0, 0.12, 1, 0, 0, 0],
    joints=list(FINGERS),
    opened=[0.04, 0.04],
    closed=[0.0, 0.0],
)
STEP_NS = 10_000_000


class Stepped:
    """A source whose robot does exactly what it is commanded."""

    def __init__(self, source: ProgramPart, robot: Body) -> None:
        self.source = source
        self.joints = source.joint_names
        source.bind_base(robot, FollowedBase(odometry="odom"), STEP_NS)
        assert source.bind(self.joints, STEP_NS, {"elbow_joint": 1.6}).all()
        self.time_ns = 0
        self.events: list[Event] = []
        self.seen: list[Event] = []

    def until_end(self, longest_s: float = 30.0) -> None:
        """Step until the program has ended."""
        while not self.source.ended(self.time_ns):
            assert self.time_ns < longest_s * 1e9
            self.step()

    def step(self) -> None:
        """Take one step."""
        measured = self.source.motion(self.time_ns).positions.tolist()
        named = dict(zip(self.joints, measured, strict=True))
        self.source.sense(self.time_ns, named, self.seen)
        self.seen = []
        self.time_ns += STEP_NS
        self.source.base(self.time_ns)
        self.events += self.source.events(self.time_ns)

    @property
    def position(self) -> dict[str, float]:
        """Where the joints are, by name."""
        motion = self.source.motion(self.time_ns)
        return dict(zip(self.joints, motion.positions.tolist(), strict=True))

    def said(self, kind: EventKind) -> list[Event]:
        """The events of a kind."""
        return [event for event in self.events if event.kind is kind]


@contextmanager
def programmed(folder: Path, code: str, name: str = "program", **spec: Any) -> Iterator[Stepped]:
    (folder / "work.py").write_text(dedent(code))
    options = {"deadline": 60.0, "folder": str(folder), **spec}
    robot = replace(read_urdf(URDF, Notes()), robot=True, base=Base.FOLLOWED)
    checked = ProgramSpec(program=f"work:{name}", **options)
    source = ProgramPart(checked, robot, {"gripper": GRIPPER})
    with closing(source):
        yield Stepped(source, robot)


def test_time_passes_while_it_waits(tmp_path: Path) -> None:
    code = """
        def program(robot, seconds):
            with robot.task("rest"):
                robot.wait(seconds)
    """
    with programmed(tmp_path, code, arguments={"seconds": 0.5}) as stepped:
        stepped.until_end()
        changes = [(event.time_ns, task_fields(event).status) for event in stepped.events]
    assert changes == [(STEP_NS, "created"), (STEP_NS, "active"), (510_000_000, "done")]


def test_two_things_go_on_at_the_same_time(tmp_path: Path) -> None:
    code = """
        def program(robot):
            robot.drive(1.0, 0.0, 0.0, speed=0.5, wait=False)
            robot.move_hand("gripper", "open", object="cup", wait=False)
            robot.move_joints({"elbow_joint": 1.0})
            robot.wait()
            assert abs(robot.place.x - 1.0) < 1e-6, robot.place
    """
    with programmed(tmp_path, code) as stepped:
        stepped.until_end()
        assert stepped.position["elbow_joint"] == pytest.approx(1.0)
        assert stepped.position[FINGERS[0]] == pytest.approx(0.04)
        assert stepped.source.base(stepped.time_ns).state[0] == pytest.approx(1.0)
        phases = [(e.name, e.arguments["phase"]) for e in stepped.said(EventKind.ACTION)]
    assert phases == [
        ("navigate", "begin"),
        ("move_hand", "begin"),
        ("move_hand", "end"),
        ("navigate", "end"),
    ]


def test_a_base_that_slips_believes_to_have_arrived(tmp_path: Path) -> None:
    code = """
        def program(robot):
            robot.drive(2.0, 0.0, 3.141592653589793 / 2)
            robot.drive_straight(-0.5)
    """
    with programmed(tmp_path, code, slip=0.1) as stepped:
        stepped.until_end()
        motion = stepped.source.base(stepped.time_ns)
        (*_, arrived) = map(belief_fields, stepped.said(EventKind.BELIEF))
    assert motion.state[:3] == pytest.approx((1.8, -0.45, 0.0))
    assert motion.odometry[:2] == pytest.approx((2.0, -0.5))
    assert motion.state[3:7] == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
    assert arrived.pose[:2] == pytest.approx((2.0, -0.5))


def test_it_sees_what_a_camera_detects_and_not_what_is_there(tmp_path: Path) -> None:
    code = """
        def program(robot):
            (seen,) = robot.look("cup1", seconds=0.3)
            assert seen.object == "cup1" and seen.pictures == seen.of == 1, seen
            assert abs(robot.believed_pose("cup1")[0] - 0.5) < 1e-9
            assert not hasattr(seen, "behind")
    """
    taken = Detection("cup1", (0.5, 0, 0, 1, 0, 0, 0), 0.9, behind="cup2")
    with programmed(tmp_path, code) as stepped:
        for _ in range(10):
            stepped.step()
        stepped.seen = [replace(picture(stepped.time_ns, "", [taken]), source="eye")]
        stepped.until_end()
        beliefs = [belief_fields(event) for event in stepped.said(EventKind.BELIEF)]
    assert [(b.fluent, b.holds, b.origin) for b in beliefs] == [
        ("loc", True, "percept"),
        ("visible", True, "percept"),
        ("visible", False, "percept"),
    ]


def test_what_it_holds_moves_with_the_hand_as_it_believes(tmp_path: Path) -> None:
    code = """
        def program(robot):
            robot.believe_at("cup", robot.hand_pose("gripper"))
            robot.believe_held("cup", "gripper")
            robot.move_joints({"shoulder_pan_joint": 1.0}, seconds=1.0)
            for believed, there in zip(robot.believed_pose("cup"), robot.hand_pose("gripper")):
                assert abs(believed - there) < 1e-9
            robot.believe_put_down("cup", on="table")
    """
    with programmed(tmp_path, code) as stepped:
        stepped.until_end()
        beliefs = [belief_fields(event) for event in stepped.said(EventKind.BELIEF)]
        told = [e.time_ns for e in stepped.events if e.arguments.get("frame") == "gripper_base"]
    assert len(told) > 10
    assert {after - before for before, after in pairwise(told[1:])} == {100_000_000}
    assert [b.fluent for b in beliefs if b.fluent != "loc"] == ["held", "held", "on"]


@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        ("x = 1", "program", "has no function program"),
        ("import nothing_like_this", "program", "No module named 'nothing_like_this'; .*work.py:1"),
        ("def program(robot: x y): pass", "program", "SyntaxError.*work.py, line 1"),
        ("def program(): pass", "program", "cannot be called: too many positional"),
        ("def program(robot, /, *, cup): pass", "program", "missing a required.*'cup'"),
    ],
)
def test_a_program_that_cannot_be_used(tmp_path: Path, code: str, name: str, words: str) -> None:
    with (
        pytest.raises(BadInput, match=f"source.program: .*{words}"),
        programmed(tmp_path, code, name),
    ):
        pass


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    robot = replace(read_urdf(URDF, Notes()), robot=True)
    source = ProgramPart(ProgramSpec(program="no_such:program", folder=str(tmp_path)), robot, {})
    with closing(source), pytest.raises(BadInput, match=r"no_such cannot be imported.*one in /"):
        source.bind(source.joint_names, STEP_NS)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("robot.scene", "NotOfRobots: a robot has no scene: .*; .*work.py:2"),
        ("robot.reach('griper', (0, 0, 1))", "no hand griper; expected .*work.py:2"),
        ("robot.reach('gripper', (9, 0, 1))", "CannotReach: gripper cannot be at"),
        ("1 / 0", "ZeroDivisionError: division by zero; .*work.py:2 .program."),
        ("import os; os._exit(3)", "its process ended with exit code 3|its process .*3"),
        ("while True: robot.wait(0)", "calls in a row that take no time"),
    ],
)
def test_a_program_that_cannot_go_on(tmp_path: Path, line: str, words: str) -> None:
    code = f"def program(robot):\n    {line}\n"
    with programmed(tmp_path, code) as stepped, pytest.raises(RunFailed, match=words):
        stepped.until_end()


def test_a_program_that_hangs_is_ended_where_it_hangs(tmp_path: Path) -> None:
    code = "def program(robot):\n    while True:\n        pass\n"
    with programmed(tmp_path, code, deadline=1.0) as stepped:
        begun = time.monotonic()
        with pytest.raises(RunFailed, match="no call that takes time within 1 s") as failed:
            stepped.until_end()
        place = str(failed.value).partition("it is in ")[2]
        assert not place or re.search("work.py:[23]", place)  # a busy machine may not say it
        assert time.monotonic() - begun < 60.0


def test_a_task_that_fails_is_no_failure_of_the_run(tmp_path: Path) -> None:
    code = """
        from hetwin_programs import Failed

        def program(robot):
            with robot.task("serve"):
                with robot.task("find"):
                    raise Failed("no cup is to be seen")
    """
    with programmed(tmp_path, code) as stepped:
        stepped.until_end()
        ends = [task_fields(event) for event in stepped.events][-2:]
    assert [(end.id, end.status, end.reason) for end in ends] == [
        ("find.1", "failed", "no cup is to be seen"),
        ("serve.1", "failed", "no cup is to be seen"),
    ]
