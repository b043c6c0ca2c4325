"""Scenarios for recordings of hetwin's own arm: what they say, and that they are right as they were written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from rosbags.rosbag2 import StoragePlugin
from support.hetwin_command import hetwin
from support.recorded_bags import (
    MS,
    TYPES,
    Recorded,
    header,
    joints,
    plain,
    write_bag,
    write_ros1_bag,
)
from support.robot_files import ROOT, TABLETOP_ARM
from support.tabletop import JOINTS
from transforms3d.quaternions import mat2quat

from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.validation import check
from hetwin_suite import run
from hetwin_suite.scaffolding.new_scenario import Draft, draft_scenario
from hetwin_suite.scaffolding.reach import link_frames
from hetwin_suite.scaffolding.written import NewScenario, write_scenario
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

ARM = JOINTS[:-2]
FINGERS = JOINTS[-2:]
STRING = "std_msgs/msg/String"


def positions(names: Sequence[str], time_ns: int) -> list[float]:
    """The arm swings; the fingers close from 1 s to 1.5 s and open again after 3 s."""
    seconds = time_ns / 1e9
    closing = np.interp(seconds, [1.0, 1.5, 3.0, 3.5], [0.04, 0.01, 0.01, 0.04])
    swing = 0.3 * np.sin(seconds)
    return [float(closing) if name in FINGERS else float(swing) for name in names]


def moving(
    names: Sequence[str] = JOINTS,
    named: Callable[[str], str] = lambda name: name,
    topic: str = "/joint_states",
) -> list[Recorded]:
    """Four seconds of joint states at 50 Hz."""
    times = range(0, 4000 * MS, 20 * MS)
    return [
        joints(t, [named(name) for name in names], positions(names, t), topic=topic) for t in times
    ]


def in_order(*parts: list[Recorded]) -> list[Recorded]:
    return sorted((one for part in parts for one in part), key=lambda one: one.time_ns)


def described(time_ns: int = 0) -> list[Recorded]:
    """The arm's description as a robot publishes it."""
    text = TABLETOP_ARM.read_text(encoding="utf-8")
    return [plain(time_ns, "/robot_description", STRING, data=text)]


def written(draft: Draft, out: Path) -> ScenarioFile:
    """The scenario as it is read again."""
    file = write_scenario(draft, out).file
    return check(ScenarioFile, load_with_base(file).data)


# ---------------------------------------------------------------------- which robot, which joints


def test_the_only_robot_that_fits_is_taken(tmp_path: Path) -> None:
    draft = draft_scenario(write_bag(tmp_path / "arm", moving()))
    assert draft.chosen.robot.name == "tabletop_arm"
    assert draft.only_model == []
    assert draft.only_recorded == []


def test_a_recorded_description_is_preferred_and_kept(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "arm", in_order(moving(), described()))
    draft = draft_scenario(bag)
    assert draft.chosen.why == "as recorded"
    file = written(draft, tmp_path / "out")
    assert file.robot is not None
    kept = (tmp_path / "out" / "robot_description.urdf").read_text(encoding="utf-8")
    assert kept == TABLETOP_ARM.read_text(encoding="utf-8")


def test_a_description_beside_the_recording_is_preferred_to_known_robots(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "arm", moving())
    (bag / "mine.urdf").write_text(TABLETOP_ARM.read_text())
    draft = draft_scenario(bag)
    assert draft.chosen.robot.file == (bag / "mine.urdf").resolve()


def test_a_named_robot_is_preferred_to_all(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "arm", in_order(moving(), described()))
    assert draft_scenario(bag, robot=str(TABLETOP_ARM)).chosen.why == "as named"


@pytest.mark.parametrize("prefix", ["left/", "robot1_", "/", "robot."])
def test_joints_with_a_prefix_are_renamed_in_the_source(prefix: str, tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "arm", moving(named=lambda name: prefix + name))
    draft = draft_scenario(bag, robot="tabletop_arm")
    file = written(draft, tmp_path / "out")
    assert file.source.joints == {prefix + name: name for name in JOINTS}  # type: ignore[union-attr]
    assert "in the same way" in draft.chosen.matching.how[0]


def test_what_is_not_the_robots_and_what_was_not_recorded_is_said(tmp_path: Path) -> None:
    draft = draft_scenario(write_bag(tmp_path / "arm", moving([*ARM, "head_nod"])))
    assert draft.only_recorded == ["head_nod"]
    assert draft.only_model == list(FINGERS)


def test_joints_of_two_topics(tmp_path: Path) -> None:
    messages = in_order(moving(ARM, topic="/arm/joint_states"), moving(FINGERS, topic="/fingers"))
    draft = draft_scenario(write_bag(tmp_path / "arm", messages))
    assert set(draft.chosen.matching.joints) == set(JOINTS)
    file = written(draft, tmp_path / "out")
    topics = file.source.joint_states  # type: ignore[union-attr]
    assert set(topics or ()) == {"/arm/joint_states", "/fingers"}


def test_what_is_strange_in_the_recording_is_a_warning(tmp_path: Path) -> None:
    early = [one for one in moving() if not 1500 * MS < one.time_ns < 3000 * MS]
    (gap,) = draft_scenario(write_bag(tmp_path / "arm", early)).warnings
    assert "nothing was recorded on /joint_states for 1.5" in gap
    assert "at 1.50 s" in gap


# ---------------------------------------------------------------------- hands, floor, objects


def test_fingers_that_move_are_watched(tmp_path: Path) -> None:
    file = written(draft_scenario(write_bag(tmp_path / "arm", moving())), tmp_path / "out")
    assert set(file.hands) == {"gripper"}
    assert {m.type for m in file.models.values()} >= {"grasp_monitor", "handling_observer"}


def test_fingers_that_were_not_recorded_are_not(tmp_path: Path) -> None:
    file = written(draft_scenario(write_bag(tmp_path / "arm", moving(ARM))), tmp_path / "out")
    assert [m.type for m in file.models.values()] == ["main_physics"]
    assert set(file.hands) == {"gripper"}


def test_where_the_hand_closes_first(tmp_path: Path) -> None:
    grasp = draft_scenario(write_bag(tmp_path / "arm", moving())).grasp
    assert grasp is not None
    assert grasp.hand == "gripper"
    assert grasp.time_s == pytest.approx(1.45, abs=0.1)


def test_the_box_is_as_wide_as_the_fingers_stay_apart(tmp_path: Path) -> None:
    """In the shipped recording the gripper closes on a box of 5 cm."""
    shipped = ROOT / "scenarios" / "episodes" / "pick_and_place"
    draft = draft_scenario(shipped, robot=str(TABLETOP_ARM))
    assert draft.grasp is not None
    assert draft.grasp.width == pytest.approx(0.05, abs=1e-3)
    file = write_scenario(draft, tmp_path / "out").file
    head, begin, example = file.read_text(encoding="utf-8").partition("# scene:")
    uncommented = "".join(
        line.removeprefix("# ") for line in (begin + example).splitlines(keepends=True)
    )
    file.write_text(head + uncommented, encoding="utf-8")
    summary = run(file, duration=5.5, out=tmp_path / "run")
    assert "picked_up" in [event["name"] for event in summary.events]


def test_the_examples_objects_work_when_they_are_uncommented(tmp_path: Path) -> None:
    draft = draft_scenario(write_bag(tmp_path / "arm", moving()))
    file = write_scenario(draft, tmp_path / "out").file
    head, _, example = file.read_text(encoding="utf-8").partition("# scene:")
    file.write_text(head + ("# scene:" + example).replace("# ", "", example.count("\n") or 1))
    said = hetwin("check", file, "--json")
    assert said.code == 0, said.err
    kinds = {entity["name"]: entity["kind"] for entity in json.loads(said.out)["entities"]}
    assert kinds["table"] == "static"
    assert kinds["box"] == "object"


# ---------------------------------------------------------------------- the command

WAYS: dict[str, Callable[[Path], Path]] = {
    "mcap": lambda folder: write_bag(folder / "arm", moving()),
    "sqlite3": lambda folder: write_bag(folder / "arm", moving(), storage=StoragePlugin.SQLITE3),
    "ros1": lambda folder: write_ros1_bag(folder / "arm.bag", moving()),
    "bare": lambda folder: next(write_bag(folder / "arm", moving()).glob("*.mcap")),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_scenario_is_right_as_it_was_written(way: str, tmp_path: Path) -> None:
    said = hetwin("new", WAYS[way](tmp_path), "--out", tmp_path / "twin", "--json")
    assert said.code == 0, said.err
    found = NewScenario.model_validate_json(said.out)
    assert found.robot == "tabletop_arm"
    assert found.run is None
    assert found.hands["gripper"].link == "gripper_base"
    (topic,) = found.topics
    assert topic.count == 200
    assert topic.rate_hz == pytest.approx(50.0)
    assert hetwin("check", found.scenario).code == 0


def test_the_json_has_the_documented_keys(tmp_path: Path) -> None:
    said = hetwin("new", WAYS["mcap"](tmp_path), "--out", tmp_path / "twin", "--json")
    documented = json.loads(hetwin("list", "schema", "new").out)
    assert list(json.loads(said.out)) == list(documented["properties"])


def test_it_runs_and_names_page_and_verdict(tmp_path: Path) -> None:
    said = hetwin("new", WAYS["mcap"](tmp_path), "--out", tmp_path / "twin", "--run", "--json")
    assert said.code == 0, said.err
    run = NewScenario.model_validate_json(said.out).run
    assert run is not None
    assert run.folder == str(tmp_path / "twin" / "run")
    assert run.page is not None
    assert Path(run.page).is_file()
    assert run.verdict in ("fine", "unchecked", "doubtful", "absurd")


def test_a_person_reads_what_it_holds_in_few_lines(tmp_path: Path) -> None:
    said = hetwin("new", WAYS["mcap"](tmp_path), "--out", tmp_path / "twin")
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) <= 12
    for text in ("4.0 s", "200 messages", "50.0 Hz", "tabletop_arm", "gripper", "hetwin run"):
        assert text in said.out


def test_nothing_is_written_but_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bag = WAYS["sqlite3"](tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    monkeypatch.chdir(tmp_path)
    assert hetwin("new", bag).code == 0
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    made = tmp_path / "arm_twin"
    new = {path for path in after if path not in before}
    assert new == {made, *made.rglob("*")}
    assert {path: after[path] for path in before} == before


def test_the_text_is_plain_yaml(tmp_path: Path) -> None:
    said = hetwin("new", WAYS["mcap"](tmp_path), "--out", tmp_path / "twin", "--json")
    text = Path(json.loads(said.out)["scenario"]).read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    assert max(map(len, text.splitlines())) <= 120
    assert not [line for line in text.splitlines() if line != line.rstrip()]


# ---------------------------------------------------------------------- transforms


def transforms(names: Sequence[str] = ARM) -> list[Recorded]:
    """Four seconds of the arm's transforms at 50 Hz, of links that joints of these names move."""
    body = read_urdf(TABLETOP_ARM, Notes())
    found = []
    for time_ns in range(0, 4000 * MS, 20 * MS):
        at = dict(zip(JOINTS, positions(JOINTS, time_ns), strict=True))
        frames = link_frames(body, {name: np.array([value]) for name, value in at.items()})
        parts = [
            transform(joint.parent, joint.child, frames, time_ns)
            for joint in body.joints
            if joint.name in names
        ]
        found.append(plain(time_ns, "/tf", "tf2_msgs/msg/TFMessage", transforms=parts))
    return found


def transform(parent: str, child: str, frames: dict[str, Floats], time_ns: int) -> Any:
    """The transform between two links, as a message."""
    types = TYPES.types
    matrix = np.linalg.inv(frames[parent][0]) @ frames[child][0]
    (x, y, z), (w, i, j, k) = matrix[:3, 3], mat2quat(matrix[:3, :3])
    return types["geometry_msgs/msg/TransformStamped"](
        header=header(time_ns, parent),
        child_frame_id=child,
        transform=types["geometry_msgs/msg/Transform"](
            translation=types["geometry_msgs/msg/Vector3"](x=x, y=y, z=z),
            rotation=types["geometry_msgs/msg/Quaternion"](x=i, y=j, z=k, w=w),
        ),
    )


def test_joints_are_read_from_transforms_where_there_are_no_joint_states(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "arm", transforms())
    said = hetwin("new", bag, "--robot", "tabletop_arm", "--out", tmp_path / "twin", "--json")
    assert said.code == 0, said.err
    found = NewScenario.model_validate_json(said.out)
    assert found.joints == {name: name for name in ARM}
    assert found.only_model == list(FINGERS)
    assert hetwin("check", found.scenario).code == 0


def test_transforms_alone_do_not_say_whose_they_are(tmp_path: Path) -> None:
    said = hetwin("new", write_bag(tmp_path / "arm", transforms()), "--out", tmp_path / "twin")
    assert said.code == 2
    assert "--robot" in said.err
    assert not (tmp_path / "twin").exists()
