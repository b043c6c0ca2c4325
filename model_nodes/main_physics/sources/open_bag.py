"""Opens a recording of any supported kind, without writing into its folder.

Messages of ROS 1 are converted to the serialization of ROS 2, so that no other module depends on the version.
"""

from __future__ import annotations

import bz2
import re
import shlex
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import MappingProxyType
from typing import Any

import yaml
from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
from rosbags.interfaces import Connection
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import (
    Decompressor,
    check_regular,
    copy,
    read_text,
    regular,
    unpacked,
)
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.writing import DISK_FULL, unwritable
from hetwin_core.episodes.bag import METADATA
from model_nodes.main_physics.sources.bag_types import ros1_converter
from model_nodes.main_physics.sources.truncated_mcap import TolerantReader

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSED = (".zst", ".zstd")
"""Suffixes of files that are compressed as a whole."""
_TRUNCATED = (EOFError, zstd.ZstdError)
"""Exceptions for compressed files that are truncated or damaged."""
_BY_FILE = re.compile(r"^\s*compression_mode:\s*[\"']?file\b", re.IGNORECASE | re.MULTILINE)
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_METADATA = 2_000_000
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


_ROS1_CODECS: Mapping[str, Callable[[], Decompressor]] = {
    "bz2": bz2.BZ2Decompressor,
    "lz4": LZ4FrameDecompressor,
}
"""Compression of chunks in ROS 1 bags; unlike the library's own functions these limit the size."""


class Storage(ABC):
    """A file of a recording, or a folder with metadata.yaml.

    Attributes:
        connections: connections to select messages by.
        stored: connections as the files list them, with the number of messages of each.
        span_ns: log times of the first and the last message [ns since the epoch]; None without messages.
        truncated: name of a truncated file -> share of its bytes that cannot be used.
    """

    connections: Sequence[Connection]
    stored: Sequence[Connection]
    span_ns: tuple[int, int] | None
    truncated: Mapping[str, float] = MappingProxyType({})

    @abstractmethod
    def messages(self, chosen: Collection[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield connection, log time [ns since the epoch] and payload (CDR), in the order of the log."""

    def times(self) -> Iterator[tuple[str, int]]:
        """Yield topic and log time [ns since the epoch] of all messages, in any order."""
        for connection, log_ns, _ in self.messages(self.connections):
            yield connection.topic, log_ns

    @abstractmethod
    def close(self) -> None:
        """Close the files."""


class Rosbag2(Storage):
    """A rosbag2 folder, or a bare .mcap or .db3 file, compressed or not."""

    def __init__(self, path: Path) -> None:
        truncated: dict[str, str] = {}
        with ExitStack() as opened:
            file = path
            if path.suffix in COMPRESSED and path.is_file():
                file = Path(opened.enter_context(TemporaryDirectory())) / path.stem
                truncated = _unpack_files([path], file.parent)
            elif path.is_dir() and (compressed := _compressed_files(path)):
                file = Path(opened.enter_context(TemporaryDirectory()))
                truncated = _unpack_folder(*compressed, file)
            self._reader = opened.enter_context(TolerantReader(file))
            parts: list[Any] = self._reader.parts
            # A folder's metadata.yaml repeats the times and counts; those in the files are more reliable.
            non_empty = [part.metadata for part in parts if part.metadata.message_count]
            self.stored = [connection for part in parts for connection in part.connections]
            self._parts = parts
            lost = {Path(part.path).name: part.lost for part in parts}
            self.truncated = {
                truncated.get(name, name): share or 0.0
                for name, share in lost.items()
                if share is not None or name in truncated
            }
            self._opened = opened.pop_all()
        self.connections = self._reader.connections
        self.span_ns = None
        if non_empty:
            last = max(m.end_time for m in non_empty) - 1
            self.span_ns = min(m.start_time for m in non_empty), last

    def messages(self, chosen: Collection[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield connection, log time [ns since the epoch] and payload (CDR), in the order of the log."""
        return map(_unpack_message, self._reader.messages(chosen))

    def times(self) -> Iterator[tuple[str, int]]:
        """Yield topic and log time [ns since the epoch] of all messages; SQLite files need not read the messages."""
        if not all(isinstance(part, Sqlite3Reader) for part in self._parts):
            yield from super().times()
            return
        for part in self._parts:
            names = {connection.id: connection.topic for connection in part.connections}
            for topic, log_ns in part.dbconn.execute("SELECT topic_id, timestamp FROM messages"):
                yield names[topic], log_ns

    def close(self) -> None:
        """Close the files."""
        self._opened.close()


def _unpack_message(message: tuple[Connection, int, bytes]) -> tuple[Connection, int, bytes]:
    """Decompress a message if its first bytes mark it as compressed; only folders have metadata about it."""
    connection, log_ns, raw = message
    packed = raw.startswith(_ZSTD_MAGIC)
    return (connection, log_ns, unpacked(zstd.ZstdDecompressor, raw)) if packed else message


def _unpack_files(files: Sequence[Path], folder: Path) -> dict[str, str]:
    """Decompress files into a folder; returns new name -> original name of the truncated ones."""
    return {file.stem: file.name for file in files if not _unpack(file, folder / file.stem)}


def _compressed_files(recording: Path) -> tuple[Any, list[Path]] | None:
    """Return metadata and files of a folder whose files are compressed as a whole; None for any other folder."""
    text = read_text(recording / METADATA, _MAX_METADATA)
    if not _BY_FILE.search(text):
        return None
    document = yaml.load(text, Loader=_LOADER)
    facts = document["rosbag2_bagfile_information"]
    files = [recording / Path(name).name for name in facts["relative_file_paths"]]
    is_readable = facts.get("compression_format") == "zstd" and all(file.exists() for file in files)
    return (document, files) if is_readable else None


def _unpack_folder(document: Any, files: Sequence[Path], folder: Path) -> dict[str, str]:
    """Decompress the files of such a folder, and write its new metadata; returns the same as `_unpack_files`."""
    uncompressed = {"compression_mode": "", "compression_format": ""}
    facts = document["rosbag2_bagfile_information"]
    facts |= {**uncompressed, "relative_file_paths": [file.stem for file in files]}
    (folder / METADATA).write_text(yaml.safe_dump(document), "utf-8")
    return _unpack_files(files, folder)


def _unpack(source: Path, target: Path) -> bool:
    """Decompress as much of a file as exists; returns whether it is complete."""
    with regular(source) as file, zstd.open(file, "rb") as packed, target.open("wb") as written:
        try:
            copy(packed, written, source.stat().st_size)
        except _TRUNCATED:
            if not written.tell():
                raise
            return False
    return True


class Rosbag1(Storage):
    """A ROS 1 bag."""

    def __init__(self, path: Path) -> None:
        from rosbags.rosbag1 import Reader  # imports libraries that only such a bag needs
        from rosbags.rosbag1.reader import decompressors

        decompressors.update({name: partial(unpacked, make) for name, make in _ROS1_CODECS.items()})
        check_regular(path)
        self._path = path
        self._reader = Reader(path)
        self._reader.open()
        self.connections = self.stored = self._reader.connections
        ends = [(c.start_time, c.end_time) for c in self._reader.chunk_infos if c.connection_counts]
        self.span_ns = None
        if ends:
            self.span_ns = min(start for start, _ in ends), max(end for _, end in ends) - 1

    def messages(self, chosen: Collection[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield connection, log time [ns since the epoch] and payload (CDR), in the order of the log."""
        converters = {c.id: ros1_converter(c, self._path) for c in chosen}
        for connection, log_ns, raw in self._reader.messages(chosen):
            try:
                converted = converters[connection.id](raw)
            except Exception as error:
                raise ValueError(f"a message of {connection.topic} is malformed: {error}") from None
            yield connection, log_ns, converted

    def times(self) -> Iterator[tuple[str, int]]:
        """Yield topic and log time [ns since the epoch] of all messages, from the index."""
        for connection in self.connections:
            for entry in self._reader.indexes[connection.id]:
                yield connection.topic, entry.time

    def close(self) -> None:
        """Close the file."""
        if self._reader.bio is not None:
            self._reader.close()


RECORDING_FORMATS = (
    "a rosbag2 folder with metadata.yaml, a single .mcap or .db3 file, or a ROS 1 .bag file"
)

_ROS1 = ".bag"
_SUFFIXES = (".mcap", ".db3", _ROS1)
_PART = re.compile(r"(.*)_(\d+)$")
_MAX_LISTED = 5

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
"""Part of an error message of the library -> the expectation, and a command that may repair the recording."""


def open_storages(path: Path) -> list[Storage]:
    """Open all files of a recording.

    A folder without metadata.yaml may contain one storage file, or the numbered files of one recording.

    Raises:
        BadInput: if there is no recording, more than one, or it cannot be read.
    """
    if not (path.is_file() or path.is_dir()):
        raise BadInput("there is no such recording", file=path, expected=RECORDING_FORMATS)
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
            + (f", but recordings in {some(inner, _MAX_LISTED)}" if inner else ""),
            expected=f"the path of one of these; {RECORDING_FORMATS}"
            if inner
            else RECORDING_FORMATS,
        )
    if len(files) > 1:
        return _in_numeric_order(files, path)
    return files


def _is_storage(file: Path) -> bool:
    name = file.with_suffix("") if file.suffix in COMPRESSED else file
    return name.suffix in _SUFFIXES and file.is_file()


def _in_numeric_order(files: Sequence[Path], folder: Path) -> list[Path]:
    """Return the files of a split recording in the order of their numbers: NAME_0, NAME_1 ..."""
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
            found=some([file.name for file in files], _MAX_LISTED),
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
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            raise unwritable("an unpacked copy", Path(gettempdir()), error) from error
        text = str(error) or type(error).__name__
        raise BadInput(
            f"the recording cannot be opened ({text})",
            file=path,
            expected=remedy(text, path) or f"{RECORDING_FORMATS}, complete and with its index",
        ) from error


def remedy(reason: str, path: Path) -> str | None:
    """Return the expectation for an error of the library, with a command that may help if it is installed."""
    for part, words, line in _REMEDIES:
        if part in reason:
            return f"{words}{command_hint(line, path)}"
    return None


def command_hint(line: str, path: Path) -> str:
    """Return the command that may help, after a semicolon; empty if there is none or it is not installed."""
    if not line or shutil.which(line.split()[0]) is None:
        return ""
    return f"; `{line.format(shlex.quote(str(path)))}` may help"


def _check_closed(path: Path) -> None:
    """Reject files that a recorder is still writing, or was writing when it was killed."""
    if path.suffix == ".active":
        raise BadInput(
            "the recording was not closed",
            file=path,
            found="a .bag.active file",
            expected=f"a .bag file{command_hint('rosbag reindex {}', path)}",
        )
