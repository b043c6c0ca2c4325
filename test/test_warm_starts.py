"""A forked process of the tests is like one that has just been started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import warm_starts
from support.warm_starts import WarmProcess

MODULE = """
import json, os, sys
print(json.dumps({
    "name": __name__,
    "argv": sys.argv[1:],
    "cwd": os.getcwd(),
    "pid": os.getpid(),
    "variables": dict(os.environ),
    "here": sys.path[0],
    "input": sys.stdin.read(),
}))
print("on stderr", file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""
ROS_LIBRARY = (
    "import sys; assert 'rclpy' not in sys.modules; import rclpy; rclpy.init(); rclpy.shutdown()"
)


def written(folder: Path, text: str) -> list[str]:
    """The command that runs a module of this text."""
    (folder / "told.py").write_text(text, encoding="utf-8")
    return [sys.executable, "-m", "told"]


def test_it_is_as_a_fresh_process(tmp_path: Path) -> None:
    """All that a process has of its own is what a fresh one has, in the same words."""
    command = [*written(tmp_path, MODULE), "3", "ä"]
    variables = {**os.environ, "GIVEN": "here"}
    ended = []
    for start in (subprocess.Popen, WarmProcess):
        pipe = subprocess.PIPE
        with start(
            command, cwd=tmp_path, env=variables, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        ) as process:
            out, err = process.communicate("asked", timeout=60)
        assert f'"pid": {process.pid}' in out
        ended.append((process.returncode, out.replace(str(process.pid), "PID"), err))
    assert ended[0] == ended[1]


def test_ros_is_not_imported_before_and_ends_in_order(tmp_path: Path) -> None:
    ended = warm_starts.run(written(tmp_path, ROS_LIBRARY), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_it_is_waited_for_and_signalled(tmp_path: Path, how: signal.Signals) -> None:
    command = written(tmp_path, "print('begun', flush=True); import time; time.sleep(600)")
    with WarmProcess(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.send_signal(how)
        assert process.wait(60) == -how
    assert process.poll() == -how
