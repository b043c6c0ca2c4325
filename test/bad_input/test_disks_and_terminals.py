"""A folder that cannot be written, a full disk, a terminal that goes away: one line, nothing that looks whole."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import resource
import shlex
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from support.falling_ball import falling_ball
from support.hetwin_command import refused
from support.odd_recordings import messages
from support.recorded_bags import write_bag
from support.robot_files import TABLETOP_ARM
from support.tabletop import tabletop
from support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
HETWIN = Path(sys.executable).with_name("hetwin")


def command(*words: object, fill: int = 0) -> subprocess.CompletedProcess[str]:
    """Run hetwin where no file may become larger than some bytes, as on a disk that is full.

    It keeps no bytecode: Python would leave a cut file for everybody (https://github.com/python/cpython/issues/126606).
    """

    def limit() -> None:
        if fill:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (fill, fill))

    return subprocess.run(
        [str(word) for word in (HETWIN, *words)],
        preexec_fn=limit,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_new_into_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", messages(count=5))
    refused(
        tmp_path,
        *("new", bag, "--robot", TABLETOP_ARM, "--out", "/proc/no/twin"),
        says=("the scenario cannot be written", "/proc/no/twin", "--out"),
    )


def test_new_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    bag, out = write_bag(tmp_path / "bag", messages(count=5)), tmp_path / "twin"
    said = command("new", bag, "--robot", TABLETOP_ARM, "--out", out, fill=700)
    assert said.returncode == 2, said
    assert "the scenario cannot be written" in said.stderr
    assert "Traceback" not in said.stderr
    assert not out.exists()


@pytest.mark.parametrize("fill", [1, 30_000])
def test_a_run_on_a_full_disk(tmp_path: Path, fill: int) -> None:
    file, out = tabletop(tmp_path), tmp_path / "run"
    said = command("run", file, "--out", out, "--no-page", fill=fill)
    assert said.returncode in (1, 2), said
    assert "error: " in said.stderr
    assert "Traceback" not in said.stderr
    assert not (out / "log" / "metadata.yaml").exists()


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A folder that is full once it is mounted."""
    (tmp_path / "full").mkdir()
    return tmp_path / "full"


def on_the_full_disk(disk: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run hetwin where a real disk, in a name space of its own, has no room; skip where none can be mounted."""
    mount = f"mount -t tmpfs -o size=64k tmpfs {disk} && "
    if subprocess.run(["unshare", "-rm", "sh", "-c", f"{mount} true"], check=False).returncode:
        pytest.skip("no disk can be mounted here")
    line = shlex.join(str(word) for word in (HETWIN, *words))
    script = (
        f"{mount} head -c 65536 /dev/zero > {disk}/filling; {line}; code=$?; ls {disk}; exit $code"
    )
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("command_name", ["new", "new-model", "run"])
def test_a_full_disk_is_said_in_the_same_words(
    tmp_path: Path, full: Path, command_name: str
) -> None:
    out = full / "made"
    bag = write_bag(tmp_path / "bag", messages(count=5))
    words, what = {
        "new": (("new", bag, "--robot", TABLETOP_ARM, "--out", out), "the scenario"),
        "new-model": (("model", "new", "coffee", "--out", out), "the package"),
        "run": (("run", tabletop(tmp_path), "--no-page", "--out", out), "the log"),
    }[command_name]
    said = on_the_full_disk(full, *words)
    assert said.returncode == 2, said
    assert f"{what} cannot be written: No space left on device, 0.0 MiB are free" in said.stderr
    assert "Traceback" not in said.stderr
    if command_name != "run":
        assert said.stdout.split() == ["filling"]


def test_a_terminal_that_goes_away(tmp_path: Path) -> None:
    """The run that nobody sees any longer ends well."""
    file, out, errors = tabletop(tmp_path), tmp_path / "run", tmp_path / "errors"
    ours, theirs = pty.openpty()
    with errors.open("wb") as stderr:
        running = subprocess.Popen(
            [str(HETWIN), "run", str(file), "--out", str(out), "--no-page"],
            stdin=theirs,
            stdout=theirs,
            stderr=stderr,
        )
    os.close(theirs)
    time.sleep(0.2)
    os.close(ours)
    assert running.wait(60) == 0
    assert errors.read_text().count("Traceback") == 0
    assert (out / "log" / "metadata.yaml").exists()
    assert (out / "summary.json").exists()


@pytest.mark.parametrize("ignored", [False, True])
def test_a_terminal_that_is_closed_ends_the_run_in_order_but_not_under_nohup(
    tmp_path: Path, ignored: bool
) -> None:
    file, out, errors = falling_ball(tmp_path, "mujoco"), tmp_path / "run", tmp_path / "errors"
    ours, theirs = pty.openpty()

    def at_the_terminal() -> None:
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)

    words = ("run", file, "--out", out, "--no-page", "--duration", 3.0 if ignored else 1e6)
    with errors.open("wb") as stderr:
        running = subprocess.Popen(
            [str(word) for word in (HETWIN, *words)],
            stdin=theirs,
            stdout=theirs,
            stderr=stderr,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/test"},
            start_new_session=True,
            preexec_fn=at_the_terminal,
        )
    os.close(theirs)
    try:
        wait_until(lambda: any(out.glob("log/*.mcap")), "a log", process=running)
        os.close(ours)
        assert running.wait(60) == (0 if ignored else 129)
    finally:
        running.kill()
    assert "Traceback" not in errors.read_text()
    assert (out / "log" / "metadata.yaml").exists()
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert (summary["ended"] == "stopped") is not ignored


def test_an_output_that_is_no_utf8_gets_what_it_can(tmp_path: Path) -> None:
    (tmp_path / "börse").mkdir()
    run = tabletop(tmp_path / "börse")
    said = subprocess.run(
        [HETWIN, "run", run, "--duration", "0.05", "--no-page", "--out", tmp_path / "läufe"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert r"l\xe4ufe" in said.stdout
    assert "Error" not in said.stderr


def test_a_name_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    for words in (("check", "\udcff.yaml"), ("run", "pick_and_place", "--out", "a\udcff")):
        refused(tmp_path, *words, says=("this is not valid UTF-8", "\\udcff"))
