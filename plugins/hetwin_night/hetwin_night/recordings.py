"""Finds recordings below folders, with their names, their metadata, and a stamp that detects changes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from hetwin_suite.command import BadInput, load_yaml

ENDINGS = (".mcap", ".db3", ".bag")
PACKED = ".zst"
METADATA, EPISODE = "metadata.yaml", "recording"
START = "start"
"""Key of `Recording.about`: start of the recording [s since 1970], if known."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording found below a folder.

    Attributes:
        name: path below the searched folder, without the extension of a file.
        path: path of the folder or file.
        stamp: digest of the names, sizes and modification times of its files.
        about: metadata, such as ``robot`` or ``software``; see also `START`.
    """

    name: str
    path: Path
    stamp: str
    about: Mapping[str, str] = field(default_factory=dict)


def find_recordings(
    folders: Sequence[Path], pattern: re.Pattern[str] | None = None, about: Path | None = None
) -> list[Recording]:
    """Return all recordings below folders, sorted by name.

    Args:
        folders: folders to search.
        pattern: pattern for names; its named groups become metadata.
        about: CSV file with a column ``name``, whose other columns become metadata.

    Raises:
        BadInput: if a folder does not exist, holds no recording, or two recordings have the same name.
    """
    metadata = {} if about is None else read_about(about)
    found: dict[str, Recording] = {}
    for folder in folders:
        if not folder.is_dir():
            raise BadInput(
                "there is no such folder",
                where="FOLDER",
                found=str(folder),
                expected="a folder with recordings below it",
            )
        for path in _find_below(folder):
            name = _name(path.relative_to(folder) if path != folder else Path(path.name))
            if name in found:
                raise BadInput(
                    "two recordings have the same name",
                    where="FOLDER",
                    found=f"{found[name].path} and {path}",
                    expected="different paths below the folders",
                )
            match = pattern.search(name) if pattern is not None else None
            groups = {k: v for k, v in match.groupdict().items() if v} if match else {}
            found[name] = Recording(
                name, path, _stamp(path), {**_metadata(path), **groups, **metadata.get(name, {})}
            )
    if not found:
        raise BadInput(
            "no recording found",
            where="FOLDER",
            found=", ".join(map(str, folders)),
            expected=f"folders with {METADATA}, or files {', '.join(ENDINGS)}",
        )
    missing = sorted(metadata.keys() - found.keys())
    if metadata and len(missing) == len(metadata):
        raise BadInput(
            "no name in the file is that of a recording found",
            file=about,
            where="name",
            found=missing[0],
            expected=f"names such as {next(iter(found))}",
        )
    return [found[name] for name in sorted(found)]


def read_about(file: Path) -> dict[str, dict[str, str]]:
    """Return name -> metadata of a recording, from a CSV file.

    Raises:
        BadInput: if the file cannot be read, or has no column ``name``.
    """
    try:
        with file.open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"the file cannot be read: {error}", file=file) from None
    if not rows or "name" not in rows[0]:
        raise BadInput(
            "the table has no column name",
            file=file,
            where="line 1",
            found=", ".join(rows[0]) if rows else "no rows",
            expected="a header with name, and a row for each recording",
        )
    return {row["name"]: {k: v for k, v in row.items() if k and k != "name" and v} for row in rows}


def _find_below(folder: Path) -> Iterator[Path]:
    """Iterate over bag folders, episodes, and recordings in single files; folders of recordings are not searched."""
    if (folder / METADATA).is_file() or _is_episode(folder):
        yield folder
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _find_below(path)
        elif path.is_file() and path.name.removesuffix(PACKED).endswith(ENDINGS):
            yield path


def _is_episode(folder: Path) -> bool:
    """Whether the folder is an episode: a recording with the scene as the robot believed it."""
    return (folder / EPISODE).is_dir() and (folder / "scene.json").is_file()


def _name(relative: Path) -> str:
    text = relative.as_posix().removesuffix(PACKED)
    for ending in ENDINGS:
        text = text.removesuffix(ending)
    return text


def _stamp(path: Path) -> str:
    """Return the digest of names, sizes and modification times; hashing contents would take as long as some replays."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    rows = [
        f"{file.relative_to(path.parent).as_posix()} {stat.st_size} {stat.st_mtime_ns}"
        for file in files
        if file.is_file() and (stat := file.stat())
    ]
    return sha256("\n".join(rows).encode()).hexdigest()[:16]


def _metadata(path: Path) -> dict[str, str]:
    """Return the metadata written by the recorder, with the start time."""
    if path.is_dir():
        bag = path / EPISODE if _is_episode(path) else path
        try:
            info = load_yaml(bag / METADATA).data["rosbag2_bagfile_information"]
        except (BadInput, KeyError, TypeError):
            return {}
        custom = info.get("custom_data") or {}
        start_ns = (info.get("starting_time") or {}).get("nanoseconds_since_epoch")
        found = {str(k): str(v) for k, v in custom.items()} if isinstance(custom, dict) else {}
        return {**found, **({START: f"{start_ns / 1e9:.3f}"} if isinstance(start_ns, int) else {})}
    return {}
