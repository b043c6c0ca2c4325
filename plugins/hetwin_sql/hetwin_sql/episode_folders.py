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


class EpisodeFolder(NamedTuple):
    """An episode.

    Attributes:
        name: path of its folder below the searched one; that folder's own name if it is the episode itself.
        folder: path of its folder.
        stored: whether the folder holds its tables as Parquet files instead of a log.
    """

    name: str
    folder: Path
    stored: bool


def find_episodes(folder: Path) -> list[EpisodeFolder]:
    """Return the episodes in a folder, sorted by name; the folder may be an episode itself.

    Raises:
        BadInput: if the folder does not exist, or holds no episode.
    """
    if not folder.is_dir():
        raise BadInput("there is no such folder", file=folder, expected=_EXPECTED)
    found = sorted(_find(folder))
    if not found:
        raise BadInput("there is no episode in this folder", file=folder, expected=_EXPECTED)
    return found


_EXPECTED = (
    f"the folder of a run, with {LOG}/ in it, one with files written by `hetwin show --out FOLDER`, or a folder "
    "of such folders"
)


def _find(folder: Path) -> Iterator[EpisodeFolder]:
    for path, folders, files in os.walk(folder):
        stored = any(f"{view}{SUFFIX}" in files for view in VIEWS)
        if stored or LOG in folders:
            here = Path(path)
            name = here.relative_to(folder).as_posix() if here != folder else here.resolve().name
            yield EpisodeFolder(name, here, stored)
            folders.clear()
