"""The page of topics, services and parameters is what the nodes declare."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.ros_domains import new_domain

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date(tmp_path: Path) -> None:
    written = tmp_path / "ros.md"
    command = [sys.executable, str(ROOT / "docs" / "make_ros_reference.py"), str(written)]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(new_domain())}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=60)
    page = ROOT / "docs" / "reference" / "ros.md"
    assert written.read_text("utf-8") == page.read_text("utf-8"), (
        "run python docs/make_ros_reference.py"
    )
