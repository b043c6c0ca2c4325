"""A folder is written by one run, also where two begin in the same second or name the same one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.run_folder import run_folder


def test_runs_that_begin_in_the_same_second_get_a_folder_each(tmp_path: Path) -> None:
    with ExitStack() as runs, ThreadPoolExecutor(8) as pool:
        begun = pool.map(
            lambda _: runs.enter_context(run_folder(None, tmp_path, "pick")), range(24)
        )
        folders = set(begun)
    assert len(folders) == 24
    assert {folder.parent for folder in folders} == {tmp_path}
    assert not list(tmp_path.iterdir())


def test_a_folder_that_another_run_is_written_to_is_refused(tmp_path: Path) -> None:
    with run_folder(tmp_path / "run", tmp_path, "pick") as folder:
        assert folder == tmp_path / "run"
        other = tmp_path / "elsewhere" / ".." / "run"
        with (
            pytest.raises(BadInput, match="another run is written to this folder, by process"),
            run_folder(other, tmp_path, "pick"),
        ):
            pass
    with run_folder(tmp_path / "run", tmp_path, "pick"):
        pass


def test_a_folder_that_holds_a_run_is_refused_and_stays_free_of_holders(tmp_path: Path) -> None:
    (tmp_path / "run" / "log").mkdir(parents=True)
    for _ in range(2):
        with (
            pytest.raises(BadInput, match="already holds a run"),
            run_folder(tmp_path / "run", tmp_path, "pick"),
        ):
            pass
