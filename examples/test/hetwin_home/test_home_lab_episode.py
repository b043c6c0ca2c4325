"""Episodes of `home_lab`: what is drawn, the stand-in that records them, and what the twin says of one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.rosbag2 import Reader
from support.robot_files import example

import hetwin_suite
from hetwin_home.episode import record_cups
from hetwin_home.reality import (
    GRASP_MODELS,
    MAX_OFFSET_M,
    ROBOT,
    SUBSTEPS,
    InitialOffsets,
    build_stand_in,
)
from hetwin_home.robot_bag import PUBLISHED, write_robot_bag


@given(st.integers(0, 2**32))
def test_cup_and_base_begin_near_their_places(seed: int) -> None:
    drawn = InitialOffsets.draw(np.random.default_rng(seed))
    assert math.hypot(*drawn.cup) <= MAX_OFFSET_M + 1e-4
    assert math.hypot(*drawn.base) <= MAX_OFFSET_M + 1e-4
    assert drawn == InitialOffsets.draw(np.random.default_rng(seed))


def test_reality_is_physics_alone_in_finer_steps(tmp_path: Path) -> None:
    example("tiago_description/robots/tiago.urdf")
    real = build_stand_in(InitialOffsets((0.01, -0.02), (0.03, 0.0)), tmp_path)
    assert not set(GRASP_MODELS) & set(real.scenario.file.models)
    assert real.scenario.main.parameters["substeps"] == SUBSTEPS
    assert not real.scenario.triggers
    assert real.scene["cup"]["pose"][:3] == pytest.approx([2.95, 3.56, 0.81])
    assert real.scene[ROBOT]["pose"][:2] == pytest.approx([2.23, 2.2])


def test_a_robots_bag_has_nothing_of_what_a_twin_knows(tmp_path: Path) -> None:
    ran = hetwin_suite.run("pick_and_place", out=tmp_path / "run", duration=0.2)
    write_robot_bag(ran.log, tmp_path / "bag")
    with Reader(ran.log) as log, Reader(tmp_path / "bag") as bag:
        assert "/joint_states" in bag.topics
        assert set(bag.topics) == set(log.topics) & set(PUBLISHED)
        joints = [found for found in log.connections if found.topic == "/joint_states"]
        copies = [found for found in bag.connections if found.topic == "/joint_states"]
        of_log = [(stamp, data) for _, stamp, data in log.messages(joints)]
        assert of_log == [(stamp, data) for _, stamp, data in bag.messages(copies)]


@pytest.mark.long
def test_the_twin_says_what_came_about(tmp_path: Path) -> None:
    example("tiago_description/robots/tiago.urdf")
    record_cups(1, 7, tmp_path / "cups")
    episode = tmp_path / "cups" / "home_lab_0001"
    truth = json.loads((episode / "truth.json").read_text("utf-8"))
    assert truth["label"] == "success"
    ran = hetwin_suite.run("home_lab", source=episode, out=tmp_path / "run")
    assert ran.state["hot(cup)"]
    assert ran.state["in_container(cup, microwave)"]
    hot = next(float(event["time"]) for event in ran.events if event["name"] == "became_hot")
    assert hot == pytest.approx(truth["happened"]["hot"], abs=0.5)
