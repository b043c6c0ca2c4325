"""Stores verdicts in a file, so that an interrupted evaluation can be resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_suite.runs import BadInput

AS_RECORDED = "none"
"""Name in place of an axis for the episode as recorded."""


class VerdictKey(NamedTuple):
    """The subject of a verdict.

    Attributes:
        episode: digest of the episode's files.
        axis: name of the axis, or `AS_RECORDED`.
        level: level on the axis; 0 for `AS_RECORDED`.
        approach: name of the approach.
    """

    episode: str
    axis: str
    level: float
    approach: str


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """One verdict, as a line of the file.

    Attributes:
        episode: digest of the episode's files.
        set: name of the episode's set.
        name: name of the episode.
        axis: name of the axis, or `AS_RECORDED`.
        level: level on the axis; 0 for `AS_RECORDED`.
        approach: name of the approach.
        decided_by: fingerprint of everything that decided the verdict; see `fingerprints`.
        truth: whether the execution really succeeded.
        success: the verdict; None if the run failed.
        not_applicable: see `Verdict.not_applicable`.
        cause: cause of a real failure.
        why: reason for the verdict.
        seconds: processor time [s].
    """

    episode: str
    set: str
    name: str
    axis: str
    level: float
    approach: str
    decided_by: str
    truth: bool
    success: bool | None
    not_applicable: bool
    cause: str
    why: str
    seconds: float

    @property
    def question(self) -> VerdictKey:
        """The subject of the verdict."""
        return VerdictKey(self.episode, self.axis, self.level, self.approach)

    @property
    def right(self) -> bool:
        """Whether the verdict equals the truth."""
        return self.success is self.truth


class VerdictFile:
    """The verdicts in a file of JSON lines; new ones are appended at once.

    Args:
        file: path of the file, which need not exist; an incomplete last line is dropped.

    Raises:
        BadInput: if a line is not a verdict.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._verdicts: dict[tuple[VerdictKey, str], StoredVerdict] = {}
        self._last: dict[VerdictKey, StoredVerdict] = {}
        file.parent.mkdir(parents=True, exist_ok=True)
        _drop_incomplete_line(file)
        for verdict in _read(file):
            self._index(verdict)

    @property
    def questions(self) -> list[VerdictKey]:
        """All questions with a verdict."""
        return list(self._last)

    def find(self, question: VerdictKey, decided_by: str | None) -> StoredVerdict | None:
        """Return the verdict on a question; None if there is none.

        Args:
            question: the question.
            decided_by: required fingerprint; None: the last verdict with any fingerprint.
        """
        if decided_by is None:
            return self._last.get(question)
        return self._verdicts.get((question, decided_by))

    def add(self, verdict: StoredVerdict) -> None:
        """Store a verdict; it is on the disk when this returns."""
        self._index(verdict)
        line = json.dumps(asdict(verdict), allow_nan=False) + "\n"
        with self._file.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def _index(self, verdict: StoredVerdict) -> None:
        self._verdicts[verdict.question, verdict.decided_by] = verdict
        self._last[verdict.question] = verdict


def _drop_incomplete_line(file: Path) -> None:
    if not file.exists():
        return
    data = file.read_bytes()
    if data and not data.endswith(b"\n"):
        with file.open("r+b") as opened:
            opened.truncate(data.rfind(b"\n") + 1)


def _read(file: Path) -> Iterator[StoredVerdict]:
    if not file.exists():
        return
    names = {field.name for field in fields(StoredVerdict)}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        data = _object(line)
        if set(data) != names:
            raise BadInput(
                "this line is not a verdict",
                file=file,
                where=f"line {number}",
                found=line[:80],
                expected="a line that hetwin evaluate robustness wrote, or another --out",
            )
        yield StoredVerdict(**data)


def _object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return data if isinstance(data, dict) else {}
