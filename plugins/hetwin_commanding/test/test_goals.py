"""Files with goals are read whole, and every mistake in them has its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_commanding.goals import BaseGoal, JointsGoal, TipGoal, TrajectoryGoal, read_goals
from hetwin_core.ensemble.errors import BadInput

MOTION = "joint_names: [a]\npoints: [{positions: [1], time_from_start: 1}]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "goal.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_one_goal_and_a_list_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "motion.yaml").write_text(MOTION, encoding="utf-8")
    (one,) = read_goals(written(tmp_path, "joints: {a: 1}\ntouches: [box]\n"))
    assert one.goal == JointsGoal(joints={"a": 1.0}, touches=["box"])
    text = (
        "- joints: {a: 1}\n- {tip: [0, 0, 1, 1, 0, 0, 0], link: hand, frame: arm}\n"
        "- base: [1, 2, 0.5]\n- trajectory: motion.yaml\n"
    )
    kinds = [type(read.goal) for read in read_goals(written(tmp_path, text))]
    assert kinds == [JointsGoal, TipGoal, BaseGoal, TrajectoryGoal]
    last = read_goals(written(tmp_path, text))[-1].trajectory
    assert last is not None
    assert last.names == ("a",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("joints: {}\n", ("line 1, joints", "at least 1")),
        ("joints:\n  a: .nan\n", ("line 2, joints.a", "finite")),
        ("jonts: {a: 1}\n", ("line 1, jonts", "unknown key", "'joints' perhaps")),
        ("- joints: {a: 1}\n- tip: [0, 0, 1]\n  link: hand\n", ("line 2, 1.tip", "seven numbers")),
        ("- tip: [0, 0, 1, 1, 0, 0, 0]\n", ("line 1, 0.link", "missing")),
        ("base: [1, 2]\n", ("line 1, base", "three numbers x y yaw")),
        ("- trajectory: none.yaml\n", ("line 1, 0.trajectory", "there is no such file")),
        (
            "[]\n",
            ("this is no goal", "a mapping with joints, tip, base, trajectory, grasp or release"),
        ),
        ("up\n", ("this is no goal", "found 'up'")),
        ("- 3\n", ("line 1, 0", "a mapping")),
    ],
)
def test_mistakes_have_their_line(tmp_path: Path, text: str, says: tuple[str, ...]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInput) as caught:
        read_goals(path)
    for part in (str(path), *says):
        assert part in str(caught.value)


def test_a_mistake_in_a_trajectory_is_one_of_its_file(tmp_path: Path) -> None:
    motion = tmp_path / "motion.yaml"
    motion.write_text("joint_names: [a]\npoints: []\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_goals(written(tmp_path, "trajectory: motion.yaml\n"))
    assert str(caught.value).startswith(f"{motion}: ")
