"""The example package: models of a user's own, whose responsibilities are no poses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hetwin_core.ensemble.conformance.suite import check_model_type

CAFE = Path(__file__).resolve().parents[2] / "examples" / "hetwin_cafe"


@pytest.mark.parametrize("model", ["coffee:Coffee", "glass:Glass", "battery:Battery"])
def test_the_models_keep_the_contract(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CAFE))
    results = check_model_type(f"hetwin_cafe.{model}")
    assert results
    assert [r for r in results if not r.ok] == []


def test_coffee_cools_glass_breaks_and_the_battery_drains(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "run"]
    command += [str(CAFE / "scenarios" / "cafe.yaml"), "--duration", "3.4"]
    command += ["--json", "--no-report", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(CAFE)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    events = {event["name"]: event for event in json.loads(done.stdout)["events"]}
    assert events["broke"]["arguments"]["object"] == "glass"
    assert events["broke"]["time"] == pytest.approx(0.31, abs=0.03)  # 0.49 m of free fall
    assert events["fetch_a_broom"]["arguments"]["because_of"] == "table"
    assert events["battery_low"]["time"] < 1.5  # 20 W use up 30 J in 1.5 s, and the joints use some
    assert events["served_again"]["time"] == pytest.approx(3.1, abs=0.1)  # 60 K fall by 3 K


def test_the_package_installs_what_its_launch_file_needs() -> None:
    setup = (CAFE / "setup.py").read_text(encoding="utf-8")
    for folder, pattern in (
        ("launch", "*.launch.py"),
        ("scenarios", "*.yaml"),
        ("worlds", "*.sdf"),
    ):
        assert list((CAFE / folder).glob(pattern))
        assert f"{folder}" in setup
    name = ET.parse(CAFE / "package.xml").findtext("name")
    assert (CAFE / "resource" / str(name)).is_file()
