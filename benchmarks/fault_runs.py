"""Runs hetwin with a fault, and checks how the run ended and what it left behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fault_cases import Case, environment
from rosbags.highlevel import AnyReader

from conductor_node.shared_memory import SharedMemory
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.words import failure_row_words

TIMEOUT_S = 120.0
SETTLE_S = 15.0
MARK = "HETWIN_FAULT_RUN"
DISK = "4280k"
OF_ALL_DOMAINS = re.compile(r"fastdds_port7[0-3]\d\d")
"""Ports below those of the domains. Runs beside this one probe them for a free one, and hold them as they do."""
REPOSITORY = Path(__file__).resolve().parents[1]
ON_A_SMALL_DISK = """
mkdir -p "$0" && mount -t tmpfs -o size={size} tmpfs "$0" || exit 99
"$@"
code=$?
cp -r "$0/run" "$0.kept"
exit $code
"""


@dataclass(frozen=True)
class Ended:
    """The result of a run with a fault.

    Attributes:
        ok: whether it ended in time, with the expected error, and left nothing behind but its log.
        ended_in_s: from the fault to the end of the command; None if it did not end.
        says: the error, or what is wrong.
    """

    ok: bool
    ended_in_s: float | None
    says: str


def suffer(case: Case, transport: str, folder: Path, domain: int, *, slower: float = 1.0) -> Ended:
    """Run a case.

    Args:
        case: the fault.
        transport: ``local``, ``own`` or ``ros``.
        folder: an empty folder for all files.
        domain: ROS_DOMAIN_ID.
        slower: all limits of wall time are longer by this, for machines that do something else meanwhile.
    """
    run = _Run(case, transport, folder, domain, slower)
    try:
        code, text = run.to_the_end()
    except subprocess.TimeoutExpired:
        run.end()
        return Ended(False, None, f"still running {TIMEOUT_S * slower:g} s later")
    except RunFailed as error:
        run.end()
        return Ended(False, None, str(error))
    took = time.time() - run.fault_time()
    wrong = run.wrong(code, text, took)
    left = run.left_behind()
    run.end()
    return Ended(not (wrong + left), took, "; ".join(wrong + left) or run.words(text))


class _Run:
    def __init__(
        self, case: Case, transport: str, folder: Path, domain: int, slower: float
    ) -> None:
        self._case = case
        self._slower = slower
        self._transport = transport
        self._folder = folder
        self._mark = folder / "mark"
        self._memory = SharedMemory()
        self.out = folder / "disk" / "run" if case.small_disk else folder / "run"
        self._begun = time.time()
        scenario = folder / "faults.yaml"
        scenario.write_text(case.scenario(transport, str(self._mark), str(folder / "once")))
        by = "ros" if transport == "ros" else "local"
        command = [
            *(sys.executable, "-m", "hetwin_suite.cli.command", "run"),
            *(str(scenario), "--transport", by, "--out", str(self.out), "--no-page"),
        ]
        # It is the tank's node that fails; the world needs none of its own.
        if transport == "ros" and case.fault:
            command += ["--in-process", "world"]
        if case.broken_recording:
            command[4:5] = ["pick_and_place", "--source", str(_broken_recording(folder))]
        if case.small_disk:
            script = ON_A_SMALL_DISK.format(size=DISK)
            command = ["unshare", "-rm", "sh", "-c", script, str(folder / "disk"), *command]
        self._tag = f"{os.getpid()}_{time.monotonic_ns()}"
        self._environment = {
            **environment(),
            MARK: self._tag,
            "ROS_DOMAIN_ID": str(domain),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        self._process = subprocess.Popen(
            command,
            env=self._environment,
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def to_the_end(self) -> tuple[int, str]:
        more = ""
        if self._case.whom:
            self._wait_for_the_run()
            more = self._second_node() if self._case.whom == "second" else self._send()
        with self._looking_at_memory():
            text, _ = self._process.communicate(timeout=TIMEOUT_S * self._slower)
        return self._process.returncode, text + more

    @contextmanager
    def _looking_at_memory(self) -> Iterator[None]:
        """Record which shared memory the run's processes map while they live."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(0.5):
                self._memory.note(pid for pid, _ in self._processes())

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def fault_time(self) -> float:
        """Return the wall time of the fault; of the start, if it existed from the beginning."""
        return float(self._mark.read_text()) if self._mark.exists() else self._begun

    def _wait_for_the_run(self) -> None:
        """Wait until states are being logged, or the run is over.

        Raises:
            RunFailed: if there are none in time.
        """
        first = 0
        end = time.monotonic() + TIMEOUT_S * self._slower / 2
        while time.monotonic() < end and self._process.poll() is None:
            size = sum(log.stat().st_size for log in self.out.glob("log/*.mcap"))
            if first and size > first:
                return
            first = first or size
            time.sleep(0.02)
        if self._process.poll() is None:
            reason = f"its log does not grow within {TIMEOUT_S * self._slower / 2:g} s"
            raise RunFailed("conductor", "start", 0, reason)

    def _send(self) -> str:
        self._mark.write_text(str(time.time()))
        os.kill(
            self._process.pid if self._case.whom == "command" else self._runner(), self._case.send
        )
        return ""

    def _runner(self) -> int:
        """Return the process that runs the ensemble: the command's child, or the conductor's node."""
        for pid, words in self._processes():
            if self._transport == "ros" and "conductor_node.main" in words:
                return pid
            if self._transport != "ros" and pid != self._process.pid:
                return pid
        raise ProcessLookupError("there is no process of a conductor")

    def _second_node(self) -> str:
        node = [sys.executable, "-m", "model_nodes.ros_node", "--ros-args"]
        second = subprocess.run(
            [*node, "-r", "__node:=tank", "-p", "type:=faulty:Faulty"],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S * self._slower,
            check=False,
        )
        self._mark.write_text(str(time.time()))
        self._process.send_signal(signal.SIGINT)
        return (
            second.stderr
            if second.returncode == 1
            else f"the second ended with {second.returncode}"
        )

    # ------------------------------------------------------------------ what is left

    def wrong(self, code: int, text: str, took: float) -> list[str]:
        """Return the deviations from the expected end."""
        case, found = self._case, []
        if code != case.code:
            found.append(f"exit code {code} instead of {case.code}: {text.strip()[-300:]}")
        words = case.words(self._transport)
        if words not in text and words not in json.dumps(self._summary()):
            found.append(f"does not say {words!r}: {text.strip()[-300:]}")
        if took > case.deadline_s * self._slower:
            found.append(f"took {took:.1f} s")
        return found + self._wrong_log()

    def _summary(self) -> Mapping[str, Any]:
        with suppress(OSError):
            found: Mapping[str, Any] = json.loads((self._kept() / "summary.json").read_text())
            return found
        return {}

    def _kept(self) -> Path:
        return self._folder / "disk.kept" if self._case.small_disk else self.out

    def _wrong_log(self) -> list[str]:
        case, found = self._case, []
        if not case.ended:  # bad input: nothing is begun
            return ["a run was begun"] if self.out.exists() else []
        if case.whom == "command" and case.send == signal.SIGKILL:
            _wait_until(lambda: bool(self._summary()), SETTLE_S * self._slower)
        summary = self._summary()
        if case.whom != "command" and summary.get("ended") != case.ended:
            found.append(f"the summary says {summary.get('ended')!r} instead of {case.ended!r}")
        if case.code == 1 and not (summary.get("error") or summary.get("failures")):
            found.append("the summary does not say why")
        try:
            with AnyReader([self._kept() / "log"]) as reader:
                messages = sum(1 for _ in reader.messages())
            if messages == 0:
                found.append("the log is empty")
        except Exception as error:  # a damaged file may raise any error in the reader
            found.append(f"the log cannot be read: {error}")
        return found

    def left_behind(self) -> list[str]:
        """Return processes and shared memory that outlive the command."""
        _wait_until(lambda: not self._processes(), SETTLE_S * self._slower)
        left = [f"left running: {' '.join(words)[:120]}" for _, words in self._processes()]
        if self._case.whom == "command" and self._case.send == signal.SIGKILL:
            return left  # the remaining processes may still use the memory
        unused = [name for name in self._memory.unused() if not OF_ALL_DOMAINS.fullmatch(name)]
        return left + [f"left in shared memory: {name}" for name in unused]

    def words(self, text: str) -> str:
        """Return the line with the expected text."""
        wanted = self._case.words(self._transport)
        lines = [line.strip() for line in text.splitlines() if wanted and wanted in line]
        return (lines[-1] if lines else self._said()).replace(str(REPOSITORY) + "/", "")

    def _said(self) -> str:
        summary = self._summary()
        error = summary.get("error") or next(iter(summary.get("failures", ())), None)
        if error is None:
            return f"ended: {summary.get('ended', 'by the signal')}"
        return failure_row_words(error)

    def _processes(self) -> list[tuple[int, list[str]]]:
        """Return the living processes of this run, which have its mark in their environment."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError):
                if f"{MARK}={self._tag}".encode() not in (folder / "environ").read_bytes():
                    continue
                if (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    continue
                words = (folder / "cmdline").read_bytes().decode().split("\0")
                found.append((int(folder.name), words))
        return sorted(found)

    def end(self) -> None:
        """End all remaining processes."""
        for pid, _ in self._processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()


def _wait_until(holds: Any, timeout_s: float) -> None:
    end = time.monotonic() + timeout_s
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)


def _broken_recording(folder: Path) -> Path:
    """Write the recording of pick_and_place, truncated within a message."""
    whole = REPOSITORY / "scenarios" / "episodes" / "pick_and_place"
    broken = folder / "recording"
    shutil.copytree(whole, broken)
    (file,) = [f for f in broken.iterdir() if f.suffix in (".mcap", ".db3")]
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return broken


@contextmanager
def empty_folder() -> Iterator[Path]:
    """Return a temporary folder, as a context."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="hetwin_fault_") as name:
        yield Path(name)
