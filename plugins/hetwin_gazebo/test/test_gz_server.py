"""A twin in the world of a Gazebo server that somebody else has started."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.gazebo_servers import end, gazebo_server, needs_gazebo
from support.small_worlds import at, box, command, frame, rest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Fidelity, pose_value
from hetwin_gazebo.engine import GazeboEngine
from hetwin_gazebo.server.connection import Connection, ServerLost
from hetwin_gazebo.server.state import EntityTree
from model_nodes.main_physics.engines.engine import Engine, EngineSettings, Unsupported
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.sdf.reader import read_world

pytestmark = needs_gazebo
PERIOD = 0.005
_numbers = itertools.count()

PLUGINS = """
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
<plugin filename="gz-sim-user-commands-system" name="gz::sim::systems::UserCommands"/>
<plugin filename="gz-sim-scene-broadcaster-system" name="gz::sim::systems::SceneBroadcaster"/>
"""
WORLD = f"""<sdf version="1.9"><world name="WORLD"><gravity>0 0 -9.81</gravity>
<physics name="steps" type="dart"><max_step_size>0.005</max_step_size></physics>{PLUGINS}
<model name="table"><static>true</static><link name="top"><collision name="top"><pose>0 0 -0.1 0 0 0</pose>
<geometry><box><size>4 4 0.2</size></box></geometry>MASK-2</collision></link></model>
<model name="ball"><pose>1 0 0.06 0 0 0</pose><link name="ball"><inertial><mass>0.5</mass>
<inertia><ixx>5e-4</ixx><iyy>5e-4</iyy><izz>5e-4</izz></inertia></inertial><collision name="round">
<geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link></model>
<include><uri>FOLDER/arm.urdf</uri><name>arm</name></include>
</world></sdf>"""
ARM = """<robot name="arm"><link name="world"/><link name="foot"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="beam"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.05 0.05"/></geometry></collision></link>
<joint name="stand" type="fixed"><parent link="world"/><child link="foot"/><origin xyz="0 0 0.5"/></joint>
<joint name="shoulder" type="revolute"><parent link="foot"/><child link="beam"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="1000" velocity="10"/></joint></robot>"""
MASKED = "<surface><contact><collide_bitmask>2</collide_bitmask></contact></surface>"


class Started:
    """A Gazebo server with the world of this file, as its user has started it."""

    def __init__(self, folder: Path, sdf: str = WORLD, name: str = "hall") -> None:
        self.partition, self.name = f"hetwin_test_{os.getpid()}_{next(_numbers)}", name
        (folder / "arm.urdf").write_text(ARM, "utf-8")
        self.sdf = sdf.replace("MASK-2", "").replace("FOLDER", str(folder))
        self.engines: list[GazeboEngine] = []
        self.context = gazebo_server(folder, self.partition, name, self.sdf)
        self.process: subprocess.Popen[bytes] = self.context.__enter__()
        (folder / "scenario.sdf").write_text(self.sdf.replace("WORLD", name), "utf-8")
        self.world = _with_robot(read_world(folder / "scenario.sdf"))

    def engine(self, world: World | None = None, **options: Any) -> Engine:
        """A twin in it, ready to step."""
        engine = GazeboEngine()
        self.engines.append(engine)
        told = {"server": self.name, "partition": self.partition, **options}
        engine.load(world or self.world, EngineSettings(PERIOD, options=told))
        zeros = np.zeros(len(engine.joints))
        engine.place_joints(zeros, zeros)
        return engine

    def connection(self) -> Connection:
        """Another program's view of it."""
        return Connection(self.name, self.partition)


def _with_robot(world: World) -> World:
    return replace(
        world,
        bodies=tuple(
            replace(body, robot=True, static=True) if body.name == "arm" else body
            for body in world.bodies
        ),
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    made = Started(tmp_path_factory.mktemp("server"))
    yield made
    made.context.__exit__(None, None, None)


@pytest.fixture
def started(server: Started) -> Iterator[Started]:
    yield server
    for engine in server.engines:
        engine.close()
    server.engines.clear()


def remarks(engine: Engine) -> str:
    return "\n".join(remark.text for remark in engine.take_remarks())


def test_the_robot_follows_and_an_object_rests_with_its_weight(started: Started) -> None:
    engine = started.engine()
    assert "hall" in engine.description
    assert started.partition in engine.description
    worst = 0.0
    positions, velocities = np.empty(1), np.empty(1)
    for i in range(1, 101):
        t = i * PERIOD
        target = np.array([0.3 * (1 - np.cos(4 * t))])
        engine.command_joints(target, np.array([1.2 * np.sin(4 * t)]), np.zeros(1))
        engine.step()
        engine.read_joints(positions, velocities)
        worst = max(worst, abs(float(positions[0] - target[0])))
    assert worst < 1e-3
    ball = frame(engine, "ball")
    assert ball[:3] == pytest.approx((1, 0, 0.05), abs=2e-3)
    near = engine.proximity()
    touching = near[(near[:, 2] < 1e-3)]
    assert np.abs(touching[0, 9:12]) == pytest.approx((0, 0, 0.5 * 9.81), abs=0.05)
    assert remarks(engine) == ""
    engine.close()


def test_each_step_of_the_twin_is_one_of_the_server(started: Started) -> None:
    before = started.connection().state().iterations
    engine = started.engine()
    rest(engine, 30)
    engine.close()
    after = started.connection().state()
    assert after.iterations - before == 30 + 1  # the engine makes one when it begins
    assert after.paused


def test_an_object_that_another_model_leads_is_followed_by_a_proxy(started: Started) -> None:
    engine = started.engine()
    rest(engine, 2)
    engine.follow("ball", pose_value((0.5, 0.2, 0.4), linear=(0.1, 0, 0)))
    rest(engine, 40)
    now = engine.save().periods * PERIOD  # type: ignore[attr-defined]
    assert frame(engine, "ball")[:3] == pytest.approx((0.5 + 0.1 * now, 0.2, 0.4), abs=1e-3)
    assert "ball has no contacts while another model moves it" in remarks(engine)
    engine.hand_back("ball", pose_value((0.5, 0.2, 0.4)))
    rest(engine, 20)
    fallen = 0.4 - 9.81 * (20 * PERIOD) ** 2 / 2
    assert frame(engine, "ball")[2] == pytest.approx(fallen, abs=5e-3)
    engine.close()
    assert "ball~kinematic" not in EntityTree(started.connection().state()).models


def test_an_object_without_collisions_falls_through_the_table(started: Started) -> None:
    engine = started.engine()
    engine.set_collision("ball", False)
    rest(engine, 40)
    assert frame(engine, "ball")[2] < -0.05
    engine.close()


def test_a_model_that_the_world_lacks_is_named_or_created(started: Started) -> None:
    crate = box("crate", at(-1, 0, 0.06))
    world = World("more", (*started.world.bodies, crate), started.world.gravity)
    with pytest.raises(BadInput, match=r"missing: crate; there: arm, ball, table.*create: true"):
        started.engine(world)
    engine = started.engine(world, create=True)
    rest(engine, 100)
    assert frame(engine, "crate")[2] == pytest.approx(0.05, abs=3e-3)
    engine.close()
    assert "crate" not in EntityTree(started.connection().state()).models


def test_a_body_is_created_and_removed_while_it_goes_on(started: Started) -> None:
    engine = started.engine(create=True)
    rest(engine, 20)
    before = frame(engine, "ball")[:3]
    engine.add(box("crate", at(-1, 0, 0.06)))
    rest(engine, 100)
    assert frame(engine, "crate")[2] == pytest.approx(0.05, abs=3e-3)
    assert np.linalg.norm(frame(engine, "ball")[:3] - before) < 0.02
    assert "crate" in EntityTree(started.connection().state()).models
    engine.follow("crate", pose_value((-1.5, 0, 0.5)))
    rest(engine, 20)
    assert frame(engine, "crate")[:3] == pytest.approx([-1.5, 0, 0.5], abs=5e-3)
    engine.remove("crate")
    rest(engine, 20)
    assert not [n for n in EntityTree(started.connection().state()).models if n.startswith("crate")]
    assert "crate" not in engine.frames
    with pytest.raises(Unsupported, match="cannot remove ball from the world hall"):
        engine.remove("ball")
    engine.close()
    assert "ball" in EntityTree(started.connection().state()).models


def test_a_joint_that_the_model_lacks_is_named(started: Started) -> None:
    *others, arm = started.world.bodies
    (joint,) = arm.moving_joints
    renamed = tuple(replace(j, name="elbow") if j is joint else j for j in arm.joints)
    with pytest.raises(
        BadInput, match=r"model arm .* lacks joints.*missing: elbow; there: .*shoulder"
    ):
        started.engine(World("other", (*others, replace(arm, joints=renamed))))


def test_what_is_fixed_in_one_world_only_is_named(started: Started) -> None:
    bodies = [replace(b, static=True) if b.name == "ball" else b for b in started.world.bodies]
    with pytest.raises(BadInput, match="the model ball is not static in the server's world"):
        started.engine(World("other", tuple(bodies)))


def test_a_world_that_does_not_run_is_named_with_those_that_do(started: Started) -> None:
    with pytest.raises(BadInput, match=f"'lobby'.*partition {started.partition}.*there is hall"):
        started.engine(server="lobby")


def test_a_rate_that_its_steps_do_not_divide_is_refused(started: Started) -> None:
    engine = GazeboEngine()
    options = {"server": started.name, "partition": started.partition}
    with pytest.raises(
        BadInput, match=r"max_step_size 0\.005 s, for steps of 0\.0025 s.*rate: 200"
    ):
        engine.load(started.world, EngineSettings(0.0025, options=options))


def test_what_would_need_another_world_is_refused(started: Started) -> None:
    door = replace(started.world.bodies[-1], robot=False)  # its joint is driven by nothing
    passive = World("passive", (*started.world.bodies[:-1], door), started.world.gravity)
    engine = started.engine(passive)
    with pytest.raises(Unsupported, match="ball cannot be attached to arm::beam"):
        engine.attach("ball", "arm::beam")
    engine.close()
    engine = started.engine()
    with pytest.raises(Unsupported, match="cannot add crate to the world hall"):
        engine.add(box("crate", at(0, 0, 1)))
    with pytest.raises(Unsupported, match="lose their collisions in a running Gazebo: beam"):
        engine.set_fidelity(["beam"], Fidelity.LOW)
    engine.close()


def test_steps_that_the_server_makes_by_itself_are_counted(started: Started) -> None:
    engine = started.engine()
    rest(engine, 5)
    press = f"Connection({started.name!r}, {started.partition!r}).order({{}}, 7)"
    order = [sys.executable, "-c", f"from {Connection.__module__} import Connection; {press}"]
    subprocess.run(order, check=True, timeout=60)  # another program presses "step"
    rest(engine, 2)
    time.sleep(1.5)  # they are over, and may be reported again
    rest(engine, 2)
    assert "steps that the twin did not ask for (7 in total)" in remarks(engine)
    engine.close()


def test_a_joint_that_does_not_follow_is_named(started: Started) -> None:
    engine = started.engine()
    command(engine, np.array([0.0]))
    engine.step()
    command(engine, np.array([40.0]))  # beyond its limit
    engine.step()
    command(engine, np.array([40.0]))
    engine.step()
    assert "the joint shoulder does not follow its command" in remarks(engine)
    engine.close()


def test_a_server_that_ends_is_reported(tmp_path: Path) -> None:
    ending = Started(tmp_path)
    engine = ending.engine()
    rest(engine, 2)
    end(ending.process)
    with pytest.raises(ServerLost, match="the world hall does not reply to state: it has ended"):
        rest(engine, 1)
    engine.close()


def test_a_world_that_is_reset_is_reported(started: Started) -> None:
    engine = started.engine()
    rest(engine, 3)
    asked = "-s /world/hall/control --reqtype gz.msgs.WorldControl --reptype gz.msgs.Boolean"
    reset = ["--timeout", "2000", "--req", "reset: {all: true}, pause: true"]
    environment = {**os.environ, "GZ_PARTITION": started.partition}
    subprocess.run(["gz", "service", *asked.split(), *reset], env=environment, check=True)
    with pytest.raises(ServerLost, match="another program has reset the world hall"):
        rest(engine, 3)
    engine.close()
