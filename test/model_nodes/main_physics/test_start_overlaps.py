"""What is inside something else before the first step is among the main model's findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_main_physics import Run

from hetwin_core.ensemble.scene.watch import Finding

BOX = """
<model name="{name}"><pose>{pose}</pose>{static}<link name="link">
  <inertial><mass>0.2</mass></inertial>
  <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
</link></model>
"""
WORLD = """<sdf version="1.9"><world name="w">{models}</world></sdf>"""


def found(tmp_path: Path, *boxes: tuple[str, str, bool], **more: Any) -> list[Finding]:
    models = "".join(
        BOX.format(name=n, pose=f"{pose} 0 0 0", static="<static>true</static>" if static else "")
        for n, pose, static in boxes
    )
    world = tmp_path / "world.sdf"
    world.write_text(WORLD.format(models=models))
    watch = Run(world=str(world), **more).contribution.watch
    return [] if watch is None else list(watch.findings)


def test_an_object_inside_another_is_one_finding(tmp_path: Path) -> None:
    boxes = [("one", "3 0 1", False), ("other", "3.17 0 1", False), ("apart", "3.5 0 1", False)]
    (finding,) = found(tmp_path, *boxes)
    assert (finding.name, finding.from_ns, finding.to_ns) == ("starts_inside", 0, 0)
    assert {finding.arguments["object"], finding.arguments["partner"]} == {"one", "other"}
    assert finding.arguments["depth"] == pytest.approx(0.03, abs=1e-4)


def test_an_object_inside_a_static_body(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, ("shelf", "3 0 1", True), ("can", "3 0 1.19", False))
    assert (finding.arguments["object"], finding.arguments["partner"]) == ("can", "shelf")
    assert finding.arguments["depth"] == pytest.approx(0.01, abs=1e-4)


def test_the_robot_inside_a_table(tmp_path: Path) -> None:
    findings = found(tmp_path, ("table", "0 0 0.5", True))
    partners = {finding.arguments["partner"] for finding in findings}
    assert partners == {"table"}
    assert all("link" in finding.arguments for finding in findings)
    assert max(float(str(f.arguments["depth"])) for f in findings) > 0.02


def test_what_stands_on_something_is_not_inside(tmp_path: Path) -> None:
    assert found(tmp_path, ("shelf", "3 0 1", True), ("can", "3 0 1.2", False)) == []


def test_without_reports_nothing_is_looked_for(tmp_path: Path) -> None:
    boxes = [("one", "3 0 1", False), ("other", "3.17 0 1", False)]
    assert found(tmp_path, *boxes, watch_rate=0.0) == []


def test_a_scene_without_a_robot_is_looked_at_too(tmp_path: Path) -> None:
    boxes = [("one", "3 0 1", False), ("other", "3.17 0 1", False)]
    (finding,) = found(tmp_path, *boxes, robot=None, hands=[])
    assert finding.name == "starts_inside"
