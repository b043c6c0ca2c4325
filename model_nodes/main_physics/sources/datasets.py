"""Episodes of data sets for robot learning, and tables of joint positions, opened by layout and read as recordings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group, installs
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_core.ensemble.writing import unwritable
from hetwin_core.episodes.bag import joint_state, write_recording

OPTION = "--episode"


@dataclass(frozen=True, slots=True)
class Episode:
    """The joint positions of an episode.

    Attributes:
        label: the episode and data set, in words.
        name: for files that are made of it.
        joints: their names, without the mark of positions.
        times: (n,) [s].
        positions: (n, joints), as the data set has them; NaN where it has none.
        si_per: (joints,) factors from positions to rad or m.
        robot: what the data set calls its robot; empty if unnamed.
        notes: for the user.
    """

    label: str
    name: str
    joints: tuple[str, ...]
    times: Floats
    positions: Floats
    si_per: tuple[float, ...]
    robot: str = ""
    notes: tuple[str, ...] = ()


READERS = Group(
    "hetwin.datasets",
    "reader of data sets",
    "a function (path, number) that returns a DatasetEpisode, or None of what it does not read",
)
_INFO = Path("meta", "info.json")
"""In the folder of a data set of LeRobot."""
_SUFFIXES = (".hdf5", ".h5", ".zarr", ".csv")
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
    for _, read in READERS.each():
        found: Episode | None = read(path, number)
        if found is not None:
            return found
    seems = path.suffix.casefold() in _SUFFIXES or (path / _INFO).is_file()
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
        episode: to write.
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
