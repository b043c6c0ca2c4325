"""`hetwin show`: the page of finished runs, served to this machine's own pages until the user ends it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import pytest
from support.hetwin_command import refused
from support.pushed_run import parting_runs
from support.warm_starts import WarmProcess

_LONG_S = 120
needs_websockets = pytest.mark.skipif(
    find_spec("websockets") is None, reason="the extra view is not installed"
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return parting_runs(tmp_path_factory.mktemp("shown"), steps=100)


@pytest.fixture
def address(runs: tuple[Path, Path]) -> Iterator[str]:
    """The address of both runs while the command goes on; it ends in order."""
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "show", *map(str, runs)]
    process = WarmProcess(
        [*command, "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+", process.stdout.readline())
        assert found is not None
        yield found[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(_LONG_S) == 130
    finally:
        process.kill()
        process.wait()


def status(address: str, **headers: str) -> int:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=_LONG_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@needs_websockets
def test_the_page_is_served_to_this_machine_alone(address: str) -> None:
    with urllib.request.urlopen(address, timeout=_LONG_S) as answer:
        page = answer.read().decode()
    assert "hetwin-comparison" in page
    assert status(address, Host="evil.example") == 403
    assert status(address, Origin="http://evil.example") == 403
    assert status(address.replace("/?", "/other?")) == 404
    assert status(address.partition("?")[0]) == 403


def test_without_what_serves_it_the_extra_is_named(runs: tuple[Path, Path], tmp_path: Path) -> None:
    with mock.patch("hetwin_suite.view.live.doors.find_spec", return_value=None):
        refused(tmp_path, "show", runs[0], says=("show", "hetwin-suite[view]"))


@needs_websockets
def test_what_is_no_run(runs: tuple[Path, Path], tmp_path: Path) -> None:
    refused(tmp_path, "show", tmp_path / "none", says=("no such folder", "a folder of a run"))
    refused(tmp_path, "show", runs[0], tmp_path, says=("no run",))
    refused(tmp_path, "show", *runs, "--foxglove", "0", says=("--foxglove", "one run"))
