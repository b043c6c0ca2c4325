"""Reads episodes of data sets for robot learning, and tables of joint positions, as recordings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group, install_command
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_core.ensemble.writing import unwritable
from hetwin_core.episodes.bag import joint_state, write_recording

OPTION = "--episode"


@dataclass(frozen=True, slots=True)
class Episode:
    """The joint positions of an episode.

    Attributes:
        label: description of the episode and its data set.
        name: name for files that are made from it.
        joints: names of the joints, without the suffix or prefix that marks positions.
        times: (n,) times [s].
        positions: (n, joints) in the units of the data set; NaN where missing.
        si_per: (joints,) factors from positions to rad or m.
        robot: name of the robot in the data set; empty if unnamed.
        notes: notes for the user.
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
    "a function (path, number) that returns a DatasetEpisode, or None for anything that it cannot read",
)
_INFO = Path("meta", "info.json")
"""File that marks the folder of a LeRobot data set."""
_SUFFIXES = (".hdf5", ".h5", ".zarr", ".csv")
_NS = 1_000_000_000
_START_NS = 1_700_000_000 * _NS
"""Start of an episode as a recording; data sets start at 0, which would look like a clock that was not set."""
_MAX_DURATION = 3e7
"""Maximum duration of an episode, almost a year [s]."""


def open_episode(path: Path, number: int | None) -> Episode | None:
    """Read an episode of a data set.

    Args:
        path: the folder or the file.
        number: number of the episode; None: the only one.

    Returns:
        The episode; None if no episode was requested and the path is a recording or unknown.

    Raises:
        BadInput: if a data set cannot be read, or the requested one does not exist.
    """
    for _, read in READERS.each():
        found: Episode | None = read(path, number)
        if found is not None:
            return found
    looks_like_dataset = path.suffix.casefold() in _SUFFIXES or (path / _INFO).is_file()
    if number is None and not (looks_like_dataset and path.exists()):
        return None
    if not READERS.names() and path.exists():
        problem = "data sets are read by a package of its own, which is not installed"
        raise BadInput(problem, file=path, where=OPTION, expected=install_command("datasets"))
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
        episode: the episode to write.
        folder: folder in which the recording gets a folder of its own.
        as_it_is: whether positions keep the data set's units.

    Raises:
        BadInput: if the episode has no sample, lasts too long, or cannot be written.
    """
    if not len(episode.times) or episode.times[-1] > _MAX_DURATION:
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
