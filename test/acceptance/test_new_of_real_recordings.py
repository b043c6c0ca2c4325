"""`hetwin new` on recordings of real arms in every form in which people keep them: run as written, joints followed."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin
from support.hetwin_command import hetwin
from support.recorded_bags import Recorded, joints, plain, write_bag, write_ros1_bag
from support.robot_recordings import needs

from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode
from hetwin_suite.scaffolding.written import NewScenario
from model_nodes.main_physics.sources.factory import open_source

pytestmark = pytest.mark.slow

NS = 1_000_000_000
SECONDS = 5.0
"""Of each recording, so that a test does not take long."""
CUT_S = 0.3
MOST_CPU_S = 10.0
KUKA, BAXTER, TIAGO = "kuka_lwr_mcap", "baxter_pnp_mcap", "tiago_ident_mcap"
SIDES = [
    f"{side}_{joint}"
    for side in ("left", "right")
    for joint in ["s0", "s1", "e0", "e1", "w0", "w1", "w2"]
]
ORIGINAL = {
    KUKA: [f"lwr_arm_{i}_joint" for i in range(7)],
    BAXTER: ["head_pan", *SIDES, "l_gripper_l_finger_joint", "r_gripper_l_finger_joint"],
    TIAGO: ["torso_lift_joint", *(f"arm_{i}_joint" for i in range(1, 8))],
}
"""Joints of the robots that were recorded."""
KUKA_URDF = "data://kuka_lwr_mcap/lwr.urdf"


@dataclass(frozen=True)
class Form:
    """A recording in another form.

    Attributes:
        folder: the original, in the data folder.
        write: writes messages into a folder; returns the recording.
        named: its joints' names in the recording.
        topic: topic of a joint.
        robot: what is named; empty: nothing.
        described: a URDF that is recorded with it, in the data folder.
        start: where the piece begins, in s of the original.
    """

    folder: str
    write: Callable[[Path, list[Recorded]], Path]
    named: Callable[[str], str] = lambda name: name
    topic: Callable[[str], str] = lambda name: "/joint_states"
    robot: str = ""
    described: str = ""
    start: float = 8.0
    keep: Callable[[str], bool] = lambda name: True


def mcap(folder: Path, messages: list[Recorded]) -> Path:
    return write_bag(folder / "recording", messages)


def sqlite3(folder: Path, messages: list[Recorded]) -> Path:
    return write_bag(folder / "recording", messages, storage=StoragePlugin.SQLITE3)


def bare_db3(folder: Path, messages: list[Recorded]) -> Path:
    file = next(sqlite3(folder, messages).glob("*.db3"))
    return file.rename(folder / "bare.db3")


def ros1(folder: Path, messages: list[Recorded]) -> Path:
    return write_ros1_bag(folder / "recording.bag", messages)


def is_finger(name: str) -> bool:
    return "gripper" in name


FORMS = {
    "kuka, sqlite3, prefix": Form(
        KUKA, sqlite3, lambda n: f"left/{n}", lambda n: "/left/joint_states", KUKA_URDF
    ),
    "kuka, ROS 1, numbers": Form(
        KUKA, ros1, lambda n: f"joint_a{int(n[8]) + 1}", lambda n: "/robot/joints", KUKA_URDF
    ),
    "kuka, recorded description": Form(KUKA, mcap, described=KUKA_URDF),
    "baxter, ROS 1": Form(BAXTER, ros1),
    "baxter, bare db3, dots": Form(BAXTER, bare_db3, lambda n: f"robot1.{n}"),
    "baxter, two topics": Form(
        BAXTER, mcap, topic=lambda n: "/gripper/state" if is_finger(n) else "/robot/joint_states"
    ),
    "baxter, without gripper": Form(BAXTER, sqlite3, keep=lambda n: not is_finger(n)),
    "tiago, bare db3, namespace": Form(
        TIAGO, bare_db3, lambda n: f"tiago/{n}", robot="tiago_no_hand", start=0.0
    ),
    "tiago, ROS 1, with a hand": Form(TIAGO, ros1, robot="tiago", start=0.0),
}


def file_of(name: str) -> str:
    """A file of the data folder, or what else is named."""
    return str(data_folder() / name.removeprefix("data://")) if "://" in name else name


def messages_of(form: Form) -> list[Recorded]:
    """A piece of the original in the new form, with the original's stamps."""
    found: list[Recorded] = []
    with AnyReader([data_folder() / form.folder]) as reader:
        begin = reader.start_time + round(form.start * 1e9)
        chosen = [c for c in reader.connections if c.topic == "/joint_states"]
        for connection, time_ns, raw in reader.messages(
            chosen, begin, begin + round(SECONDS * 1e9)
        ):
            message = reader.deserialize(raw, connection.msgtype)
            kept = [i for i, name in enumerate(message.name) if form.keep(name)]
            for topic in sorted({form.topic(message.name[i]) for i in kept}):
                here = [i for i in kept if form.topic(message.name[i]) == topic]
                names = [form.named(message.name[i]) for i in here]
                positions = [message.position[i] for i in here]
                stamp = message.header.stamp.sec * NS + message.header.stamp.nanosec - begin
                found.append(joints(time_ns - begin, names, positions, topic=topic, stamp_ns=stamp))
    if form.described:
        text = Path(file_of(form.described)).read_text(encoding="utf-8")
        found.insert(0, plain(0, "/robot_description", "std_msgs/msg/String", data=text))
    return found


@dataclass(frozen=True)
class Made:
    """What `hetwin new --run` made of a form, and what was recorded."""

    form: Form
    printed: NewScenario
    messages: list[Recorded]

    @property
    def episode(self) -> Episode:
        assert self.printed.run is not None
        return Episode.open(Path(self.printed.run.folder))

    def original(self, names: list[str], seconds: Floats) -> Floats:
        """(n, joints) positions of joints of the original recording, at run times (n,) [s] of the piece."""
        begin = min(one.time_ns for one in self.messages) + round(self.form.start * NS)
        source = open_source(data_folder() / self.form.folder)
        try:
            assert source.bind(names, 10_000_000).all()
            return np.array([source.motion(begin + round(s * NS)).positions for s in seconds])
        finally:
            source.close()


DAILY = {
    *("kuka, sqlite3, prefix", "kuka, recorded description"),
    *("baxter, bare db3, dots", "tiago, ROS 1, with a hand"),
}
"""Each robot and each kind of file; the others take minutes together."""


def marked(name: str) -> Any:
    form = FORMS[name]
    marks = [needs(form.folder, robots=form.folder != KUKA)]
    if name not in DAILY:
        marks.append(pytest.mark.long)
    return pytest.param(name, marks=marks)


def hetwin_new(*arguments: Path | str) -> tuple[NewScenario, float]:
    """Run the command; what it printed, and the CPU time that it took, with its run's process [s]."""
    before = cpu_s()
    said = hetwin("new", *arguments, "--json")
    assert said.code == 0, said.err
    return NewScenario.model_validate(json.loads(said.out)), cpu_s() - before


def cpu_s() -> float:
    """CPU time of this process and those that it has waited for [s]."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.fixture(scope="module", params=[marked(name) for name in FORMS])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    form = FORMS[request.param]
    folder = tmp_path_factory.mktemp("new")
    messages = messages_of(form)
    recording = form.write(folder, messages)
    robot = ["--robot", file_of(form.robot)] if form.robot else []
    printed, _ = hetwin_new(recording, *robot, "--out", folder / "twin", "--run")
    return Made(form, printed, messages)


def test_all_joints_that_the_robot_has_are_found(made: Made) -> None:
    recorded = {name for one in made.messages for name in getattr(one.message, "name", ())}
    assert {*made.printed.joints, *made.printed.only_recorded} == recorded
    not_its = ("head_nod", "torso_t0") if made.form.folder == BAXTER else ()
    assert {*made.printed.only_recorded} == {made.form.named(name) for name in not_its}


def test_the_run_goes_through_and_is_not_absurd(made: Made) -> None:
    run = made.printed.run
    assert run is not None
    assert run.page is not None
    assert Path(run.page).is_file()
    assert run.verdict in ("fine", "unchecked", "doubtful")
    assert made.episode.summary["ended"] == "recording"


def test_joints_are_followed(made: Made) -> None:
    """They are where the original recording has them, away from the ends at which the piece was cut out."""
    episode = made.episode
    (body,) = episode.layout.of_kind(EntityKind.ROBOT)
    inside = (episode.seconds > CUT_S) & (episode.seconds < episode.seconds[-1] - CUT_S)
    names = [name for name in ORIGINAL[made.form.folder] if made.form.keep(name)]
    own = [body.joints.index(made.printed.joints[made.form.named(name)]) for name in names]
    twin = episode.attribute(body.name, "joint_positions")[inside][:, own]
    worst = np.abs(twin - made.original(names, episode.seconds[inside])).max(axis=0)
    assert worst.max() < 1e-3, dict(zip(names, worst, strict=True))


def test_hands_are_those_of_the_robot(made: Made) -> None:
    links = {hand.link for hand in made.printed.hands.values()}
    if made.form.folder == BAXTER:
        assert links == {"right_gripper_base_link", "left_gripper_base_link"}
    else:
        assert links == ({"hand_palm_link"} if made.form.robot == "tiago" else set())


@pytest.mark.parametrize("folder", [KUKA, BAXTER, TIAGO])
def test_it_costs_little(
    folder: str, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    robot = ["--robot", "tiago"] if folder == TIAGO else []
    path = data_folder() / folder
    if not path.is_dir():
        pytest.skip(f"needs {path} (set HETWIN_DATA)")
    printed, cpu = hetwin_new(path, *robot, "--out", tmp_path / "twin")
    record_property("cpu_s", cpu)
    print(f"{folder}: {cpu:.1f} s of CPU for {printed.duration:.0f} s of recording")
    assert cpu < MOST_CPU_S
