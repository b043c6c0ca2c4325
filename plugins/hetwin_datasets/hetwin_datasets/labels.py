"""What a night has found of each recording, as labels: success, or what went wrong, when and why."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from hetwin_datasets.library import reader
from hetwin_suite.command import counted, json_text, unwritable, write_text
from hetwin_suite.model import BadInput

NIGHT = "night.parquet"
SUCCESS, FAILURE, UNKNOWN = "success", "failure", "not known"
_OUTCOMES = {"good": True, "bad": False}
_NEEDED = ("name", "outcome", "verdict", "first_at_s", "kind", "first", "digest")
_BESIDE = ("episode", "probability")
"""Columns that not every night has: the number of an episode, and how probable its outcome is."""


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of a recording.

    Attributes:
        name: name of the recording in the night.
        success: None: not known.
        failure: kind of what went wrong first, such as ``dropped``; None: nothing did, or it is not known.
        failure_s: since when [s of the recording]; None: it did not, or the fault is not at a moment.
        confidence: probability of what is said, where the night has one.
        reason: what went wrong, or why there is no verdict, in words.
        verdict: verdict of the run, or what else became of it.
        digest: digest of the run.
        episode: number that the night has for it.
    """

    name: str
    success: bool | None
    failure: str | None = None
    failure_s: float | None = None
    confidence: float | None = None
    reason: str | None = None
    verdict: str = ""
    digest: str = ""
    episode: int | None = None

    @property
    def word(self) -> str:
        """`SUCCESS`, `FAILURE` or `UNKNOWN`."""
        return {True: SUCCESS, False: FAILURE, None: UNKNOWN}[self.success]

    @property
    def said(self) -> dict[str, Any]:
        """What is written of it, without the names of the night."""
        return {name: value for name, value in asdict(self).items() if name in SAID}


Pairs: TypeAlias = Mapping[str, tuple[bool | None, Label]]
"""Name -> the label that was there (None: none), and ours."""
SAID: Mapping[str, type] = {
    "success": bool,
    "failure": str,
    "failure_s": float,
    "confidence": float,
    "reason": str,
    "verdict": str,
    "digest": str,
}
"""What is written of a recording, and of which type it is."""


def read_night(folder: Path) -> list[Label]:
    """Return the labels of a night, by name.

    Raises:
        BadInput: if there is none, or its table cannot be read.
    """
    file = folder / NIGHT
    if not file.is_file():
        raise BadInput(
            "this is no night",
            where="NIGHT",
            found=str(folder),
            expected=f"the folder that hetwin night has written, with {NIGHT}",
        )
    pq = reader("pyarrow.parquet", "the table of a night")
    try:
        there = pq.read_schema(file).names
        wanted = [name for name in (*_NEEDED, *_BESIDE) if name in there]
        rows = pq.read_table(file, columns=wanted).to_pylist()
        labels = [_label(row) for row in rows]
    except Exception as error:  # the library has its own errors, which are no common class
        raise BadInput(
            f"the table of the night cannot be read: {type(error).__name__}: {error}",
            file=file,
            expected=f"Parquet with {', '.join(_NEEDED)}, as hetwin night writes it",
        ) from error
    return sorted(labels, key=lambda label: label.name)


def _label(row: Mapping[str, Any]) -> Label:
    success = _OUTCOMES.get(row["outcome"])
    failed = success is False or row["outcome"] == "fault"
    at_s, probability = row["first_at_s"], row.get("probability")
    return Label(
        str(row["name"]),
        success,
        str(row["kind"] or row["verdict"]) if failed else None,
        float(at_s) if success is False and at_s is not None else None,
        None if probability is None or math.isnan(probability) else float(probability),
        str(row["first"]) or None,
        str(row["verdict"]),
        str(row["digest"]),
        _number(row.get("episode")),
    )


def _number(said: Any) -> int | None:
    text = "" if said is None else str(said)
    return int(text) if text.isascii() and text.isdigit() else None


def summary(labels: Iterable[Label], what: str) -> str:
    """How many are labelled as what, in words."""
    counts = Counter(label.word for label in labels)
    said = ", ".join(
        f"{counts[word]} {word}" for word in (SUCCESS, FAILURE, UNKNOWN) if counts[word]
    )
    return f"{counted(counts.total(), what)} labelled: {said}"


def write_labels(file: Path, labels: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
    """Write labels as a JSON file of their own.

    Raises:
        BadInput: if it cannot be written.
    """
    write_text(file, json_text(labels) + "\n", "the labels")


def none_fits(labels: Sequence[Label], expected: str) -> BadInput:
    """The error that a night is of other recordings."""
    return BadInput(
        "the night is of other recordings",
        where="NIGHT",
        found=labels[0].name if labels else "no recording",
        expected=expected,
    )


def copy_of(folder: Path, out: Path) -> Path:
    """Copy a folder; the copy is there only when all of it is.

    Raises:
        BadInput: if it exists, would lie in the folder itself, or cannot be written.
    """
    if out.exists() or out.resolve().is_relative_to(folder.resolve()):
        raise BadInput(
            "the copy cannot be made here",
            where="--copy",
            found=str(out),
            expected="a new folder elsewhere",
        )
    part = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(folder, part)
        part.rename(out)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(part, ignore_errors=True)
        reason = error if isinstance(error, OSError) and error.errno else OSError(5, str(error))
        raise unwritable("the copy", out, reason, "--copy") from error
    return out
