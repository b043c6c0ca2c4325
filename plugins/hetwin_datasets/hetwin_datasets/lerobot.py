"""Reads episodes of LeRobot data sets, versions 2 and 3: Parquet files, with columns described in JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_datasets.columns import check_episode, joint_columns, si_factor, steady
from hetwin_datasets.library import reader
from hetwin_suite.episode import DatasetEpisode
from hetwin_suite.model import BadInput, Floats, check_size, read_json, some

INFO = Path("meta", "info.json")
STATE = "observation.state"

_MOTORS = ("so100", "so101", "so_100", "so_101", "koch", "lekiwi", "moss", "omx")
"""Prefixes of robots whose positions LeRobot records in degrees or percent, never in rad."""
_FIELD = re.compile(r"\{\w+(:0?\d?d)?\}")
"""A number in the path of a file; other format fields, such as widths or attributes, are refused."""
_BYTES_OF_ROW = 64
"""Minimum size of a row in memory; in Parquet, millions of equal rows take a few bytes."""
_NO_RADIANS = 7.0
"""Positions beyond this cannot be radians of these joints [rad]."""


def read_lerobot(folder: Path, number: int | None) -> DatasetEpisode:
    """Read an episode.

    Args:
        folder: folder of the data set, which has meta/info.json.
        number: number of the episode; None: the only one.

    Raises:
        BadInput: if the episode does not exist or cannot be read, or the data set does not describe its columns.
    """
    info = Info(folder)
    pq = reader("pyarrow.parquet", "a LeRobot data set")
    number = check_episode(number, range(info.count("total_episodes")), info.file)
    file = _data_file(info, number, pq)
    state, names = info.state()
    rows = _read(pq, file, [("episode_index", "=", number)])
    if state not in rows or not len(rows[state]):
        raise BadInput(
            "the file does not hold the episode",
            file=file,
            where=state,
            found=f"no row of episode {number}",
            expected=f"what {info.file} says",
        )
    values = _matrix(rows[state], len(names), file, state)
    columns = joint_columns(names, info.file, f"features.{state}.names")
    taken = list(columns.values())
    positions = values[:, taken]
    units, notes = _units(info, state, names, positions)
    return DatasetEpisode(
        label=f"episode {number} of {info.count('total_episodes')} of {folder.resolve().name}"
        f" (LeRobot {info.version})",
        name=f"{folder.resolve().name}_episode_{number}",
        joints=tuple(columns),
        times=_times(rows, info, len(values)),
        positions=positions,
        si_per=tuple(units[i] for i in taken),
        robot=info.robot,
        notes=notes,
    )


class Info:
    """The content of meta/info.json.

    Args:
        folder: folder of the data set.

    Raises:
        BadInput: if the file cannot be read; methods raise it if a key is missing or wrong.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / INFO
        try:
            self._read: dict[str, Any] = dict(read_json(self.file))
        except (OSError, TypeError, ValueError) as error:
            raise BadInput(
                f"cannot be read: {error}", file=self.file, expected="JSON as LeRobot writes it"
            ) from None
        self.version = str(self.need("codebase_version", str))
        if not self.version.startswith(("v2.", "v3.")):
            raise BadInput(
                "this version of LeRobot's format is not read",
                file=self.file,
                where="codebase_version",
                found=self.version,
                expected="v2 or v3; LeRobot has scripts that convert others",
            )
        robot = self._read.get("robot_type")
        self.robot = robot if isinstance(robot, str) and robot != "unknown" else ""

    def need(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """Return the value of a key, which must be of this type."""
        found = self._read.get(key)
        if isinstance(found, kind):
            return found
        names = [k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,))]
        raise BadInput(
            "the data set does not say this" if found is None else "this has another type",
            file=self.file,
            where=key,
            found=found,
            expected=f"{' or '.join(names)}, as LeRobot writes it",
        )

    def count(self, key: str) -> int:
        """Return the integer of a key."""
        return int(self.need(key, int))

    def path(self, **numbers: int) -> Path:
        """Return the path of the file with the data of an episode."""
        pattern: str = self.need("data_path", str)
        try:
            if _FIELD.sub("", pattern).count("{"):
                raise ValueError(pattern)
            return self.folder / pattern.format(**numbers)
        except (KeyError, ValueError, IndexError):
            raise BadInput(
                "this is no path of a file for an episode",
                file=self.file,
                where="data_path",
                found=pattern,
                expected=f"a path with {' and '.join(f'{{{name}}}' for name in numbers)}",
            ) from None

    def feature(self, name: str) -> Mapping[str, Any]:
        """Return the description of a column; empty if there is none."""
        found = self.need("features", dict).get(name)
        return found if isinstance(found, dict) else {}

    def state(self) -> tuple[str, list[str]]:
        """Return the column of the positions, and the names of its elements."""
        features = self.need("features", dict)
        inside = [
            name for name in features if name.startswith((f"{STATE}.joint", "observation.joint"))
        ]
        column = STATE if STATE in features else next(iter(inside), None)
        if column is None:
            raise BadInput(
                "the data set has no state of the robot",
                file=self.file,
                where="features",
                found=some(list(features)),
                expected=STATE,
            )
        names = self.feature(column).get("names")
        if isinstance(names, dict):
            names = next((name for name in names.values() if isinstance(name, list)), list(names))
        if not isinstance(names, list) or not names:
            raise BadInput(
                "the data set does not name its joints",
                file=self.file,
                where=f"features.{column}.names",
                found=names,
                expected="a list with the name of each number of the state; it may be added by hand",
            )
        return column, [str(name) for name in names]


def _data_file(info: Info, number: int, pq: Any) -> Path:
    if info.version.startswith("v2."):
        chunk = number // max(info.count("chunks_size"), 1)
        return info.path(episode_chunk=chunk, episode_index=number)
    for file in sorted((info.folder / "meta" / "episodes").rglob("*.parquet")):
        rows = _read(pq, file, [("episode_index", "=", number)])
        places = rows.get("data/chunk_index"), rows.get("data/file_index")
        if places[0] and places[1]:
            return info.path(chunk_index=int(places[0][0]), file_index=int(places[1][0]))
    raise BadInput(
        f"the data set does not say which file has episode {number}",
        file=info.folder / "meta" / "episodes",
        expected="Parquet files with episode_index, data/chunk_index and data/file_index",
    )


def _read(pq: Any, file: Path, only: list[tuple[str, str, int]]) -> dict[str, list[Any]]:
    """Return column -> rows of a Parquet file, without images and statistics, which are large."""
    try:
        known = pq.read_metadata(file)
        check_size(known.num_rows * _BYTES_OF_ROW, "its rows take")
        names = pq.read_schema(file).names
        wanted = [name for name in names if not name.startswith(("observation.images", "stats/"))]
        rows: dict[str, list[Any]] = pq.read_table(file, columns=wanted, filters=only).to_pydict()
    except Exception as error:  # the library raises errors without a common base class
        raise BadInput(
            f"the file cannot be read: {error}",
            file=file,
            expected="a Parquet file; after `git clone`, one that `git lfs pull` has brought",
        ) from error
    return rows


def _matrix(rows: Sequence[Any], width: int, file: Path, column: str) -> Floats:
    try:
        values = np.array(rows, np.float64).reshape(len(rows), -1)
    except (TypeError, ValueError):
        values = np.empty((len(rows), 0))
    if values.shape[1] != width:
        raise BadInput(
            "there are not as many numbers in a row as names",
            file=file,
            where=column,
            found=f"{values.shape[1]} numbers",
            expected=f"{width}, as {INFO} names them",
        )
    return values


def _times(rows: Mapping[str, list[Any]], info: Info, count: int) -> Floats:
    """Return the times [s]; at a steady rate they are computed from indices, since the file has float32."""
    stamps = np.array(rows.get("timestamp", []), np.float64).reshape(-1)
    counted = steady(count, info.need("fps", (int, float)), info.file, "fps")
    if len(stamps) != count or not np.all(np.isfinite(stamps)):
        return counted
    read: Floats = stamps - stamps[0]
    return counted if np.all(np.abs(read - counted) < 1e-3) else read


def _units(
    info: Info, state: str, names: Sequence[str], positions: Floats
) -> tuple[list[float], tuple[str, ...]]:
    """Return the factor to SI units for each element, and notes for the user."""
    feature = info.feature(state)
    unit = feature.get("units", feature.get("unit"))
    if unit is not None:
        words = [str(word) for word in unit] if isinstance(unit, list) else [str(unit)] * len(names)
        factors = [si_factor(word) for word in words]
        if len(words) == len(names) and None not in factors:
            return [factor for factor in factors if factor is not None], ()
        raise BadInput(
            "these are no units of positions",
            file=info.file,
            where=f"features.{state}.units",
            found=unit,
            expected=f"rad, deg, m or mm for all, or one for each of the {len(names)} numbers",
        )
    if info.robot.casefold().startswith(_MOTORS) and np.any(np.abs(positions) > _NO_RADIANS):
        note = (
            f"the data set does not declare its units: as usual for {info.robot}, positions are taken as degrees,"
            " and the gripper's percent of its range as so many degrees"
        )
        return [si_factor("deg") or 1.0] * len(names), (note,)
    return [1.0] * len(names), ()
