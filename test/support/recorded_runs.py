"""Runs that several tests look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.made_once import made_once
from support.set_table_run import run_set_table
from support.small_run import SmallRun


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> SmallRun:
    """A recorded run; read only."""
    run = SmallRun(tmp_path_factory.mktemp("small") / "not" / "there" / "run")
    run.record()
    return run


@pytest.fixture(scope="session")
def set_table_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of `set_table` in which a bottle is knocked over; read only."""
    pytest.importorskip("hetwin_tables")
    return made_once(tmp_path_factory, "set_table", run_set_table) / "run"


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., SmallRun]:
    """Makes runs of one's own, not yet recorded."""

    def make(name: str = "run", **options: object) -> SmallRun:
        return SmallRun(tmp_path / name, **options)  # type: ignore[arg-type]

    return make
