"""What a crashed unit has left behind is removed by the next one; what runs is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hetwin_fmu.folders import new_folder


def test_only_folders_of_ended_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f"hetwin_fmu_{ended.pid}_abc"
    running = tmp_path / f"hetwin_fmu_{os.getpid()}_abc"
    other = tmp_path / "hetwin_fmu_notes"
    for folder in (left, running, other):
        folder.mkdir()
        (folder / "file").touch()
    with new_folder() as made:
        assert Path(made).parent == tmp_path
        assert [left.exists(), running.exists(), other.exists()] == [False, True, True]
