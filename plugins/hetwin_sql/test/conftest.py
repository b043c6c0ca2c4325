"""Folders of episodes whose tables are made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.carried_box import carried_box

from hetwin_sql import database
from hetwin_suite.tables import LOG


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two runs with the same tables."""
    pytest.importorskip("duckdb", reason="the extra tables is not installed")
    monkeypatch.setattr(database, "open_tables", lambda run: carried_box())
    for name in ("first", "later/second"):
        (tmp_path / "runs" / name / LOG).mkdir(parents=True)
    return tmp_path / "runs"
