"""A run whose command was killed ends soon, whatever its expressions compute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.waiting import wait_until

_TEN = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
_SLOW = f"size({_TEN}.map(a, {_TEN}.map(b, {_TEN}.map(c, {_TEN}.map(d, [0, 1].map(e, a + e))))))"
_COUNT = 400
"""So many slow conditions take minutes in one barrier."""
_IN_THEM_S = 3.0
"""A run that has used so much processor time is in its conditions [s]."""


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return list(map(int, found.split()))


def _used_s(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / float(os.sysconf("SC_CLK_TCK"))


def _is_over(pid: int) -> bool:
    """Whether a process has ended, even if nobody has collected it yet."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return True
    return words[0] == "Z"


def test_it_ends_without_coming_to_a_barrier(tmp_path: Path) -> None:
    triggers = "".join(
        f"  - {{name: slow_{i}, on: {{action: reach}}, if: '{_SLOW} > 0',"
        " do: [{raise: {event: seen}}]}\n"
        for i in range(_COUNT)
    )
    scenario = tmp_path / "slow.yaml"
    scenario.write_text(f"scenario: slow\nextends: pick_and_place\ntriggers:\n{triggers}", "utf-8")
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", str(scenario)]
    command += ["--no-page", "--out", str(tmp_path / "run")]
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=tmp_path)
    wait_until(lambda: _children(process.pid), "the run's process", process=process)
    (child,) = _children(process.pid)
    wait_until(lambda: _used_s(child) > _IN_THEM_S, "it is in its conditions", process=process)
    process.kill()
    process.wait()
    wait_until(lambda: _is_over(child), "the end of it", 20.0)
    assert (tmp_path / "run" / "log").is_dir()
