"""How another process ended is known, also to two that ask for it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hetwin_core.ensemble.supervision.watched import WatchedProcess, ended_child

HOST = socket.gethostname()


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def wait(process: subprocess.Popen[bytes]) -> None:
    """Wait until it has ended, and leave it as it is."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def test_a_process_that_runs_has_not_ended(child: subprocess.Popen[bytes]) -> None:
    watched = WatchedProcess(HOST, child.pid)
    assert ended_child(child.pid) is None
    assert not watched.has_ended()
    watched.close()


def test_who_asks_for_a_child_leaves_its_ending_to_others(child: subprocess.Popen[bytes]) -> None:
    watched = WatchedProcess(HOST, child.pid)
    child.kill()
    wait(child)
    assert ended_child(child.pid) == -signal.SIGKILL
    assert watched.has_ended()
    assert watched.how_it_ended() == "its process was killed by SIGKILL"
    assert ended_child(child.pid) == child.wait()
    watched.close()


def test_an_ending_with_a_code_is_told_until_somebody_waits(child: subprocess.Popen[bytes]) -> None:
    watched = WatchedProcess(HOST, child.pid)
    assert child.stdin
    child.stdin.close()  # the end of its input is an error
    wait(child)
    assert ended_child(child.pid) == 1
    assert watched.how_it_ended() == "its process ended with code 1"
    child.wait()
    assert watched.how_it_ended() == f"its process ({child.pid}) has ended"
    watched.close()
