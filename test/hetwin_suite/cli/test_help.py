"""`--help` of every command: at once, without what the command needs to do its work."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.hetwin_command import all_commands

COMMANDS = sorted(all_commands())
HEAVY = ("PIL", "mujoco", "numpy", "plotly", "rclpy", "rich", "rosbags")
"""What no `--help` loads; pydantic it does, for typer itself uses it to read options."""

SCRIPT = """
import sys
from hetwin_suite.cli.main import main
sys.argv = ["hetwin", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def test_there_are_all_commands() -> None:
    assert {"run", "check", "check-model", "report", "record", "robot", "evaluate"} <= {*COMMANDS}


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_loads_nothing_heavy(command: str | None) -> None:
    words = [*(command.split() if command else []), "--help"]
    script = [sys.executable, "-c", SCRIPT, *words]
    done = subprocess.run(script, capture_output=True, text=True, check=True, timeout=60)
    assert "Usage: hetwin" in done.stdout
    assert {*done.stderr.split()}.isdisjoint(HEAVY)
