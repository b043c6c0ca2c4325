"""The folder of a run: its files, the names of new folders, and its summary."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import plain
from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.supervision.held_name import HeldName, NameTaken
from hetwin_core.ensemble.writing import unwritable, write_atomically

LOG = "log"
"""Folder in a run's folder: its log, a rosbag2."""
SUMMARY = "summary.json"
REPORT = "report.html"
EXPLANATION = "explanation.json"
"""File beside the log of a run that `hetwin explain` has explained."""
CHECKPOINT = "checkpoint.json.gz"
FORECAST = "forecast.html"
"""File in a folder of futures from `hetwin predict`."""


def check_free(out: Path) -> None:
    """Check that a run can be written to a folder, without creating it.

    Raises:
        BadInput: if it holds a run already, is no folder, or cannot be written to.
    """
    for name in (LOG, SUMMARY, REPORT):
        if (out / name).exists():
            raise BadInput(
                "the folder already holds a run", file=out, found=name, expected="a new folder"
            )
    parent = out
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    if not parent.is_dir():
        raise BadInput("this is a file, not a folder", file=parent, expected="a new folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise unwritable("the run", parent, errno.EACCES)


def write_summary(out: Path, summary: RunSummary) -> Path:
    """Write ``summary.json`` atomically.

    Infinite numbers and NaN, which JSON lacks, become null.
    """
    path = out / SUMMARY
    text = json.dumps(plain(asdict(summary)), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomically(path, text + "\n")
    return path


def read_summary(out: Path) -> dict[str, Any] | None:
    """Read ``summary.json``; None if the run has none, as after a crash.

    Raises:
        BadInput: if it is no JSON object, or a value has the wrong type.
    """
    from hetwin_core.episodes.summary_shape import check_summary  # importing its types takes 10 ms

    path = out / SUMMARY
    try:
        data = read_json(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise BadInput(f"the summary cannot be read: {error}", file=path) from error
    if not isinstance(data, dict):
        raise BadInput("the summary is not a JSON object", file=path, found=type(data).__name__)
    check_summary(data, path)
    return data


def folder_of(log: str | Path) -> Path:
    """Return the folder of a run from its path or the path of its log."""
    path = Path(log)
    return path.parent if path.name == LOG and not (path / LOG).exists() else path


_MAX_FOLDERS = 1000


def new_run_folder(base: Path, scenario: str) -> Path:
    """Return an unused path below `base`, named by the scenario and the local time; the folder is not created."""
    for folder in _candidates(base, scenario):
        if not folder.exists():
            return folder
    raise _too_many_runs(base, scenario)


@contextmanager
def run_folder(wanted: Path | None, base: Path, scenario: str) -> Iterator[Path]:
    """A folder for a run; other runs on this machine cannot use it in this context.

    Args:
        wanted: the folder; None: a new one below `base`.
        base: parent of new folders.
        scenario: name of the scenario, used in the name of a new folder.

    Raises:
        BadInput: if the wanted folder holds a run, cannot be written to, or is used by another run.
    """
    if wanted is None:
        name_lock, folder = _claim_new(base, scenario)
    else:
        name_lock, folder = _claim(wanted), wanted
    with name_lock:
        check_free(folder)
        yield folder


def _claim(folder: Path) -> HeldName:
    try:
        return HeldName(f"hetwin/out{folder.resolve()}")
    except NameTaken as taken:
        raise BadInput(
            f"another run is written to this folder, by {taken}",
            file=folder,
            expected="a new folder",
        ) from None


def _claim_new(base: Path, scenario: str) -> tuple[HeldName, Path]:
    """A new folder; runs that start in the same second get numbers."""
    for folder in _candidates(base, scenario):
        if folder.exists():
            continue
        try:
            return HeldName(f"hetwin/out{folder.resolve()}"), folder
        except NameTaken:
            continue
    raise _too_many_runs(base, scenario)


def _candidates(base: Path, scenario: str) -> Iterator[Path]:
    stem = f"{scenario}_{datetime.now().astimezone():%Y%m%d_%H%M%S}"
    return (base / (stem if n == 1 else f"{stem}_{n}") for n in range(1, _MAX_FOLDERS))


def _too_many_runs(base: Path, scenario: str) -> BadInput:
    return BadInput(
        f"{_MAX_FOLDERS} runs of {scenario} began in this second",
        file=base,
        expected="another folder",
    )
