"""Rows that are kept, one a line, so that a night that was interrupted goes on and a second call has them all."""

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


class Kept:
    """The rows in a folder; a row counts for the recording and the question that it was judged for.

    Args:
        folder: folder of the night; made if there is none.
        identity: of what is asked of each recording: scenario, its files, claims and hetwin's version.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self._identity = identity
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        self._rows: dict[tuple[str, str], Row] = {}
        if path.exists():
            for stamp, kept_for, row in _lines(path):
                if kept_for == identity:
                    self._rows[row.name, stamp] = row
        self._file = path.open("a", encoding="utf-8")
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            self._file.write("\n")  # the line that was cut off is none

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def of(self, recording: Recording) -> Row | None:
        """Return what came of a recording, as it is now; None if that is not known."""
        return self._rows.get((recording.name, recording.stamp))

    def keep(self, recording: Recording, row: Row) -> None:
        """Keep what came of a recording, before anything else is done."""
        self._rows[recording.name, recording.stamp] = row
        told = {"stamp": recording.stamp, "for": self._identity, "row": row.to_json()}
        self._file.write(json.dumps(told) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def read_night(folder: Path, where: str) -> list[Row]:
    """Return the rows of a night, the last of each recording, by name.

    Raises:
        BadInput: if the folder has none.
    """
    path = folder / FILE
    found: dict[str, Row] = {row.name: row for _, _, row in _lines(path)} if path.is_file() else {}
    if not found:
        raise BadInput(
            "this is no night",
            where=where,
            found=str(folder),
            expected=f"the folder that hetwin night has written, with {FILE}",
        )
    return [found[name] for name in sorted(found)]


def _lines(path: Path) -> Sequence[tuple[str, str, Row]]:
    """Stamp, identity and row of each line that is whole."""
    found = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                told = json.loads(line)
                row = row_from_json(told["row"])
                found.append((str(told["stamp"]), str(told["for"]), row))
            except (ValueError, KeyError, TypeError):
                continue
    return found
