"""Opens the path of a recording, whatever it is, without writing beside it."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import gettempdir

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.writing import FULL, unwritable
from model_nodes.main_physics.sources.bag_storages import COMPRESSED, Rosbag1, Rosbag2, Storage

A_RECORDING = (
    "a rosbag2 folder with metadata.yaml, a single .mcap or .db3 file, or a ROS 1 .bag file"
)

_ROS1 = ".bag"
_SUFFIXES = (".mcap", ".db3", _ROS1)
_PART = re.compile(r"(.*)_(\d+)$")
_SHOWN = 5

_REMEDIES = (
    ("not indexed", "a bag that was closed", "rosbag reindex {}"),
    ("Bag version", "version 2.0", "rosbag migrate {} new.bag"),
    ("index looks damaged", "a complete bag", "rosbag reindex {}"),
    ("Profile is not ros2", "an MCAP file of ROS 2; for ROS 1 name the .bag file", ""),
    ("Compression format", "no compression, or zstd", "ros2 bag convert -i {} -o new.yaml"),
    ("chunk compression", "no compression, lz4 or zstd", "mcap compress {} -o new.mcap"),
    ("Compression '", "no compression, bz2 or lz4", "rosbag decompress {}"),
    (
        "database files are missing",
        "all files that metadata.yaml lists, or the path of one file",
        "ros2 bag reindex {}",
    ),
    ("Storage plugin", "mcap or sqlite3", "ros2 bag convert -i {} -o new.yaml"),
    ("Serialization format", "cdr", "ros2 bag convert -i {} -o new.yaml"),
    ("storage format '.zip'", "the recording itself; unpack the archive", ""),
    ("storage format '.gz'", "the recording itself; unpack the archive", ""),
    ("storage format '.tar'", "the recording itself; unpack the archive", ""),
    ("not a database", "a complete SQLite 3 file", "ros2 bag reindex {}"),
    ("not one message of the file", "a file with a message that is whole", "mcap recover {}"),
)
"""Part of a message of the reading library -> what was expected, and a line that may make it so."""


def open_storages(path: Path) -> list[Storage]:
    """Open all files of a recording.

    A folder without metadata.yaml is searched: it may hold one storage file, or the numbered files of one recording.

    Raises:
        BadInput: if there is no recording, more than one, or it cannot be read.
    """
    if not (path.is_file() or path.is_dir()):
        raise BadInput("there is no such recording", file=path, expected=A_RECORDING)
    with ExitStack() as opened:
        storages = [opened.enter_context(closing(_open(file))) for file in _files(path)]
        opened.pop_all()
    return storages


def _files(path: Path) -> list[Path]:
    if path.is_file() or (path / "metadata.yaml").is_file():
        return [path]
    files = sorted(file for file in path.iterdir() if _is_storage(file))
    if not files:
        inner = sorted(p.parent.name for p in path.glob("*/metadata.yaml"))
        raise BadInput(
            "the folder is not a recording",
            file=path,
            found="no metadata.yaml and no storage file"
            + (f", but recordings in {some(inner, _SHOWN)}" if inner else ""),
            expected=f"the path of one of these; {A_RECORDING}" if inner else A_RECORDING,
        )
    if len(files) > 1:
        return _numbered(files, path)
    return files


def _is_storage(file: Path) -> bool:
    name = file.with_suffix("") if file.suffix in COMPRESSED else file
    return name.suffix in _SUFFIXES and file.is_file()


def _numbered(files: Sequence[Path], folder: Path) -> list[Path]:
    """The files of a recording that was split, in the order of their numbers: NAME_0, NAME_1 ..."""
    numbers: dict[int, Path] = {}
    stems = set()
    for file in files:
        name, _, suffix = file.name.partition(".")
        match = _PART.match(name)
        stems.add((match[1] if match else name, suffix))
        numbers[int(match[2]) if match else -1 - len(numbers)] = file
    if len(stems) > 1 or min(numbers) < 0:
        raise BadInput(
            "there is more than one recording in the folder",
            file=folder,
            found=some([file.name for file in files], _SHOWN),
            expected="the path of one of these files",
        )
    return [numbers[number] for number in sorted(numbers)]


def _open(path: Path) -> Storage:
    try:
        _check_closed(path)
        return Rosbag1(path) if path.suffix == _ROS1 and path.is_file() else Rosbag2(path)
    except BadInput:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise unwritable("an unpacked copy", Path(gettempdir()), error) from error
        text = str(error) or type(error).__name__
        raise BadInput(
            f"the recording cannot be opened ({text})",
            file=path,
            expected=remedy(text, path) or f"{A_RECORDING}, complete and with its index",
        ) from error


def remedy(reason: str, path: Path) -> str | None:
    """Return what was expected, and the command that helps where it is installed, about a reason of the library."""
    for part, words, line in _REMEDIES:
        if part in reason:
            return f"{words}{helps(line, path)}"
    return None


def helps(line: str, path: Path) -> str:
    """Return, behind a semicolon, the command that helps; nothing if it is not installed, or there is none."""
    if not line or shutil.which(line.split()[0]) is None:
        return ""
    return f"; `{line.format(shlex.quote(str(path)))}` may help"


def _check_closed(path: Path) -> None:
    """Reject files that a recorder still writes, or wrote when it was killed."""
    if path.suffix == ".active":
        raise BadInput(
            "the recording was not closed",
            file=path,
            found="a .bag.active file",
            expected=f"a .bag file{helps('rosbag reindex {}', path)}",
        )
