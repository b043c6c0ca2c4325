"""The split of a run's efforts: friction is not a touch, a touch remains, and a calibrated robot has neither."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort_split import Arm
from support.hetwin_command import hetwin, refused
from support.recorded_bags import joints, write_bag
from support.robot_files import TABLETOP_ARM

Planted = dict[tuple[str, int | None], float]
FRICTION: Planted = {("dry", 1): 12.0, ("dry", 2): 8.0, ("viscous", 1): 6.0, ("offset", 2): 3.0}
PUSHED_S = 12.0


def scenario(folder: Path, seed: int, *, pushes: bool = False, health: str = "{}") -> Path:
    """A scenario that plays a recording of the arm, whose description has no friction."""
    arm = Arm(str(TABLETOP_ARM))
    times, positions, efforts = arm.recording(np.random.default_rng(seed), 20.0, FRICTION)
    if pushes:
        still = np.zeros(positions.shape[1])
        for i in np.flatnonzero((times >= PUSHED_S) & (times < PUSHED_S + 0.4)).tolist():
            efforts[i] += arm.dynamics.loads(positions[i], still, still)[:, 0] * 80.0 / 9.81
    names = [joint.name for joint in arm.joints]
    rows = zip(times.tolist(), positions, efforts, strict=True)
    messages = [joints(round(1e9 * t), names, q.tolist(), efforts=m.tolist()) for t, q, m in rows]
    bag = write_bag(folder / f"bag_{seed}", messages)
    bare = folder / "bare.urdf"
    bare.write_text(re.sub(r"<dynamics[^>]*/>", "", TABLETOP_ARM.read_text("utf-8")))
    file = folder / f"run_{seed}.yaml"
    file.write_text(
        f"scenario: {file.stem}\nworld: worlds/empty.sdf\nrate: 400\nsource: {bag}\n"
        f"robot: {{urdf: {bare}, pose: [0, 0, 3, 1, 0, 0, 0]}}\nrobot_health: {health}\n"
        "models:\n  physics: {type: main_physics, main: true}\n"
    )
    return file


def ran(file: Path) -> dict[str, Any]:
    said = hetwin("run", file, "--json", "--out", file.with_suffix(""))
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def names(found: dict[str, Any]) -> list[str]:
    return [str(concern["name"]) for concern in found["concerns"]]


def test_friction_is_no_touch_and_one_line_names_the_command(tmp_path: Path) -> None:
    file = scenario(tmp_path, 1)
    found = ran(file)
    assert names(found) == ["no_friction"]
    assert "hetwin calibrate efforts" in found["concerns"][0]["text"]
    assert found["verdict"] == "fine"
    assert found["efforts"]["explained"] > 3
    (arm,) = found["efforts"]["robots"]
    claim = arm["joints"]["shoulder_lift_joint"]["dry"]
    assert claim["value"] == pytest.approx(12.0, abs=max(0.3, 4.0 * claim["sd"]))
    assert found["efforts"]["touches"] == []
    page = (tmp_path / "run_1" / "report.html").read_text("utf-8")
    assert "dry friction" in page
    assert "apparent touches" in page


def test_a_touch_remains(tmp_path: Path) -> None:
    found = ran(scenario(tmp_path, 2, pushes=True))
    (touch,) = found["efforts"]["touches"]
    assert touch["begin"] == pytest.approx(PUSHED_S, abs=0.2)
    about = [one for one in found["concerns"] if one["name"] == "unexpected_effort"]
    assert about
    assert all(one["from"] == pytest.approx(PUSHED_S, abs=0.3) for one in about)
    assert found["verdict"] == "doubtful"


def test_a_robot_that_is_known_is_fine_on_its_next_recording(tmp_path: Path) -> None:
    first = scenario(tmp_path, 3)
    out, bare = tmp_path / "efforts.json", tmp_path / "bare.urdf"
    bag = tmp_path / "bag_3"
    assert hetwin("calibrate", "efforts", bag, "--robot", bare, "--out", out).code == 0
    found = ran(scenario(tmp_path, 4, health="{efforts: efforts.json}"))
    assert names(found) == []
    assert found["verdict"] == "fine"
    (arm,) = found["efforts"]["robots"]
    assert all("dry" not in own for own in arm["joints"].values())
    assert first.exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("[]", "is not a calibration"),
        ('{"arms": [{"efforts": "currents", "joints": {}}]}', "are not torques"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(
    tmp_path: Path, text: str | None, says: str
) -> None:
    if text is not None:
        (tmp_path / "efforts.json").write_text(text)
    file = scenario(tmp_path, 5, health="{efforts: efforts.json}")
    refused(tmp_path, "run", file, says=(says, "expected"))
