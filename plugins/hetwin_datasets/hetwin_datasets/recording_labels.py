"""Labels of recordings: a JSON file beside each recording, and in a copy also records in its MCAP files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Self

from hetwin_datasets.agreement import truth_of
from hetwin_datasets.labels import Label, Pairs, copy_of, none_fits, write_labels
from hetwin_datasets.mcap_labels import append, metadata_of
from hetwin_suite.command import load_yaml, unwritable
from hetwin_suite.model import BadInput

NAME = "hetwin.label"
"""Name of the records in an MCAP file; the last one is valid."""
ENDING = ".label.json"
_METADATA = "metadata.yaml"
_MCAP = ".mcap"
_FILES = [f"{kind}{packed}" for kind in (_MCAP, ".db3", ".bag") for packed in ("", ".zst")]


def recordings_of(folder: Path, labels: Sequence[Label]) -> dict[Path, Label]:
    """Return relative path -> label of the recordings below a folder; the folder itself has the path ``.``.

    Raises:
        BadInput: if no label belongs to a recording there.
    """
    if not folder.is_dir():
        raise BadInput(
            "there is no such folder",
            where="DATA",
            found=str(folder),
            expected="a LeRobot data set, or the folder of recordings that the night was of",
        )
    places = ((_place(folder, label.name), label) for label in labels)
    found = {place.relative_to(folder): label for place, label in places if place is not None}
    if not found:
        raise none_fits(labels, f"a night of the recordings below {folder}, or a LeRobot data set")
    return found


def _place(folder: Path, name: str) -> Path | None:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts:
        return None
    if (folder / _METADATA).is_file():
        return folder if folder.name == name else None
    path = folder / name
    if (path / _METADATA).is_file():
        return path
    files = (path.with_name(f"{path.name}{ending}") for ending in _FILES)
    return next((file for file in files if file.is_file()), None)


def label_recordings(folder: Path, found: Mapping[Path, Label]) -> list[Path]:
    """Write a JSON file beside each recording.

    Raises:
        BadInput: if one cannot be written.
    """
    written = []
    for place, label in found.items():
        path = (folder / place).resolve() if place == Path() else folder / place
        stem = path.name if path.is_dir() else _stem(path.name)
        write_labels(path.with_name(f"{stem}{ENDING}"), label.said)
        written.append(path.with_name(f"{stem}{ENDING}"))
    return written


def _stem(name: str) -> str:
    return next(name.removesuffix(one) for one in (*_FILES[::-1], "") if name.endswith(one))


def label_files(folder: Path, found: Mapping[Path, Label]) -> list[str]:
    """Append the labels to the MCAP files of copied recordings.

    Returns:
        The recordings that cannot carry a label, with the reasons.

    Raises:
        BadInput: if a file cannot be written.
    """
    without = []
    for place, label in found.items():
        facts = {key: _text(value) for key, value in label.said.items()}
        files = _mcap_files(folder / place)
        for file in files:
            try:
                append(file, NAME, facts, json.dumps(label.said).encode())
            except ValueError as error:
                without.append(f"{label.name}: {file.name}: {error}")
            except OSError as error:
                raise unwritable("the labels", file, error) from error
        if not files:
            without.append(f"{label.name}: it has no {_MCAP} file")
    return without


def _text(value: Any) -> str:
    return "" if value is None else json.dumps(value) if isinstance(value, bool) else str(value)


def _mcap_files(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(place.glob(f"*{_MCAP}"))
    return [place] if place.suffix == _MCAP else []


def own_label(place: Path, key: str) -> bool | None:
    """Return the label in a recording's metadata.yaml or in a record of its MCAP files; None if there is none.

    Raises:
        BadInput: if it is neither true nor false.
    """
    file = place / _METADATA
    if file.is_file():
        try:
            own = load_yaml(file).data["rosbag2_bagfile_information"]["custom_data"]
        except (BadInput, KeyError, TypeError):
            own = None
        if isinstance(own, dict) and key in own:
            return truth_of(own[key], file, key)
    for file in _mcap_files(place):
        try:
            records = metadata_of(file)
        except (OSError, ValueError):
            continue  # a broken recording has its label from the night
        for name, facts in records.items():
            if name != NAME and key in facts:
                return truth_of(facts[key], file, f"{key} of the record {name}")
    return None


@dataclass(frozen=True, slots=True)
class Recordings:
    """The recordings below a folder that a night has judged.

    Attributes:
        folder: the folder.
        found: path relative to the folder -> label.
    """

    folder: Path
    found: Mapping[Path, Label]
    one: ClassVar[str] = "recording"

    @classmethod
    def of(cls, folder: Path, labels: Sequence[Label]) -> Self:
        """Find the labels of recordings; see `recordings_of`."""
        return cls(folder, recordings_of(folder, labels))

    @property
    def labels(self) -> dict[str, Label]:
        """Return name -> label."""
        return {label.name: label for label in self.found.values()}

    def pairs(self, key: str) -> Pairs:
        """Return name -> (label in the recording, label of the twin); see `own_label`."""
        return {
            label.name: (own_label(self.folder / place, key), label)
            for place, label in self.found.items()
        }

    def write(self, copy: Path | None) -> tuple[list[Path], list[str]]:
        """Write the labels beside the recordings, or beside and into those of a copy.

        Returns:
            The written files, and the recordings of the copy that cannot carry a label, with the reasons.
        """
        if copy is None:
            return label_recordings(self.folder, self.found), []
        copy_of(self.folder, copy)
        without = label_files(copy, self.found)
        label_recordings(copy, self.found)
        return [copy], without
