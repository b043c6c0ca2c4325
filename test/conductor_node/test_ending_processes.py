"""How processes of nodes are ended: in order where they do, killed where they do not, and never unwatched."""

from __future__ import annotations

import signal
import subprocess
import sys

from conductor_node.processes import end_processes

SAY = "print('ready', flush=True); "
OBEDIENT = SAY + "import time; time.sleep(60)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + OBEDIENT


def started(program: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_a_process_that_does_not_end_is_killed_and_watched_until_then() -> None:
    processes = [started(DEAF), started(OBEDIENT)]
    looks: list[int | None] = []
    end_processes(processes, lambda: looks.append(processes[0].poll()))
    assert [process.returncode for process in processes] == [-signal.SIGKILL, -signal.SIGTERM]
    assert looks.count(None) > 1
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()


def test_one_that_has_ended_is_left_alone() -> None:
    process = started(SAY)
    process.wait(60)
    end_processes([process])
    assert process.returncode == 0
    assert process.stdout is not None
    process.stdout.close()
