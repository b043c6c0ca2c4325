"""mosaik and HELICS under the faults that can be injected into them too."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from fault_runs import Ended, empty_folder

LIMIT_S = 20.0
HERE = Path(__file__).resolve().parent
IN_ANY = {
    "process killed": "killed",
    "segmentation fault": "segmentation fault",
    "step hangs in Python": "hangs in Python",
    "step hangs in C": "hangs in C",
    "exception in step": "raises",
    "not a number": "not a number",
    "infinity": "infinity",
}
"""Names of the fault in the table and of the function that causes it."""


@dataclass(frozen=True)
class Peer:
    """A peer system.

    Attributes:
        module: that must be installed.
        script: that runs it with a fault.
        transports: of the system.
        more: additional faults.
    """

    module: str
    script: str
    transports: tuple[str, ...]
    more: tuple[str, ...] = ()

    def faults(self) -> Iterator[tuple[str, str]]:
        """Iterate over (fault, transport); none if the system is not installed."""
        if find_spec(self.module) is None:
            print(f"{self.module} is not installed (pip install .[benchmarks])", file=sys.stderr)
            return
        for fault in (*IN_ANY, *self.more):
            for transport in self.transports:
                yield fault, transport


PEERS = {
    "mosaik": Peer(
        "mosaik",
        "fault_peer_mosaik.py",
        ("in-process", "subprocess"),
        ("wrong type", "time stands still", "time goes back"),
    ),
    "helics": Peer("helics", "fault_peer_helics.py", ("tcp",)),
}


def suffer_peer(peer: Peer, fault: str, transport: str) -> Ended:
    """Run a peer with a fault; after 20 s it is stopped.

    A row is in order if the run ends by itself with words that name the fault, and not with exit code 0.
    """
    with empty_folder() as folder:
        mark = folder / "mark"
        process = subprocess.Popen(
            [sys.executable, str(HERE / peer.script)],
            env={
                **os.environ,
                "PEER_FAULT": IN_ANY.get(fault, fault),
                "PEER_TRANSPORT": transport,
                "PEER_MARK": str(mark),
                "HELICS_PORT": str(_free_port()),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        text, hung = _until_the_end(process, mark)
        fault_time = float(mark.read_text()) if mark.exists() else time.time()
        took = None if hung else time.time() - fault_time
    words = _last_words(text)
    if hung:
        return Ended(False, None, words)
    code = process.returncode
    return Ended(code != 0 and "Error" in text, took, f"exit code {code}: {words}")


def _until_the_end(process: subprocess.Popen[str], mark: Path) -> tuple[str, bool]:
    """Return its output, and whether it had to be stopped 20 s after the fault."""
    begun = time.monotonic()
    while not mark.exists() and process.poll() is None and time.monotonic() - begun < 3 * LIMIT_S:
        time.sleep(0.05)
    hung = False
    try:
        text, _ = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        hung = True
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
    with suppress(ProcessLookupError):  # what it has left behind
        os.killpg(process.pid, signal.SIGKILL)
    return text, hung


def _last_words(text: str) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"Error: |\[error\]|lost comms", line)]
    return (errors or [line for line in lines if "INFO" not in line] or ["nothing"])[-1][:200]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
