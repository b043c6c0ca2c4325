"""Files that a forked process reads on by itself.

A file that was open when a process was forked has one position in both: what one reads, the other does not.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")


def open_anew() -> None:
    """Open each file that is only read again, at the position where it is; done in the forked process."""
    for number in [int(entry.name) for entry in _DESCRIPTORS.iterdir()]:
        with suppress(OSError):  # one is that of the folder itself, closed by now
            _open_anew(number)


def _open_anew(descriptor: int) -> None:
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    if flags & os.O_ACCMODE != os.O_RDONLY or not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    again = os.open(_DESCRIPTORS / str(descriptor), os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(again, position, os.SEEK_SET)
    os.dup2(again, descriptor, inheritable=os.get_inheritable(descriptor))
    os.close(again)
