"""The main model as the conductor sees it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robot_files import ROOT, TABLETOP_ARM

from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Contribution, MainChanges, MainTick
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value, pose_value
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.sources.part import JointMotion, Part

PERIOD_NS = 2_500_000
WORLD = ROOT / "worlds" / "tabletop.sdf"


class Swing(Part):
    """Swings some joints of the arm; an event every 100 ms."""

    def __init__(self, joints: Sequence[str], seconds: float = 1.0, amplitude: float = 0.2) -> None:
        self._names = tuple(joints)
        self._seconds = seconds
        self._amplitude = amplitude
        self._told_to = 0
        self.closed = False

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self._names

    @property
    def duration_ns(self) -> int:
        return round(self._seconds * 1e9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        self._mask = np.array([joint in self._names for joint in joints])
        return self._mask

    def motion(self, time_ns: int) -> JointMotion:
        t, scale = time_ns * 1e-9, self._amplitude * self._mask
        efforts = np.where(self._mask, 1.5, np.nan)
        return JointMotion(
            scale * (0.5 + np.sin(3 * t)),
            3 * scale * np.cos(3 * t),
            -9 * scale * np.sin(3 * t),
            efforts,
        )

    def events(self, time_ns: int) -> list[Event]:
        times = range(self._told_to + 100_000_000, time_ns + 1, 100_000_000)
        events = [Event("tick", time) for time in times]
        self._told_to = times[-1] if times else self._told_to
        return events

    def ended(self, time_ns: int) -> bool:
        return time_ns >= self.duration_ns

    def close(self) -> None:
        self.closed = True


ARM_JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint")


def parameters(**changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "world": str(WORLD),
        "robot": {
            "urdf": str(TABLETOP_ARM),
            "joints_at_start": {"gripper_left_finger_joint": 0.03},
        },
        "hands": [
            {
                "name": "gripper",
                "link": "gripper_base",
                "offset": [0, 0, 0.12, 1, 0, 0, 0],
                "joints": ["gripper_left_finger_joint", "gripper_right_finger_joint"],
            }
        ],
        "entities": {"box": {"tags": ["graspable"]}},
        "source": Swing(ARM_JOINTS),
        "rate": 400.0,
    }
    return {**given, **changes}


class Run:
    """A main model and the scene as its conductor would keep it."""

    def __init__(self, **changes: Any) -> None:
        self.model = MainPhysics()
        self.contribution: Contribution = self.model.contribute(parameters(**changes), 0)
        attributes = self.contribution.attributes
        self.layout = Layout.build(
            self.contribution.entities, [(a.entity, a.attribute) for a in attributes]
        )
        self.values = np.concatenate([a.value.data for a in attributes])
        self.time_ns = 0
        self.foreign: dict[tuple[str, str], Value] = {}
        self.model.start(self.scene())

    def scene(self) -> Snapshot:
        slots = len(self.layout.slots)
        owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
        return Snapshot(self.layout, ("physics",), self.time_ns, self.values, owners, parents)

    def step(self, count: int = 1) -> MainChanges:
        for _ in range(count):
            self.time_ns += PERIOD_NS
            tick = MainTick(self.time_ns, PERIOD_NS, self.scene(), (), self.foreign)
            output = self.model.step(tick)
            assert output.block is not None
            assert output.block.shape == (self.layout.size,)
            self.values = output.block.copy()
        return output

    def get(self, entity: str, attribute: str) -> Floats:
        return self.values[self.layout.range_of(entity, attribute)]

    def joint(self, name: str) -> float:
        robot = self.layout.entity("tabletop_arm")
        return float(self.get("tabletop_arm", "joint_positions")[robot.joints.index(name)])


def test_it_brings_entities_with_their_attributes() -> None:
    run = Run()
    kinds = {entity.name: entity.kind for entity in run.contribution.entities}
    assert kinds["box"] is EntityKind.OBJECT
    assert kinds["table"] is EntityKind.STATIC
    assert kinds["tabletop_arm"] is EntityKind.ROBOT
    assert kinds["forearm_link"] is EntityKind.LINK
    assert kinds["gripper"] is EntityKind.HAND
    box, hand = run.layout.entity("box"), run.layout.entity("gripper")
    assert box.tags == ("graspable",)
    assert box.mass == pytest.approx(0.3)
    assert (hand.owner, hand.parent) == ("tabletop_arm", "gripper_base")
    for entity in run.contribution.entities:
        assert run.layout.has(entity.name, "pose")
    assert run.get("box", "collision").tolist() == [1.0]
    assert run.contribution.duration_ns == 1_000_000_000
    assert run.contribution.robot_description == TABLETOP_ARM.read_text()
    robot = run.layout.entity("tabletop_arm")
    link = run.layout.entity("forearm_link")
    assert link.joint in robot.joints
    assert link.owner == "tabletop_arm"


def test_it_starts_at_the_sources_first_position_and_holds_the_rest() -> None:
    run = Run()
    assert run.joint("elbow_joint") == pytest.approx(0.1)
    assert run.joint("gripper_left_finger_joint") == 0.03
    run.step(200)
    assert run.joint("gripper_left_finger_joint") == pytest.approx(0.03, abs=1e-6)
    assert run.joint("wrist_pitch_joint") == pytest.approx(0.0, abs=1e-6)


def test_joints_follow_the_source() -> None:
    run = Run()
    for i in range(1, 300):
        run.step()
        t = i * PERIOD_NS * 1e-9
        for name in ARM_JOINTS:
            assert run.joint(name) == pytest.approx(0.2 * (0.5 + np.sin(3 * t)), abs=1e-6)
    robot = run.layout.entity("tabletop_arm")
    index = robot.joints.index("elbow_joint")
    velocity = run.get("tabletop_arm", "joint_velocities")[index]
    assert velocity == pytest.approx(0.6 * np.cos(3 * t), abs=5e-3)
    efforts = run.get("tabletop_arm", "joint_efforts")
    assert efforts[index] == 1.5
    assert efforts[robot.joints.index("gripper_left_finger_joint")] == 0.0


def test_the_hand_is_where_its_link_says() -> None:
    run = Run()
    run.step(50)
    link, hand = run.get("gripper_base", "pose"), run.get("gripper", "pose")
    assert np.linalg.norm(hand[:3] - link[:3]) == pytest.approx(0.12, abs=1e-9)
    assert hand[3:7] == pytest.approx(link[3:7], abs=1e-12)
    lever = np.cross(link[10:13], hand[:3] - link[:3])
    assert hand[7:10] == pytest.approx(link[7:10] + lever, abs=1e-9)


def test_events_and_end_come_from_the_source() -> None:
    source = Swing(ARM_JOINTS, seconds=0.25)
    run = Run(source=source)
    seen: list[Event] = []
    for _ in range(99):
        output = run.step()
        seen += output.events
        assert not output.ended
    assert [event.time_ns for event in seen] == [100_000_000, 200_000_000]
    assert run.step().ended
    run.model.stop()
    assert source.closed


def test_a_block_stays_as_it_is_for_one_more_step() -> None:
    run = Run()
    first = run.step().block
    assert first is not None
    kept = first.copy()
    run.step()
    assert first.tobytes() == kept.tobytes()


def test_proximity_names_entities() -> None:
    run = Run()
    run.step(100)
    rows = run.step().tables[PROXIMITY].rows()
    pairs = {
        (run.layout.entities[int(r[0])].name, run.layout.entities[int(r[1])].name) for r in rows
    }
    assert ("box", "table") in pairs
    row = next(r for r in rows if run.layout.entities[int(r[1])].name == "table")
    assert row[2] == pytest.approx(0.0, abs=1e-4)
    assert row[11] == pytest.approx(0.3 * 9.81, rel=1e-2)


def test_a_pose_goes_to_another_model_and_comes_back() -> None:
    run = Run()
    run.step(40)
    before = run.get("box", "pose").copy()
    released = run.model.release("box", "pose", run.scene())
    assert released.data.tobytes() == before.tobytes()
    run.foreign = {("box", "pose"): pose_value((0.3, 0.3, 1.2), time_ns=run.time_ns)}
    run.step(20)
    assert run.get("box", "pose")[:3].tolist() == [0.3, 0.3, 1.2]
    given = pose_value((0.3, 0.3, 1.2), linear=(0.1, 0, 0.2), time_ns=run.time_ns)
    run.foreign = {}
    run.model.take("box", "pose", given, run.scene())
    run.step()
    velocity = run.get("box", "pose")[7:10]
    assert velocity == pytest.approx([0.1, 0, 0.2 - 9.81 * 0.0025], abs=1e-6)


def test_an_object_in_the_hands_frame_moves_with_the_hand() -> None:
    run = Run()
    run.step(10)
    run.model.release("box", "pose", run.scene())
    value = pose_value((0, 0, 0.2), time_ns=run.time_ns, parent="gripper")
    run.foreign = {("box", "pose"): value}
    for _ in range(100):
        run.step()
        hand, box = run.get("gripper", "pose"), run.get("box", "pose")
        assert np.linalg.norm(box[:3] - hand[:3]) == pytest.approx(0.2, abs=1e-9)
        lever = np.cross(hand[10:13], box[:3] - hand[:3])
        assert box[7:10] == pytest.approx(hand[7:10] + lever, abs=1e-9)


def test_collisions_go_to_another_model_and_come_back() -> None:
    run = Run()
    run.step(40)
    assert run.model.release("box", "collision", run.scene()).data.tolist() == [1.0]
    run.foreign = {("box", "collision"): Value(np.zeros(1), run.time_ns)}
    run.step(80)
    assert run.get("box", "collision").tolist() == [0.0]
    assert run.get("box", "pose")[2] < 0.7  # through the table
    run.foreign = {}
    run.model.take("box", "collision", Value(np.ones(1), run.time_ns), run.scene())
    run.step()
    assert run.get("box", "collision").tolist() == [1.0]


@pytest.mark.parametrize(
    ("entity", "attribute"),
    [("table", "pose"), ("forearm_link", "pose"), ("tabletop_arm", "joint_positions")],
)
def test_what_it_keeps_it_refuses_to_release(entity: str, attribute: str) -> None:
    run = Run()
    with pytest.raises(Refused, match=entity):
        run.model.release(entity, attribute, run.scene())


def test_an_overlap_at_the_hand_back_becomes_an_event() -> None:
    run = Run()
    run.step(10)
    run.model.release("box", "pose", run.scene())
    run.step(2)
    sunk = pose_value((0.45, 0.2, 0.797), time_ns=run.time_ns)
    run.model.take("box", "pose", sunk, run.scene())
    (event,) = run.step().events
    assert event.name == "overlap"
    assert event.arguments["object"] == "box"
    assert event.arguments["other"] == "table"


def test_commands_attach_and_detach() -> None:
    run = Run()
    run.model.command("attach", {"object": "box", "to": "gripper_base"})
    run.step(100)
    assert run.get("box", "pose")[:3] != pytest.approx([0.45, 0.2, 0.8], abs=0.01)
    run.model.command("detach", {"object": "box"})
    with pytest.raises(Refused, match="fly"):
        run.model.command("fly", {})
    with pytest.raises(Refused, match="table"):
        run.model.command("attach", {"object": "table", "to": "gripper"})


def test_a_state_without_sense_fails_the_run_by_name() -> None:
    run = Run()
    run.step()
    run.model.release("box", "pose", run.scene())
    fast = pose_value((0, 0, 3), linear=(1e6, 0, 0), time_ns=run.time_ns)
    run.model.take("box", "pose", fast, run.scene())
    with pytest.raises(RunFailed, match="box") as caught:
        run.step()
    assert caught.value.time_ns == 2 * PERIOD_NS


def test_a_world_alone_and_a_robot_alone_will_do() -> None:
    alone = Run(robot=None, hands=[], source=None)
    alone.step(10)
    assert not any(e.kind is EntityKind.ROBOT for e in alone.contribution.entities)
    robot = Run(world=None, entities={})
    robot.step(10)
    assert not any(e.kind is EntityKind.OBJECT for e in robot.contribution.entities)


def test_a_world_may_bring_the_robot_along(tmp_path: Path) -> None:
    world = tmp_path / "with_robot.sdf"
    include = f"<include><uri>{TABLETOP_ARM}</uri><pose>0 0 0.1 0 0 0</pose></include>"
    world.write_text(f'<sdf version="1.9"><world name="w">{include}</world></sdf>')
    run = Run(world=str(world), robot=None, entities={})
    run.step(20)
    assert run.layout.entity("tabletop_arm").kind is EntityKind.ROBOT
    assert run.get("base_link", "pose")[:3].tolist() == [0, 0, 0.1]
    assert run.joint("elbow_joint") == pytest.approx(0.2 * (0.5 + np.sin(3 * 0.05)), abs=1e-6)


def test_joints_of_furniture_are_attributes_too(tmp_path: Path) -> None:
    mass = "<inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"
    world = tmp_path / "drawer.sdf"
    world.write_text(
        '<sdf version="1.9"><world name="w"><gravity>2 0 -9.81</gravity><model name="chest">'
        f'<link name="case">{mass}</link><link name="drawer">{mass}</link>'
        '<joint name="w" type="fixed"><parent>world</parent><child>case</child></joint>'
        '<joint name="slide" type="prismatic"><parent>case</parent><child>drawer</child><axis>'
        "<xyz>1 0 0</xyz><limit><lower>0</lower><upper>0.3</upper></limit></axis></joint>"
        "</model></world></sdf>"
    )
    run = Run(world=str(world), robot=None, hands=[], source=None, entities={})
    chest, drawer = run.layout.entity("chest"), run.layout.entity("chest::drawer")
    assert (chest.kind, chest.joints) == (EntityKind.STATIC, ("chest::slide",))
    assert (drawer.kind, drawer.joint) == (EntityKind.LINK, "chest::slide")
    run.step(80)
    assert run.get("chest", "joint_positions")[0] == pytest.approx(2 * 0.2**2 / 2, rel=0.02)
    run.step(400)
    assert run.get("chest", "joint_positions")[0] == pytest.approx(0.3, abs=2e-3)
    with pytest.raises(Refused, match="chest"):
        run.model.release("chest", "pose", run.scene())


def test_the_scene_places_objects() -> None:
    run = Run(scene={"box": {"pose": [0.5, 0.1, 0.8, 1, 0, 0, 0]}})
    assert run.get("box", "pose")[:3].tolist() == [0.5, 0.1, 0.8]


BAD_PARAMETERS: dict[str, tuple[dict[str, Any], str]] = {
    "neither world nor robot": ({"world": None, "robot": None}, "neither"),
    "robot that is no file": ({"robot": "package://none/none.urdf"}, "none"),
    "robot key": ({"robot": {"urdf": str(TABLETOP_ARM), "colour": "red"}}, "colour"),
    "robot without urdf": ({"robot": {"name": "r"}}, r"robot\.urdf: a key is missing"),
    "joint at start": (
        {"robot": {"urdf": str(TABLETOP_ARM), "joints_at_start": {"tail": 1.0}}},
        "tail",
    ),
    "name taken": ({"robot": {"urdf": str(TABLETOP_ARM), "name": "box"}}, "box"),
    "hand link": ({"hands": [{"name": "h", "link": "nose"}]}, "nose"),
    "hand joint": ({"hands": [{"name": "h", "link": "gripper_base", "joints": ["x"]}]}, "x"),
    "hand without a name": (
        {"hands": [{"link": "gripper_base"}]},
        r"hands\.0\.name: a key is missing",
    ),
    "hand named as a link": ({"hands": [{"name": "box", "link": "gripper_base"}]}, "box"),
    "hand lengths": (
        {"hands": [{"name": "h", "link": "gripper_base", "joints": [], "opened": [1]}]},
        "as many positions in opened as joints .0., not 1",
    ),
    "scene entity": ({"scene": {"moon": {"pose": [0, 0, 0, 1, 0, 0, 0]}}}, "moon"),
    "scene pose": ({"scene": {"box": {"pose": [0, 0, 0]}}}, "3 numbers"),
    "engine": ({"engine": "bullet"}, "bullet"),
    "engine option": ({"options": {"gravity": 3}}, "gravity"),
    "rate": ({"rate": 0.0}, "rate: .*greater than 0"),
    "proximity object": ({"proximity_objects": ["table"]}, "table"),
    "recording": ({"source": {"recording": "/none.mcap"}}, "none.mcap"),
}


@pytest.mark.parametrize(
    ("changes", "says"), BAD_PARAMETERS.values(), ids=list(BAD_PARAMETERS.keys())
)
def test_bad_parameters_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Run(**changes)


def digest(steps: int) -> str:
    """Of a run with a handover to and fro, as hexadecimal digits."""
    run = Run()
    bits = hashlib.sha256()
    for i in range(steps):
        if i == 50:
            run.model.release("box", "pose", run.scene())
            value = pose_value((0, 0.01, 0.15), time_ns=run.time_ns, parent="gripper")
            run.foreign = {("box", "pose"): value}
        if i == 150:
            run.foreign = {}
            pose = Value(run.get("box", "pose").copy(), run.time_ns)
            run.model.take("box", "pose", pose, run.scene())
        output = run.step()
        bits.update(run.values.tobytes())
        bits.update(output.tables[PROXIMITY].rows().tobytes())
    return bits.hexdigest()


def test_every_process_computes_the_same_bits() -> None:
    path = [str(Path(__file__).parent), str(ROOT / "test"), str(ROOT)]
    code = f"import sys; sys.path[:0] = {path}; import test_main_physics as t; "
    results = {digest(300)}
    for _ in range(2):
        answer = subprocess.run(
            [sys.executable, "-c", code + "print(t.digest(300))"],
            capture_output=True,
            text=True,
            check=True,
        )
        results.add(answer.stdout.strip())
    assert len(results) == 1


def test_rows_of_proximity_are_those_before_what_is_handed_over_after_the_step() -> None:
    read, late = Run(), Run()
    for run in (read, late):
        run.step(60)
    expected, output = read.step().tables[PROXIMITY].rows(), late.step()
    assert len(expected)
    late.model.release("box", "pose", late.scene())
    late.model.take("box", "pose", Value(pose_value((0, 0, 2.0)).data, late.time_ns), late.scene())
    rows = output.tables[PROXIMITY].rows()
    assert rows.tobytes() == expected.tobytes()
