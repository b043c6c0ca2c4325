"""Episodes of data sets for robot learning, and tables of joint positions, opened by layout and read as recordings."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group, installs
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.number_table import Table, read_table
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_core.ensemble.writing import unwritable
from hetwin_core.episodes.bag import joint_state, write_recording

OPTION = "--episode"

_SI_PER = {
    **dict.fromkeys(("rad", "radian", "radians", "m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("deg", "degree", "degrees", "°"), math.pi / 180.0),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1e-3),
    "cm": 1e-2,
}
_POSITION = re.compile(r"[./_](pos|positions?)$", re.IGNORECASE)
_NO_POSITION = re.compile(
    r"[./_](vel|velocity|velocities|acc|acceleration|eff|efforts?|torques?|currents?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Episode:
    """The joint positions of an episode.

    Attributes:
        label: what it is of which data set, in words.
        name: for files that are made of it.
        joints: their names, without what only says that they are positions.
        times: (n,) [s].
        positions: (n, joints), as the data set has them; NaN where it has none.
        si_per: (joints,) what positions are multiplied with to be in rad or m.
        robot: what the data set calls its robot; empty if it does not say.
        notes: what the user should know, in words.
    """

    label: str
    name: str
    joints: tuple[str, ...]
    times: Floats
    positions: Floats
    si_per: tuple[float, ...]
    robot: str = ""
    notes: tuple[str, ...] = ()


def si_per(unit: str) -> float | None:
    """Return what a position in a unit is multiplied with to be in rad or m; None if it is no unit of positions."""
    return _SI_PER.get(unit.strip().casefold())


def joint_columns(names: Sequence[str], file: Path, where: str) -> dict[str, int]:
    """Return joint -> column of its position, of columns such as `elbow`, `elbow.pos`, `/joint_states/elbow/position`.

    If some columns say that they are positions, the others are not. What is in front of the last `/` is left out if it
    is the same in all.

    Args:
        names: of the columns.
        file: that has them.
        where: in that file.

    Raises:
        BadInput: if no column is a joint, or two are the same one.
    """
    said = [(name, i) for i, name in enumerate(names) if _POSITION.search(name)]
    plain = [(name, i) for i, name in enumerate(names) if not _NO_POSITION.search(name)]
    taken = said or plain
    joints = [_POSITION.sub("", name) for name, _ in taken]
    if len({joint.rpartition("/")[0] for joint in joints}) == 1:
        joints = [joint.rpartition("/")[2] for joint in joints]
    if not taken or not all(joints) or len({*joints}) < len(joints):
        raise BadInput(
            "not every column has the name of a joint of its own"
            if taken
            else "no column is a joint's position",
            file=file,
            where=where,
            found=some(names),
            expected="the position of each joint once, by its name",
        )
    return {joint: i for joint, (_, i) in zip(joints, taken, strict=True)}


def steady(count: int, rate: object, file: Path, where: str) -> Floats:
    """Return the times [s] of samples at a steady rate [Hz].

    Raises:
        BadInput: if it is no rate.
    """
    try:
        hertz = float(np.asarray(rate, np.float64))
    except (TypeError, ValueError):
        hertz = math.nan
    if not 0.0 < hertz < math.inf:
        raise BadInput(
            "this is no rate", file=file, where=where, found=rate, expected="samples per second"
        )
    return np.arange(count) / hertz


def check_episode(number: int | None, episodes: Collection[int], file: Path) -> int:
    """Return the number of the episode that is meant: the one that was named, or the only one.

    Raises:
        BadInput: if there is no such episode, or none was named and there are several; says how many there are.
    """
    if number is not None and number in episodes:
        return number
    if number is None and len(episodes) == 1:
        return next(iter(episodes))
    there = f"{OPTION} with a number from {min(episodes, default=0)} to {max(episodes, default=0)}"
    if len(episodes) <= max(episodes, default=0) - min(episodes, default=0):
        there = f"{OPTION} with one of {some([str(n) for n in sorted(episodes)])}"
    raise BadInput(
        "the data set has several episodes" if number is None else "there is no such episode",
        file=file,
        where=OPTION,
        found=f"{len(episodes)} episodes" if number is None else number,
        expected=f"{there}; there are {len(episodes)}" if number is not None else there,
    )


A_TABLE = (
    "a table with the column `time` [s] and one for each joint, such as `elbow` or `elbow [deg]`"
)

_TIMES = ("time", "t", "timestamp", "stamp", "__time", "seconds", "sec")
_SECONDS_PER = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_UNIT = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\[\]()]*)[\])]$")
_ENDING = re.compile(r"^(?P<name>.+)_(?P<unit>deg|rad|mm|s|ms|us|ns)$", re.IGNORECASE)


def read_csv(file: Path, number: int | None) -> Episode:
    """Read a table as one episode.

    Raises:
        BadInput: if it cannot be read, has no time or no joint, or was given the number of an episode that is not 0.
    """
    check_episode(number, (0,), file)
    table = read_table(file, A_TABLE)
    named = {column: _split(column) for column in table.columns}
    time = next((c for c, (name, _) in named.items() if name.casefold() in _TIMES), None)
    per_second = None if time is None else _SECONDS_PER.get((named[time][1] or "s").casefold())
    if time is None or per_second is None:
        raise table.bad_header("there is no column with the time", some(table.columns), A_TABLE)
    factors = {c: 1.0 if unit is None else si_per(unit) for c, (_, unit) in named.items()}
    usable = [c for c in table.columns if c != time and factors[c] is not None]
    joints = joint_columns([named[column][0] for column in usable], file, "line 1")
    columns = [usable[i] for i in joints.values()]
    times = table.numbers([time])[:, 0] * per_second
    _check_times(table, times)
    left = [c for c in table.columns if c != time and c not in columns]
    return Episode(
        label=f"a table of {len(times)} rows",
        name=file.stem,
        joints=tuple(joints),
        times=times - times[0],
        positions=_positions(table, columns),
        si_per=tuple(factors[column] or 1.0 for column in columns),
        notes=(f"columns that are no positions: {some(left)}",) if left else (),
    )


def _split(column: str) -> tuple[str, str | None]:
    """Name and unit of a column: `elbow [deg]`, `elbow (deg)` or `elbow_deg`."""
    match = _UNIT.match(column) or _ENDING.match(column)
    return (match["name"], match["unit"]) if match else (column, None)


def _check_times(table: Table, times: Floats) -> None:
    backwards = np.flatnonzero(np.diff(times) < 0.0)
    if len(backwards):
        row = int(backwards[0]) + 1
        raise table.bad("the time goes back", row, float(times[row]), "rows in the order of time")


def _positions(table: Table, columns: list[str]) -> Floats:
    """(n, columns); an empty cell is NaN."""
    found = np.empty((len(table.rows), len(columns)))
    for j, column in enumerate(columns):
        for i in range(len(table.rows)):
            value = table.number(i, column, may_lack=True)
            found[i, j] = math.nan if value is None else value
    return found


READERS = Group(
    "hetwin.datasets",
    "reader of data sets",
    "a function (path, number) that returns a DatasetEpisode, or None of what it does not read",
)
_INFO = Path("meta", "info.json")
"""In the folder of a data set of LeRobot."""
_SUFFIXES = (".hdf5", ".h5", ".zarr")
_NS = 1_000_000_000
_START_NS = 1_700_000_000 * _NS
"""When an episode begins, as a recording; data sets count from 0, which a clock that was not set does, too."""
_LONGEST = 3e7
"""No episode lasts a year [s]."""


def open_episode(path: Path, number: int | None) -> Episode | None:
    """Read an episode of a data set.

    Args:
        path: the folder or the file.
        number: of the episode; None: the only one.

    Returns:
        The episode; None if it is a recording, or nothing that is known, and no episode was asked for.

    Raises:
        BadInput: if it is a data set that cannot be read, or one was expected.
    """
    if path.suffix.casefold() == ".csv" and path.is_file():
        return read_csv(path, number)
    for _, read in READERS.each():
        found: Episode | None = read(path, number)
        if found is not None:
            return found
    seems = path.suffix in _SUFFIXES or (path / _INFO).is_file()
    if number is None and not (seems and path.exists()):
        return None
    if not READERS.names() and path.exists():
        problem = "data sets are read by a package of its own, which is not installed"
        raise BadInput(problem, file=path, where=OPTION, expected=installs("datasets"))
    raise BadInput(
        "this is no data set with episodes" if path.exists() else "there is no such data set",
        file=path,
        where=OPTION,
        expected=f"a folder of LeRobot (v2 or v3) with {_INFO}, one with {' or '.join(_SUFFIXES[:2])} files"
        f" or such a file (robomimic, ALOHA), a {_SUFFIXES[2]} store, or a CSV file; a recording has no {OPTION}",
    )


def write_episode(episode: Episode, folder: Path, *, as_it_is: bool) -> Path:
    """Write an episode as a recording in MCAP.

    Args:
        episode: what is written.
        folder: in which the recording gets a folder.
        as_it_is: whether positions stay in the data set's units.

    Raises:
        BadInput: if it has no sample, lasts a year or more, or cannot be written.
    """
    if not len(episode.times) or episode.times[-1] > _LONGEST:
        raise BadInput(
            "the times of the episode cannot be right",
            where=episode.label,
            found=f"{len(episode.times)} samples that last {max(episode.times, default=0.0):.3g} s",
            expected="times in s, or with their unit, such as a column `time [ns]`",
        )
    out = folder / episode.name
    si_per = 1.0 if as_it_is else np.array(episode.si_per)
    rows = np.ascontiguousarray(episode.positions * si_per)
    stamps = [_START_NS + round(float(time) * _NS) for time in episode.times]
    messages = (
        joint_state(JOINT_STATES, stamp, stamp, episode.joints, positions)
        for stamp, positions in zip(stamps, rows, strict=True)
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_recording(out, messages, (JOINT_STATES,))
    except OSError as error:
        raise unwritable("the recording of the episode", folder, error, "--out") from error
    return out
