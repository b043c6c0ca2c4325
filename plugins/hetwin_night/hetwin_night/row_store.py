"""Stores the rows of a night, one per line, so that an interrupted night can be resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hetwin_night.recordings import Recording
from hetwin_night.row import Row, row_from_json
from hetwin_suite.command import BadInput

FILE = "rows.jsonl"


class RowStore:
    """The stored rows of a folder; a row is valid for one state of its recording and one question.

    Args:
        folder: folder of the night; created if missing.
        identity: digest of the question: scenario, its files, claims and hetwin's version.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self._identity = identity
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        self._rows: dict[tuple[str, str], Row] = {}
        if path.exists():
            for stamp, stored_identity, row in _lines(path):
                if stored_identity == identity:
                    self._rows[row.name, stamp] = row
        self._file = path.open("a", encoding="utf-8")
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            self._file.write("\n")  # ends a line that was cut off, which is ignored

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def get(self, recording: Recording) -> Row | None:
        """Return the row of a recording in its current state; None if there is none."""
        return self._rows.get((recording.name, recording.stamp))

    def add(self, recording: Recording, row: Row) -> None:
        """Store the row of a recording at once."""
        self._rows[recording.name, recording.stamp] = row
        data = {"stamp": recording.stamp, "for": self._identity, "row": row.to_json()}
        self._file.write(json.dumps(data) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def read_night(folder: Path, where: str) -> list[Row]:
    """Return the rows of a night by name, the last one of each recording.

    Raises:
        BadInput: if the folder holds no rows.
    """
    path = folder / FILE
    rows: dict[str, Row] = {row.name: row for _, _, row in _lines(path)} if path.is_file() else {}
    if not rows:
        raise BadInput(
            "not the folder of a night",
            where=where,
            found=str(folder),
            expected=f"a folder written by hetwin night, with {FILE}",
        )
    return [rows[name] for name in sorted(rows)]


def _lines(path: Path) -> Sequence[tuple[str, str, Row]]:
    """Return stamp, identity and row of each complete line."""
    rows = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                data = json.loads(line)
                row = row_from_json(data["row"])
                rows.append((str(data["stamp"]), str(data["for"]), row))
            except (ValueError, KeyError, TypeError):
                continue
    return rows
