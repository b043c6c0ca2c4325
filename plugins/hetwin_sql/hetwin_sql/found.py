"""Finds the episodes in a folder: runs, and folders of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hetwin_sql.views import VIEWS
from hetwin_suite.command import BadInput
from hetwin_suite.tables import LOG

SUFFIX = ".parquet"


class Found(NamedTuple):
    """An episode.

    Attributes:
        name: its folder, below the one that was searched; that folder's own name if it is the episode.
        folder: where it is.
        stored: whether the folder holds its tables as Parquet files, not its log.
    """

    name: str
    folder: Path
    stored: bool


def episodes(folder: Path) -> list[Found]:
    """Find the episodes in a folder, or that it is one, by name.

    Raises:
        BadInput: if there is no such folder, or no episode in it.
    """
    if not folder.is_dir():
        raise BadInput("there is no such folder", file=folder, expected=_EXPECTED)
    found = sorted(_found(folder))
    if not found:
        raise BadInput("there is no episode in this folder", file=folder, expected=_EXPECTED)
    return found


_EXPECTED = (
    f"the folder of a run, with {LOG}/ in it, one with files that `hetwin show --out FOLDER` has written, or a folder "
    "of such folders"
)


def _found(folder: Path) -> Iterator[Found]:
    for path, folders, files in os.walk(folder):
        stored = any(f"{view}{SUFFIX}" in files for view in VIEWS)
        if stored or LOG in folders:
            here = Path(path)
            name = here.relative_to(folder).as_posix() if here != folder else here.resolve().name
            yield Found(name, here, stored)
            folders.clear()
