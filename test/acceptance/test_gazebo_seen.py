"""What another program sees of a run in Gazebo: the twin's robot and objects, once each and where the log has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runs import ROOT, hetwin
from support.gazebo_servers import needs_gazebo

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.episodes.episode import Episode

pytestmark = [needs_gazebo, pytest.mark.slow]
LISTENER = Path(__file__).parents[1] / "support/gazebo_listener.py"
SECONDS = 10.0
"""The box is grasped at 4.1 s, carried, and put down at 9.2 s."""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Episode]:
    """What another process saw of the shipped pick-and-place, and the log of that run."""
    out, partition = tmp_path_factory.mktemp("seen") / "run", f"hetwin_seen_{os.getpid()}"
    with subprocess.Popen(
        [sys.executable, LISTENER, partition, "tabletop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
        text=True,
    ) as listener:
        assert listener.stdout is not None
        assert listener.stdout.readline() == "listening\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GZ_PARTITION", partition)
            told = ("--engine", "gz", "--duration", SECONDS, "--no-page", "--out", out)
            ended = hetwin("run", "pick_and_place", *told)
        told_by_listener, _ = listener.communicate(timeout=60)
    assert ended.code == 0, ended.err
    assert f"shown by gazebo: partition {partition}, world tabletop" in ended.out + ended.err
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["shown"] == {"by": "gazebo", "partition": partition, "world": "tabletop"}
    return json.loads(told_by_listener), Episode.open(out)


def logged(episode: Episode, entity: str, seconds: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Where an entity was, between two states of the log [m]."""
    poses = episode.pose(entity)
    return np.array([np.interp(seconds, episode.seconds, poses[:, i]) for i in range(3)])


def test_the_robot_is_one_model_whose_links_are_where_the_log_has_them(
    seen: tuple[dict[str, Any], Episode],
) -> None:
    told, episode = seen
    (robot,) = (e for e in episode.layout.entities if e.kind is EntityKind.ROBOT)
    moving = [e for e in episode.layout.entities if e.owner == robot.name and e.joint]
    assert len(moving) == len(robot.joints) == 8
    model = told["scene"][robot.name]
    assert not {e.name for e in moving} - set(model["links"])
    assert not {e.name for e in moving} & set(told["scene"])
    for row in told["poses"][1:]:
        base = row["poses"][str(model["id"])]
        for link in moving:
            at = row["poses"][str(model["links"][link.name][0])]
            place = np.array(base[:3]) + rotate(base[3:], at[:3])
            assert place == pytest.approx(logged(episode, link.name, row["time"]), abs=2e-3)


def test_each_object_is_seen_once_where_the_log_has_it_also_during_handovers(
    seen: tuple[dict[str, Any], Episode],
) -> None:
    told, episode = seen
    assert {h.attribute for h in episode.handovers} == {"pose"}
    times = [row["time"] for row in told["poses"]]
    for handover in episode.handovers:  # something was seen while it happened
        assert min(abs(time - handover.time_ns * 1e-9) for time in times) < 0.2
    box = told["scene"]["box"]
    assert sum(visuals for _, visuals in box["links"].values()) > 0
    for name, model in told["scene"].items():
        assert name == "box" or not name.startswith("box") or not _visuals(model), name
    for row in told["poses"][1:]:
        place = row["poses"][str(box["id"])][:3]
        assert place == pytest.approx(logged(episode, "box", row["time"]), abs=2e-3), row["time"]


def test_everything_that_has_a_shape_is_displayed(seen: tuple[dict[str, Any], Episode]) -> None:
    told, episode = seen
    shapes = [e for e in episode.layout.entities if e.shapes]
    for entity in shapes:
        model = told["scene"].get(entity.owner or entity.name)
        assert model is not None, entity.name
        assert _visuals(model), entity.name


def _visuals(model: dict[str, Any]) -> int:
    return sum(int(visuals) for _, visuals in model["links"].values())
