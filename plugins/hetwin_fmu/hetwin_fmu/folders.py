"""Folders for the files of units, and the removal of those that were left behind.

A unit that crashes takes its process with it, which can remove nothing any more; the next one that is loaded does.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

_PREFIX = "hetwin_fmu_"
_NAME = re.compile(rf"{_PREFIX}(\d+)_\w+")


def new_folder() -> TemporaryDirectory[str]:
    """A folder of this process; those of this user's processes that have ended are removed."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        found = _NAME.fullmatch(folder.name)
        if found is not None and not _is_there(int(found[1])):
            shutil.rmtree(folder, ignore_errors=True)  # another user's stays
    return TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}_")


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
