"""Shared-memory segments of Fast DDS that killed processes leave behind."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hetwin_core.ensemble.resources import resource


def fast_dds_variables() -> dict[str, str]:
    """Environment variables for nodes that start together, except those that the user has set.

    With them the nodes discover each other at once and communicate only over UDP. In Fast DDS 3.2, a process that is
    killed while it creates its shared memory blocks every later one that wants the same port; on one machine UDP is as
    fast.
    """
    wanted = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4", _profile_variable(): _profile()}
    return {name: value for name, value in wanted.items() if name not in os.environ}


def discovers_quickly() -> bool:
    """Whether this process's environment has the Fast DDS profile for quick discovery."""
    return os.environ.get(_profile_variable()) == _profile()


def _profile() -> str:
    return str(resource("launch", "fastdds_quick_discovery.xml"))


def _profile_variable() -> str:
    return f"{'FASTDDS' if _is_version_3() else 'FASTRTPS'}_DEFAULT_PROFILES_FILE"


def _is_version_3() -> bool:
    """Fast DDS 3 came with rclpy 9 (Kilted); its variable for profiles has another name than that of Fast DDS 2."""
    try:
        return int(version("rclpy").partition(".")[0]) >= 9
    except PackageNotFoundError:
        return True


FOLDER = Path("/dev/shm")
MAPPED = re.compile(r"/dev/shm/(fast(?:dds|rtps)_(?:port)?[0-9a-z]+)")
LOCKS = ("_el", "_sl")


class SharedMemory:
    """The segments that some processes have used, to be removed when no living process holds them.

    Fast DDS keeps a file beside each segment locked while its owner lives. Its own tool (`fastdds shm clean`) reads the
    same locks, but removes the segments of every user of the machine.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()

    def note(self, pids: Iterable[int]) -> None:
        """Remember the segments that these processes have mapped at this moment."""
        for pid in pids:
            with suppress(OSError):
                self._names.update(MAPPED.findall(Path(f"/proc/{pid}/maps").read_text()))

    def unused(self) -> list[str]:
        """Names of the segments that still exist and that no process holds."""
        return sorted(name for name in self._names if _is_unused(_locks(name)))

    def remove_unused(self) -> None:
        """Remove the segments that no process holds."""
        for name in self.unused():
            for file in (FOLDER / name, *_locks(name), FOLDER / f"sem.{name}_mutex"):
                with suppress(OSError):
                    file.unlink()


def _locks(name: str) -> list[Path]:
    return [lock for kind in LOCKS if (lock := FOLDER / f"{name}{kind}").exists()]


def _is_unused(locks: list[Path]) -> bool:
    return bool(locks) and not any(_is_locked(lock) for lock in locks)


def _is_locked(file: Path) -> bool:
    try:
        with file.open("ab") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False
