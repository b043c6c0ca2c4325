"""The system in a real Gazebo: Gazebo's controllers move a gripper, the system's events say what it did."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gazebo_grippers import (
    CLOSED,
    DOWN,
    ENGINES,
    EVENTS,
    OPENED,
    STEP,
    Controllers,
    GazeboGantry,
    Setting,
    holding,
)
from support.gazebo_servers import gazebo_server, needs_gazebo

from hetwin_gazebo.bindings import gazebo, transport_node

pytestmark = needs_gazebo
LIKE_A_MODEL = 0.002
"""Maximum motion of a held object in the hand [m]."""
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def partition_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the partition through monkeypatch, which restores it after the worlds have changed it."""
    monkeypatch.setenv("GZ_PARTITION", "hetwin_picks")


def said(world: GazeboGantry | SteppedServer, count: int) -> list[tuple[str, str]]:
    """Return the system's events and their objects when there are `count` of them."""
    end = time.monotonic() + PATIENCE
    while len(world.events) < count and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.1)
    return [(one["event"], one["object"]) for one in map(json.loads, world.events)]


def moved(world: GazeboGantry) -> float:
    """Return the motion of the held object in the hand [m]."""
    world.close_on_it()
    before = world.in_hand()
    world.lift()
    world.carry(ways=1)
    return float(np.abs(world.in_hand() - before).max())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("gripper", "shape", "friction"),
    [("two fingers", "box", 0.1), ("jaws that turn", "ball", 0.4), ("two fingers", "can", 1.0)],
)
def test_it_stays_in_the_hand_until_the_fingers_open(
    engine: str, gripper: str, shape: str, friction: float, tmp_path: Path
) -> None:
    setting = Setting(shape, friction, gripper=gripper, engine=engine)
    world = GazeboGantry(setting, tmp_path, holding())
    assert moved(world) < LIKE_A_MODEL
    assert said(world, 1) == [("grip_closed", "thing")]
    world.run(0.3, OPENED[gripper])
    assert said(world, 2) == [("grip_closed", "thing"), ("grip_lost", "thing")]
    world.run(0.4)
    assert world.thing()[2] < 0.1


def test_plain_gazebo_loses_it(tmp_path: Path) -> None:
    """Control experiment for the test above."""
    assert moved(GazeboGantry(Setting("box", 0.1), tmp_path)) > 0.05


def test_empty_fingers_hold_nothing(tmp_path: Path) -> None:
    world = GazeboGantry(Setting("box", 1.0, at=(0.0, 0.1)), tmp_path, holding())
    moved(world)
    assert said(world, 0) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_suction_cup_holds_while_it_sucks(engine: str, tmp_path: Path) -> None:
    world = GazeboGantry(Setting("box", 0.4, gripper="suction", engine=engine), tmp_path, holding())
    world.run(0.6, {"z": -0.301})
    world.controllers.publish("/hetwin/grasp/gripper/suction", "Boolean", True)
    world.run(0.1)
    before = world.in_hand()
    world.lift()
    world.carry(ways=1)
    assert np.abs(world.in_hand() - before).max() < LIKE_A_MODEL
    assert said(world, 1) == [("grip_closed", "thing")]
    world.controllers.publish("/hetwin/grasp/gripper/suction", "Boolean", False)
    world.run(0.4)
    assert said(world, 2)[1:] == [("grip_lost", "thing")]
    assert world.thing()[2] < 0.1


def test_it_is_switched_off_and_on(tmp_path: Path) -> None:
    world = GazeboGantry(Setting("can", 1.0), tmp_path, holding(topic="/grip"), "/grip/events")
    world.close_on_it()
    world.controllers.publish("/grip/enable", "Boolean", False)
    world.run(0.2)
    world.controllers.publish("/grip/enable", "Boolean", True)
    world.run(0.2)
    assert said(world, 3) == [
        ("grip_closed", "thing"),
        ("grip_lost", "thing"),
        ("grip_closed", "thing"),
    ]


def test_several_grippers_hold_one_object_each(tmp_path: Path) -> None:
    plugins = "".join(holding(f"arm{n}::gripper", topic="/both") for n in ("", "_1"))
    world = GazeboGantry(Setting("box", 0.1, arms=2), tmp_path, plugins, "/both/events")
    assert moved(world) < LIKE_A_MODEL
    assert sorted(said(world, 2)) == [("grip_closed", "thing"), ("grip_closed", "thing_1")]
    assert world.place("thing_1")[2] > 0.1


def test_after_a_reset_it_holds_again(tmp_path: Path) -> None:
    world = GazeboGantry(Setting("box", 0.1), tmp_path, holding())
    world.close_on_it()
    world.reset()
    assert moved(world) < LIKE_A_MODEL
    assert [event for event, _ in said(world, 2)][::2] == ["grip_closed"]


@pytest.mark.parametrize(
    ("system", "says"),
    [
        (holding("paw"), r"no link has this name.*paw"),
        (holding("gripper", fingers="left 0"), r"joint opened closed"),
        (holding("gripper", objects="cup"), r"no body matches that can be held.*cup"),
        (holding(""), r"hand: is missing"),
    ],
)
def test_what_it_cannot_do_is_said(
    system: str,
    says: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hetwin_gazebo_grasp.system.HAND_TIMEOUT_S", 0.2)
    GazeboGantry(Setting(), tmp_path, system).run(1.2)
    assert re.search(says, capfd.readouterr().err)


class SteppedServer:
    """A `gz sim` that was started paused, stepped by its services from a shell."""

    def __init__(self, partition: str, setting: Setting) -> None:
        gz = gazebo()
        node, _ = transport_node(partition, "the test")
        self._environment = {**os.environ, "GZ_PARTITION": partition}
        self.controllers = Controllers(node, setting, delivery=0.3)
        self.events, self._now, self._until = list[str](), 0.0, 0.0
        text, clock = gz.message("stringmsg_pb2", "StringMsg"), gz.message("clock_pb2", "Clock")
        node.subscribe(text, EVENTS, lambda message: self.events.append(message.data))
        node.subscribe(clock, "/clock", self._on_clock)

    def run(self, seconds: float, goals: Mapping[str, float] | None = None) -> None:
        if goals:
            self.controllers.tell(seconds, goals)
        asked = f"pause: true, multi_step: {round(seconds / STEP)}"
        types = ("--reqtype", "gz.msgs.WorldControl", "--reptype", "gz.msgs.Boolean")
        command = ("gz", "service", "-s", "/world/picks/control", *types, "--timeout", "2000")
        end, done = time.monotonic() + PATIENCE, ""
        while "data: true" not in done:
            assert time.monotonic() < end, f"gz sim has no world: {done}"
            done = self.shell(*command, "--req", asked)
        self._until += seconds
        while self._now < self._until - STEP / 2:
            assert time.monotonic() < end, f"gz sim stands at {self._now} s"
            time.sleep(0.01)

    def shell(self, *command: str) -> str:
        """Return the output of a command."""
        told = subprocess.run(command, env=self._environment, capture_output=True, text=True)
        return told.stdout + told.stderr

    def _on_clock(self, clock: Any) -> None:
        self._now = clock.sim.sec + clock.sim.nsec / 1e9


def test_in_gz_sim(tmp_path: Path) -> None:
    """In the Python that `gz sim` embeds, as users start it."""
    partition, setting = f"hetwin_picks_{os.getpid()}_gz_sim", Setting("box", 0.1)
    with gazebo_server(tmp_path, partition, "picks", setting.sdf(holding())):
        world = SteppedServer(partition, setting)
        world.run(0.1)
        world.run(0.6, {"z": DOWN["two fingers"]})
        world.run(0.5, CLOSED["two fingers"])
        world.run(0.3)
        assert said(world, 1) == [("grip_closed", "thing")]
        world.run(0.4, {"z": -0.1})
        enable = ("-n", "/hetwin/grasp/gripper/enable", "-t", "gz.msgs.Boolean")
        done = world.shell("gz", "param", "-r", "/world/picks", "-s", *enable, "-m", "data: false")
        assert "successfully set" in done
        world.run(0.1)
        assert said(world, 2)[1:] == [("grip_lost", "thing")]
