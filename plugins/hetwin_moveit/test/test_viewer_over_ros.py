"""A client with MoveIt's own messages follows a run, over ROS 2."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from moveit_stand_in import PlanningSceneStandIn
from support.cli_runs import hetwin
from support.hetwin_command import refused

from hetwin_moveit.viewer import play
from hetwin_suite.command import BadInput


def test_a_run_that_is_over_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="expected hetwin run SCENARIO --viewer moveit"):
        play(tmp_path, 0)


def test_a_port_is_refused(tmp_path: Path) -> None:
    words = ("run", "pick_and_place", "--viewer", "moveit=80", "--out", tmp_path / "out")
    refused(tmp_path, *words, says=("a planning scene has no port", "ROS_DOMAIN_ID"))


def test_without_moveits_messages_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("moveit_msgs", "moveit_msgs.msg"):
        monkeypatch.setitem(sys.modules, name, None)
    words = ("run", "pick_and_place", "--viewer", "moveit", "--out", tmp_path / "out")
    refused(tmp_path, *words, says=("MoveIt's messages cannot be imported", "sourced ROS 2"))


class Follower:
    """Follows a planning scene by its topic, or by the service as a move_group does.

    Attributes:
        scene: as the changes have made it.
        attached: names of what was attached at any time.
    """

    def __init__(self) -> None:
        self.scene = PlanningSceneStandIn()
        self.attached: set[str] = set()
        self.matrices: list[Any] = []

    def on_change(self, scene: Any) -> None:
        """Apply a change."""
        self.scene.apply(scene)
        if scene.allowed_collision_matrix.entry_names:
            self.matrices.append(scene.allowed_collision_matrix)
        self.attached |= self.scene.attached.keys()

    def on_request(self, request: Any, response: Any) -> Any:
        """Apply a change that is requested."""
        self.on_change(request.scene)
        response.success = True
        return response

    def on_get(self, request: Any, response: Any) -> Any:
        """Return the allowed collisions, as a move_group does."""
        from moveit_msgs.msg import AllowedCollisionEntry

        assert request.components.components == request.components.ALLOWED_COLLISION_MATRIX
        matrix = response.scene.allowed_collision_matrix
        matrix.entry_names = ["base_link", "shoulder_link"]
        rows = [[False, True], [True, False]]
        matrix.entry_values = [AllowedCollisionEntry(enabled=row) for row in rows]
        return response


@contextmanager
def following() -> Iterator[tuple[Follower, Follower, Follower]]:
    """Clients that follow from the start, by topic and by service, and one that joins when an object is attached."""
    from moveit_msgs.msg import PlanningScene
    from moveit_msgs.srv import ApplyPlanningScene, GetPlanningScene
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node

    context = Context()
    context.init()
    node = Node("client", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    early, asked, late = Follower(), Follower(), Follower()
    node.create_subscription(PlanningScene, "planning_scene", early.on_change, 100)
    node.create_service(ApplyPlanningScene, "apply_planning_scene", asked.on_request)
    node.create_service(GetPlanningScene, "get_planning_scene", asked.on_get)
    ends = threading.Event()

    def spin() -> None:
        joined = False
        while not ends.is_set():
            executor.spin_once(0.05)
            if early.scene.attached and not joined:
                joined = True
                other = Node("late_client", context=context)
                executor.add_node(other)
                other.create_subscription(PlanningScene, "planning_scene", late.on_change, 100)

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield early, asked, late
    finally:
        ends.set()
        thread.join()
        executor.shutdown()
        context.shutdown()


def test_objects_hang_on_the_hand_from_grasp_to_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("moveit_msgs.msg", reason="moveit_msgs is not installed")
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    monkeypatch.setattr("support.cli_runs.new_domain", lambda: os.environ["ROS_DOMAIN_ID"])
    with following() as followers:
        words = ("--viewer", "moveit", "--pace", "3", "--no-page", "--out", tmp_path / "run")
        ended = hetwin("run", "pick_and_place", *words)
        assert ended.code == 0, ended.err
    for follower in followers:
        assert follower.attached == {"box"}
        assert {*follower.scene.world} == {"ground", "table", "tray", "box"}
        assert not follower.scene.attached
    (matrix,) = followers[1].matrices
    assert matrix.entry_names == ["base_link", "shoulder_link", "ground"]
    assert [list(row.enabled) for row in matrix.entry_values] == [
        [False, True, True],
        [True, False, False],
        [True, False, False],
    ]
