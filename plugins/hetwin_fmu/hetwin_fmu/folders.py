"""Temporary folders for the files of FMUs.

If an FMU crashes, its process cannot remove its folder; the next process that loads an FMU removes it.
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
    """Create a folder for this process, and remove the folders of this user's ended processes."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        found = _NAME.fullmatch(folder.name)
        if found is not None and not _is_running(int(found[1])):
            shutil.rmtree(folder, ignore_errors=True)  # fails for folders of other users
    return TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}_")


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
