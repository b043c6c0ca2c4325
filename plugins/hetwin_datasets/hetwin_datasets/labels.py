"""Labels from the verdicts of a night: success, or the kind, time and reason of the first fault."""

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
"""Optional columns of a night: the number of an episode, and the probability of its outcome."""


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a recording.

    Attributes:
        name: name of the recording in the night.
        success: whether the run succeeded; None: not known.
        failure: kind of the first fault, such as ``dropped``; None: there is none, or it is not known.
        failure_s: time of the first fault in the recording [s]; None: there is none, or it has no time.
        confidence: probability of the label, if the night has one.
        reason: description of the fault, or why there is no verdict.
        verdict: verdict of the run, or why there was no run.
        digest: digest of the run.
        episode: number of the episode, if the night has one.
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
        """Return the written fields, without the names of the night."""
        return {name: value for name, value in asdict(self).items() if name in SAID}


Pairs: TypeAlias = Mapping[str, tuple[bool | None, Label]]
"""Name -> (existing label or None, label of the twin)."""
SAID: Mapping[str, type] = {
    "success": bool,
    "failure": str,
    "failure_s": float,
    "confidence": float,
    "reason": str,
    "verdict": str,
    "digest": str,
}
"""Field of a written label -> its type."""


def read_night(folder: Path) -> list[Label]:
    """Return the labels of a night, by name.

    Raises:
        BadInput: if the folder holds no night, or its table cannot be read.
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
        columns = pq.read_schema(file).names
        wanted = [name for name in (*_NEEDED, *_BESIDE) if name in columns]
        rows = pq.read_table(file, columns=wanted).to_pylist()
        labels = [_label(row) for row in rows]
    except Exception as error:  # the library raises errors without a common base class
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
    """Return the number of labels of each kind as text."""
    counts = Counter(label.word for label in labels)
    counts_text = ", ".join(
        f"{counts[word]} {word}" for word in (SUCCESS, FAILURE, UNKNOWN) if counts[word]
    )
    return f"{counted(counts.total(), what)} labelled: {counts_text}"


def write_labels(file: Path, labels: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
    """Write labels as a JSON file of their own.

    Raises:
        BadInput: if it cannot be written.
    """
    write_text(file, json_text(labels) + "\n", "the labels")


def none_fits(labels: Sequence[Label], expected: str) -> BadInput:
    """Return the error that a night is of other recordings."""
    return BadInput(
        "the night is of other recordings",
        where="NIGHT",
        found=labels[0].name if labels else "no recording",
        expected=expected,
    )


def copy_of(folder: Path, out: Path) -> Path:
    """Copy a folder; the copy appears only when it is complete.

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
