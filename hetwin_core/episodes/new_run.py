"""The folder of the next run, which no other run is written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.held_name import HeldName, Taken
from hetwin_core.episodes.run_folder import check_free

_MOST = 1000


def new_run_folder(base: Path, scenario: str) -> Path:
    """A folder below `base` that does not exist yet, named by the scenario and the local time; it is not created."""
    for folder in _candidates(base, scenario):
        if not folder.exists():
            return folder
    raise _all_taken(base, scenario)


@contextmanager
def run_folder(wanted: Path | None, base: Path, scenario: str) -> Iterator[Path]:
    """A folder that a run can be written to; other runs of this machine are kept from it meanwhile.

    Args:
        wanted: the folder; None: a new one below `base`.
        base: where new folders go.
        scenario: its name is in that of a new folder.

    Raises:
        BadInput: if the wanted one holds a run, cannot be written to, or another run is written to it.
    """
    if wanted is None:
        held, folder = _hold_new(base, scenario)
    else:
        held, folder = _hold(wanted), wanted
    with held:
        check_free(folder)
        yield folder


def _hold(folder: Path) -> HeldName:
    try:
        return HeldName(f"hetwin/out{folder.resolve()}")
    except Taken as taken:
        raise BadInput(
            f"another run is written to this folder, by {taken}",
            file=folder,
            expected="a new folder",
        ) from None


def _hold_new(base: Path, scenario: str) -> tuple[HeldName, Path]:
    """A new folder; runs that begin in the same second get numbers."""
    for folder in _candidates(base, scenario):
        if folder.exists():
            continue
        try:
            return HeldName(f"hetwin/out{folder.resolve()}"), folder
        except Taken:
            continue
    raise _all_taken(base, scenario)


def _candidates(base: Path, scenario: str) -> Iterator[Path]:
    stem = f"{scenario}_{datetime.now().astimezone():%Y%m%d_%H%M%S}"
    return (base / (stem if n == 1 else f"{stem}_{n}") for n in range(1, _MOST))


def _all_taken(base: Path, scenario: str) -> BadInput:
    return BadInput(
        f"{_MOST} runs of {scenario} began in this second", file=base, expected="another folder"
    )
