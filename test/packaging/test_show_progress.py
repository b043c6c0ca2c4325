"""An installation is never silent: its phases, how far it is, and the end of its output if it fails."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cmake" / "show_progress.py"
PIP = r"""
import time
print("Obtaining file:///somewhere/hetwin", flush=True)
print("  Installing build dependencies: started", flush=True)
print("Collecting numpy>=2 (from hetwin-suite==0.1.0)", flush=True)
print("  Downloading numpy-2.3.4-cp311-cp311-manylinux_2_27_x86_64.whl (16.9 MB)", flush=True)
time.sleep(1.0)
print("Collecting mujoco-core~=4.0.1", flush=True)
print("Building wheels for collected packages: hetwin-suite", flush=True)
print("  Building editable for hetwin-suite (pyproject.toml): started", flush=True)
time.sleep(1.0)
print("Installing collected packages: numpy, mujoco-core, hetwin-suite", flush=True)
"""
FAILS = "import sys; print('Collecting numpy'); sys.exit('ERROR: no space left')"


def started(code: str, stdout: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), "installing", sys.executable, "-c", code]
    env = {**os.environ, "HETWIN_PROGRESS_PERIOD": "0.3"}
    return subprocess.Popen(command, stdout=stdout, env=env, text=True)


def test_each_phase_is_a_line_and_none_is_silent() -> None:
    with started(PIP, subprocess.PIPE) as process:
        assert process.stdout is not None
        lines, times = [], [time.monotonic()]
        for line in process.stdout:
            lines.append(line.rstrip())
            times.append(time.monotonic())
    text = "\n".join(lines)
    assert process.returncode == 0
    assert "step 1 of 5, getting the tools for the build" in text
    assert "step 3 of 5, downloading numpy-2.3.4 (16.9 MB), 1 package so far" in text
    assert "step 4 of 5, packing hetwin, 2 packages so far" in text
    assert "step 5 of 5, copying 3 packages" in text
    assert lines[-1] == "installing: done after 0:02 min"
    assert len([line for line in lines if "downloading" in line]) >= 3
    assert "Collecting" not in text


def test_a_failure_ends_with_the_output_and_its_code() -> None:
    with started(FAILS, subprocess.PIPE) as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "installing: failed with exit code 1" in out
    assert out.endswith("ERROR: no space left\n")


def test_on_a_terminal_the_line_is_written_in_its_place() -> None:
    terminal, inside = pty.openpty()
    with started(PIP, inside) as process:
        os.close(inside)
        written = b""
        while select.select([terminal], [], [], 30.0)[0]:
            try:
                written += os.read(terminal, 65536)
            except OSError:  # closed
                break
    os.close(terminal)
    assert process.returncode == 0
    assert written.count(b"\r\x1b[K") >= 5
    assert written.count(b"\n") == 1
    assert b"done after" in written.splitlines()[-1]


def test_the_demo_ends_with_how_to_activate() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    assert "source $(VENV)/bin/activate" in recipe[1]
