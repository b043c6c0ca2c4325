"""`--help` of every command: at once, without what the command needs to do its work."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest
from support.hetwin_command import all_commands

COMMANDS = sorted(all_commands())
HEAVY = ("PIL", "mujoco", "numpy", "jinja2", "rclpy", "rich", "rosbags")
"""What no `--help` loads; pydantic it does, for typer itself uses it to read options."""

SCRIPT = """
import contextlib, io, json, os, sys
from hetwin_suite.cli.main import main

def told(command):
    sys.argv = ["hetwin", *command.split(), "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            main()
        except SystemExit as end:
            assert not end.code, end.code
    loaded = sorted({name.partition(".")[0] for name in sys.modules})
    return {"command": command, "text": out.getvalue(), "loaded": loaded}

for command in sys.argv[1:]:
    if not os.fork():
        print(json.dumps(told(command)), flush=True)
        os._exit(0)
    assert not os.wait()[1], command
"""
"""Each command has a process of its own, which has loaded what all begin with."""


@dataclass(frozen=True)
class Help:
    """What a command prints, and the packages that it has loaded then."""

    command: str
    text: str
    loaded: list[str]


@pytest.fixture(scope="module")
def helps() -> dict[str, Help]:
    script = [sys.executable, "-c", SCRIPT, "", *COMMANDS]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = [Help(**json.loads(line)) for line in done.stdout.splitlines()]
    return {one.command: one for one in found}


def test_there_are_all_commands() -> None:
    assert {"run", "show", "model check", "robot obey"} <= {*COMMANDS}


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_loads_nothing_heavy(command: str, helps: dict[str, Help]) -> None:
    shown = helps[command]
    assert f"Usage: hetwin {command}".rstrip() in shown.text
    assert "typer" in shown.loaded
    assert {*shown.loaded}.isdisjoint(HEAVY)
