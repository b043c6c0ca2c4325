"""The engine's Gazebo is in a partition of its own, of which nothing else in the process knows."""

from __future__ import annotations

import os
from typing import Any

import pytest
from support.gazebo_servers import needs_gazebo
from support.small_worlds import PERIOD, at, ball
from support.waiting import wait_until

from hetwin_gazebo.bindings import gazebo, new_partition, partition_in_environment
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import World


def test_the_environment_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GZ_PARTITION", raising=False)
    with partition_in_environment("one"):
        assert os.environ["GZ_PARTITION"] == "one"
    assert "GZ_PARTITION" not in os.environ
    monkeypatch.setenv("GZ_PARTITION", "mine")
    with pytest.raises(RuntimeError), partition_in_environment("one"):
        raise RuntimeError
    assert os.environ["GZ_PARTITION"] == "mine"


def test_each_engine_has_its_own_unless_the_user_names_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GZ_PARTITION", raising=False)
    assert new_partition() != new_partition()
    monkeypatch.setenv("GZ_PARTITION", "mine")
    assert new_partition() == "mine"


def worlds(node: Any) -> list[str]:
    """The worlds that run in a node's partition."""
    services = node.service_list()
    return [
        s.split("/")[2] for s in services if s.startswith("/world/") and s.endswith("/gui/info")
    ]


@needs_gazebo
def test_only_the_engine_is_in_its_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GZ_PARTITION", raising=False)
    partition = new_partition()
    monkeypatch.setattr("hetwin_gazebo.engine.new_partition", lambda: partition)
    engine = make_engine("gz")
    try:
        world = World("of_this_test", (ball("ball", at(0, 0, 1)),))
        engine.load(world, EngineSettings(period=PERIOD))
        engine.step()
        assert "GZ_PARTITION" not in os.environ
        transport = gazebo().transport
        options = transport.NodeOptions()
        options.partition = partition
        inside = transport.Node(options)
        wait_until(lambda: len(worlds(inside)) == 1, "the engine's world in its partition", 10)
        outside = transport.Node()
        assert not set(worlds(inside)) & set(worlds(outside))
        assert not [t for t in outside.topic_list() if t.startswith(f"/hetwin/{os.getpid()}/")]
    finally:
        engine.close()
