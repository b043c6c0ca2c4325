"""Labels of the episodes of a LeRobot data set, read from and written to meta/."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from hetwin_datasets.agreement import truth_of
from hetwin_datasets.labels import SAID, Label, Pairs, copy_of, none_fits, write_labels
from hetwin_datasets.lerobot import Info
from hetwin_datasets.library import reader
from hetwin_suite.command import unwritable, write_text
from hetwin_suite.model import BadInput, check_size

SIDECAR = Path("meta", "hetwin_labels.json")
PREFIX = "hetwin/"
"""Prefix of our columns of episodes, as ``stats/`` and ``videos/`` are prefixes of others."""
_EPISODES, _LINES = Path("meta", "episodes"), Path("meta", "episodes.jsonl")
_NAME = re.compile(r"(?:^|/)(?:(?P<set>[^/]*)_)?episode_(?P<number>\d+)(?:/|$)")
_INDEX = "episode_index"


def episodes_of(folder: Path, labels: Sequence[Label]) -> dict[int, Label]:
    """Return number -> label of a data set's episodes; a number is in the column ``episode`` or in ``..._episode_N``.

    Raises:
        BadInput: if no label belongs to this data set, two belong to one episode, or an episode does not exist.
    """
    info = Info(folder)
    count, name = info.count("total_episodes"), folder.resolve().name
    found: dict[int, Label] = {}
    for label in labels:
        number = _number(label, name)
        if number is None:
            continue
        if number >= count:
            raise BadInput(
                "the data set has no such episode",
                file=info.file,
                where="total_episodes",
                found=f"{label.name} in the night",
                expected=f"numbers from 0 to {count - 1}",
            )
        if number in found:
            raise BadInput(
                "two recordings of the night are of one episode",
                where="NIGHT",
                found=f"{found[number].name} and {label.name}",
                expected="a night in which each episode was replayed once",
            )
        found[number] = label
    if not found:
        raise none_fits(
            labels, f"names such as {name}_episode_0, or a column episode with its number"
        )
    return dict(sorted(found.items()))


def _number(label: Label, name: str) -> int | None:
    if label.episode is not None:
        return label.episode
    match = _NAME.search(label.name)
    if match is None or match["set"] not in (None, "", name):
        return None
    return int(match["number"])


def label_episodes(folder: Path, found: Mapping[int, Label]) -> list[Path]:
    """Write labels into meta/: as columns of the episodes, empty without a label, and as JSON.

    ``data/``, ``videos/`` and all other columns stay unchanged.

    Raises:
        BadInput: if the metadata cannot be read or written.
    """
    if (folder / _LINES).is_file():
        written = [_label_lines(folder / _LINES, found)]
    else:
        written = [_label_table(file, found) for file in _tables(folder)]
    rows = [{"episode": number, **label.said} for number, label in found.items()]
    write_labels(folder / SIDECAR, {"labels": rows})
    return [*written, folder / SIDECAR]


def _tables(folder: Path) -> list[Path]:
    files = sorted((folder / _EPISODES).rglob("*.parquet"))
    if files:
        return files
    raise BadInput(
        "the data set has no metadata of its episodes",
        file=folder / _EPISODES,
        expected=f"Parquet files, or {_LINES}, as LeRobot writes them",
    )


def _label_lines(file: Path, found: Mapping[int, Label]) -> Path:
    rows = [
        {key: value for key, value in row.items() if not key.startswith(PREFIX)}
        for row in _lines(file)
    ]
    text = "".join(
        json.dumps({**row, **_columns(found.get(row[_INDEX]))}, ensure_ascii=False) + "\n"
        for row in rows
    )
    write_text(file, text, "the labels")
    return file


def _columns(label: Label | None) -> dict[str, Any]:
    value = dict.fromkeys(SAID) if label is None else label.said
    return {f"{PREFIX}{key}": value[key] for key in SAID}


def _lines(file: Path) -> list[dict[str, Any]]:
    def parsed() -> list[dict[str, Any]]:
        check_size(file.stat().st_size, "its lines take")
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        if any(not isinstance(row, dict) or not isinstance(row[_INDEX], int) for row in rows):
            raise ValueError("a line is no JSON object")
        return rows

    rows: list[dict[str, Any]] = _readable(file, parsed)
    return rows


def _label_table(file: Path, found: Mapping[int, Label]) -> Path:
    """Write the columns into a file of episodes; its other columns, metadata and compression are preserved."""
    pa, pq = reader("pyarrow", _WHAT), reader("pyarrow.parquet", _WHAT)
    types = {bool: pa.bool_(), str: pa.string(), float: pa.float64()}

    def labelled() -> tuple[Any, str]:
        table, known = pq.read_table(file, partitioning=None), pq.read_metadata(file)
        numbers, metadata = table[_INDEX].to_pylist(), table.schema.metadata
        table = table.select([name for name in table.column_names if not name.startswith(PREFIX)])
        rows = [_columns(found.get(number)) for number in numbers]
        for key, kind in SAID.items():
            values = [row[f"{PREFIX}{key}"] for row in rows]
            table = table.append_column(f"{PREFIX}{key}", pa.array(values, types[kind]))
        packing = known.row_group(0).column(0).compression if known.num_row_groups else "SNAPPY"
        return table.replace_schema_metadata(metadata), packing

    table, packing = _readable(file, labelled)
    part = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        pq.write_table(table, part, compression=packing.replace("UNCOMPRESSED", "NONE"))
        part.replace(file)
    except OSError as error:
        raise unwritable("the labels", file, error) from error
    finally:
        part.unlink(missing_ok=True)
    return file


_WHAT = "a LeRobot data set"


def _readable(file: Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except Exception as error:  # the library raises errors without a common base class
        raise BadInput(
            f"the episodes cannot be read: {type(error).__name__}: {error}",
            file=file,
            expected=f"what LeRobot writes, with {_INDEX}",
        ) from error


def own_labels(folder: Path, key: str) -> dict[int, bool | None]:
    """Return number -> label that the data set already has.

    Args:
        folder: folder of the data set.
        key: key of episodes in meta/; otherwise of samples in data/, with or without the prefix ``next.``, where an
            episode is a success if any sample is true.

    Raises:
        BadInput: if the labels cannot be read, or are neither true nor false.
    """
    found: dict[int, bool | None] = {}
    for file, number, value in _in_meta(folder, key):
        found[number] = truth_of(_single(value), file, f"{key} of episode {number}")
    if not found:
        for file, number, value in _in_data(folder, key):
            truth = truth_of(_single(value), file, f"{key} of episode {number}")
            found[number] = bool(truth) or bool(found.get(number))
    return found


def _single(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _in_meta(folder: Path, key: str) -> Iterator[tuple[Path, int, Any]]:
    """Yield file, number and label of each episode with a label in meta/."""
    file = folder / _LINES
    if file.is_file():
        yield from ((file, row[_INDEX], row[key]) for row in _lines(file) if key in row)
        return
    for file in _tables(folder):
        yield from _column(file, key)


def _in_data(folder: Path, key: str) -> Iterator[tuple[Path, int, Any]]:
    features = Info(folder).need("features", dict)
    column = next((name for name in (key, f"next.{key}") if name in features), None)
    if column is not None:
        for file in sorted((folder / "data").rglob("*.parquet")):
            yield from _column(file, column)


def _column(file: Path, name: str) -> Iterator[tuple[Path, int, Any]]:
    """Yield file, episode number and value for each distinct value of a column within an episode."""
    pq = reader("pyarrow.parquet", _WHAT)

    def read() -> list[tuple[int, Any]]:
        if name not in pq.read_schema(file).names:
            return []
        known = pq.read_metadata(file)
        check_size(known.num_rows * 64, "its rows take")
        rows = pq.read_table(file, columns=[_INDEX, name], partitioning=None).to_pydict()
        pairs = zip(rows[_INDEX], map(_single, rows[name]), strict=True)
        return list(dict.fromkeys((int(number), value) for number, value in pairs))

    for number, value in _readable(file, read):
        yield file, number, value


@dataclass(frozen=True, slots=True)
class Episodes:
    """The episodes of a LeRobot data set that a night has judged.

    Attributes:
        folder: folder of the data set.
        found: number -> label.
    """

    folder: Path
    found: Mapping[int, Label]
    one: ClassVar[str] = "episode"

    @classmethod
    def of(cls, folder: Path, labels: Sequence[Label]) -> Self:
        """Find the labels of episodes; see `episodes_of`."""
        return cls(folder, episodes_of(folder, labels))

    @property
    def labels(self) -> dict[str, Label]:
        """Return name -> label."""
        return {f"episode {number}": label for number, label in self.found.items()}

    def pairs(self, key: str) -> Pairs:
        """Return name -> (label in the data set, label of the twin); see `own_labels`."""
        own = own_labels(self.folder, key)
        return {f"episode {n}": (own.get(n), label) for n, label in self.found.items()}

    def write(self, copy: Path | None) -> tuple[list[Path], list[str]]:
        """Write the labels into meta/, of the data set or of a copy; see `label_episodes`.

        Returns:
            The written files, and an empty list, since each episode can carry a label.
        """
        folder = self.folder if copy is None else copy_of(self.folder, copy)
        return label_episodes(folder, self.found), []
