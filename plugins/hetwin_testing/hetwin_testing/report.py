"""Writes the pages of a session: one of each failed run, and an index of all judged recordings."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_suite.study import ReplayResult

_ROWS = "rows-{}.jsonl"
_TONES = {"passed": "good", "failed": "bad"}


def append_row(
    report: Path | None, test: str, outcome: str, text: str, page: Path | None = None
) -> None:
    """Append the result of a test to the file of this process; a session may have several processes."""
    if report is None:
        return
    report.mkdir(parents=True, exist_ok=True)
    row = {"test": test, "outcome": outcome, "text": text, "page": page and page.name}
    with (report / _ROWS.format(os.getpid())).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def write_run_page(replayed: ReplayResult, report: Path | None, test: str) -> Path | None:
    """Write the page of a run, and return its file; None if the run has left no log."""
    from hetwin_suite.page import write_report

    if replayed.folder is None:
        return None
    if report is None:
        return write_report(replayed.folder)
    report.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "_", test).strip("_")
    return write_report(replayed.folder, report / f"{name}.html")


def write_index(report: Path) -> None:
    """Write the index of all judged recordings."""
    from hetwin_suite.page import Document, Link, Section, Strong, Table

    files = sorted(report.glob(_ROWS.format("*")))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    rows.sort(key=lambda row: str(row["test"]))
    cells = [
        [
            str(row["test"]),
            Strong(row["outcome"], _TONES.get(row["outcome"], "")),
            Link(row["page"], row["text"]) if row["page"] else row["text"],
        ]
        for row in rows
    ]
    counts = ", ".join(
        f"{sum(row['outcome'] == outcome for row in rows)} {outcome}"
        for outcome in ("failed", "not executed", "passed")
    )
    section = Section("Recordings", counts, Table(["test", "outcome", "finding"], cells))
    report.mkdir(parents=True, exist_ok=True)
    (report / "index.html").write_text(Document("hetwin", [section]).html(), encoding="utf-8")
    for file in files:
        file.unlink()
