"""A user's own world in a real Gazebo: sensors publish, plugins act, and what is missing is named."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.gazebo_servers import needs_gazebo
from support.small_worlds import PERIOD, frame
from support.waiting import wait_until

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import pose_value
from hetwin_gazebo.bindings import gazebo, partition_in_environment
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.sdf.reader import read_world

pytestmark = needs_gazebo

MASS = "<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"
FLOOR = """<model name="floor"><static>true</static><link name="l"><collision name="c"><geometry><plane/></geometry>
  </collision></link></model>"""
BOX = "<geometry><box><size>0.2 0.2 0.2</size></box></geometry>"


class Own:
    """Gazebo with a world of the test's, and what it publishes."""

    def __init__(self, folder: Path, inside: str, partition: str) -> None:
        file = folder / "own.sdf"
        file.write_text(f'<sdf version="1.9"><world name="lab">{inside}</world></sdf>')
        self.engine: Engine = make_engine("gz")
        try:
            self.notes = self.engine.load(read_world(file), EngineSettings(PERIOD))
            with partition_in_environment(partition):
                self.node = gazebo().transport.Node()
        except BaseException:
            self.engine.close()
            raise

    def steps(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.engine.step()

    def heard(self, topic: str, module: str, name: str) -> list[Any]:
        """Collect the messages of a topic from now on."""
        found: list[Any] = []
        assert self.node.subscribe(gazebo().message(module, name), topic, found.append)
        return found


@pytest.fixture
def partition(monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"own_world_{os.getpid()}"
    monkeypatch.setenv("GZ_PARTITION", name)
    return name


def system(name: str) -> str:
    """A plugin of the world, if this Gazebo has its library; else the test is skipped."""
    folders = os.environ.get("GZ_SIM_SYSTEM_PLUGIN_PATH", "").split(os.pathsep)
    paths = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    libraries = [Path(folder) for folder in (*folders, *paths) if folder]
    libraries += [Path(import_module(gazebo().sim.__name__).__file__ or "").parents[2]]
    libraries += [p / "lib" for p in libraries] + [p.parent for p in libraries]
    if not any(list(folder.glob(f"libgz-sim*-{name}-system.so*")) for folder in libraries):
        pytest.skip(f"this Gazebo has no library gz-sim-{name}-system")
    return name


def test_a_contact_sensor_publishes_under_gazebos_name_until_another_model_leads_its_body(
    tmp_path: Path, partition: str
) -> None:
    sensor = """<sensor name="bump" type="contact"><always_on>1</always_on><update_rate>100</update_rate>
      <contact><collision>shell</collision></contact></sensor>"""
    own = Own(
        tmp_path,
        f"""{FLOOR}<model name="box"><pose>0 0 0.1 0 0 0</pose><link name="body">{MASS}
        <collision name="shell">{BOX}</collision>{sensor}</link></model>""",
        partition,
    )
    try:
        own.steps(0.05)
        heard = own.heard(
            "/world/lab/model/box/link/body/sensor/bump/contact", "contacts_pb2", "Contacts"
        )
        own.steps(0.1)
        wait_until(lambda: bool(heard), "the contact sensor publishes", 20.0)
        names = {c.name for m in heard for k in m.contact for c in (k.collision1, k.collision2)}
        assert names == {"box::body::shell", "floor::l::c"}
        pose = frame(own.engine, "box")
        own.engine.follow("box", pose_value(pose[:3], time_ns=0))
        own.steps(0.1)
        count = len(heard)
        own.steps(0.1)
        assert len(heard) <= count + 1  # one may be on its way
        assert frame(own.engine, "box")[:3] == pytest.approx(pose[:3], abs=1e-3)
    finally:
        own.engine.close()


def test_an_imu_of_a_link_that_is_fixed_to_another_publishes(
    tmp_path: Path, partition: str
) -> None:
    imu = system("imu")
    sensor = '<sensor name="imu" type="imu"><always_on>1</always_on><update_rate>100</update_rate></sensor>'
    own = Own(
        tmp_path,
        f"""<plugin filename="gz-sim-{imu}-system" name="gz::sim::systems::Imu"/>{FLOOR}
        <model name="box"><pose>0 0 0.1 0 0 0</pose>
        <link name="body">{MASS}<collision name="shell">{BOX}</collision></link>
        <link name="head"><pose>0 0 0.15 0 0 0</pose>{MASS}{sensor}</link>
        <joint name="neck" type="fixed"><parent>body</parent><child>head</child></joint></model>""",
        partition,
    )
    try:
        own.steps(0.2)
        heard = own.heard("/world/lab/model/box/link/head/sensor/imu/imu", "imu_pb2", "IMU")
        own.steps(0.2)
        wait_until(lambda: len(heard) > 5, "the IMU publishes", 20.0)
        assert heard[-1].linear_acceleration.z == pytest.approx(9.8, abs=0.1)
        assert not own.notes[1:]
    finally:
        own.engine.close()


def test_a_plugin_of_a_model_moves_its_joints(tmp_path: Path, partition: str) -> None:
    drive = system("joint-controller")
    own = Own(
        tmp_path,
        f"""<model name="crane"><link name="base">{MASS}</link><link name="arm">{MASS}</link>
        <joint name="w" type="fixed"><parent>world</parent><child>base</child></joint>
        <joint name="turn" type="revolute"><parent>base</parent><child>arm</child>
        <axis><xyz>0 0 1</xyz></axis></joint>
        <plugin filename="gz-sim-{drive}-system" name="gz::sim::systems::JointController">
        <joint_name>turn</joint_name><initial_velocity>2</initial_velocity></plugin></model>""",
        partition,
    )
    try:
        own.steps(0.5)
        positions, velocities = np.zeros(1), np.zeros(1)
        own.engine.read_joints(positions, velocities)
        assert velocities[0] == pytest.approx(2.0, abs=0.01)
        assert positions[0] == pytest.approx(1.0, abs=0.02)
    finally:
        own.engine.close()


def test_what_gazebo_gets_and_what_it_lacks_is_named(tmp_path: Path, partition: str) -> None:
    own = Own(
        tmp_path,
        f"""<light name="sun" type="directional"/>{FLOOR}<model name="m"><pose>0 0 1 0 0 0</pose>
        <link name="l">{MASS}</link><plugin filename="gz-sim-nowhere-system" name="my::Nowhere"/></model>""",
        partition,
    )
    try:
        assert own.notes == (
            "world lab: carried over to Gazebo: 1 <light>, 1 <plugin>",
            (
                "world own.sdf: model m: plugin my::Nowhere does nothing, since Gazebo has not found its"
                " library gz-sim-nowhere-system in GZ_SIM_SYSTEM_PLUGIN_PATH"
            ),
        )
        own.steps(0.01)
    finally:
        own.engine.close()


def test_ball_joints_are_refused_where_they_are_not_reported(tmp_path: Path) -> None:
    file = tmp_path / "w.sdf"
    file.write_text(
        f"""<sdf version="1.9"><world name="w"><model name="m"><link name="a">{MASS}</link><link name="b">{MASS}
        </link><joint name="j" type="ball"><parent>a</parent><child>b</child></joint></model></world></sdf>"""
    )
    settings = EngineSettings(PERIOD, options={"physics": "bullet-featherstone"})
    with pytest.raises(BadInput, match="m::j"):
        make_engine("gz").load(read_world(file), settings)
