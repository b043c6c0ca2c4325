"""Reads episodes of Zarr replay buffers: one array for all episodes, and the index at which each one ends."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_datasets.arrays import NAMES, RATES, attribute, numbers
from hetwin_datasets.columns import check_episode, steady
from hetwin_datasets.library import reader
from hetwin_suite.episode import DatasetEpisode
from hetwin_suite.model import BadInput, Floats, some

SUFFIXES = (".zarr", ".zarr.zip")

_ENDS = "meta/episode_ends"
_POSITIONS = ("robot_joint", "joint_pos", "joint_positions", "qpos")
_TIMES = ("timestamp", "timestamps")
_LAYOUT = f"{_ENDS}, and data/ with {' or '.join(_POSITIONS)}"


def is_zarr(path: Path) -> bool:
    """Whether the path has the suffix of a Zarr store."""
    return path.name.endswith(SUFFIXES) and path.exists()


def read_zarr(path: Path, number: int | None) -> DatasetEpisode:
    """Read an episode.

    Raises:
        BadInput: if the episode does not exist, or the store has another layout.
    """
    zarr = reader("zarr", "a Zarr store")
    try:
        place = str(path) if path.is_dir() else zarr.storage.ZipStore(path, mode="r")
        group = zarr.open_group(place, mode="r")
        with closing(group.store):
            return _episode(group, path, number)
    except BadInput:
        raise
    except Exception as error:  # the library raises errors without a common base class
        raise BadInput(
            f"the store cannot be read: {error}", file=path, expected="a whole Zarr store"
        ) from error


def _episode(store: Any, path: Path, number: int | None) -> DatasetEpisode:
    column = next((name for name in _POSITIONS if f"data/{name}" in store), None)
    if column is None or _ENDS not in store:
        arrays = [*store, *(f"data/{name}" for name in store.get("data", ()))]
        raise BadInput(
            "the layout of the store is not known", file=path, found=some(arrays), expected=_LAYOUT
        )
    all_rows = numbers(store, f"data/{column}", path)
    ends = [0, *(int(end) for end in np.ravel(store[_ENDS]))]
    if ends != sorted(ends) or ends[-1] > len(all_rows):
        raise BadInput(
            "these are no ends of episodes",
            file=path,
            where=_ENDS,
            found=some([str(end) for end in ends[1:]]),
            expected=f"ascending numbers up to {len(all_rows)}",
        )
    number = check_episode(number, range(len(ends) - 1), path)
    rows = slice(ends[number], ends[number + 1])
    positions = all_rows[rows]
    named = attribute((store[f"data/{column}"], store["data"], store), NAMES)
    joints = tuple(map(str, named or (f"joint{i + 1}" for i in range(positions.shape[1]))))
    if len(joints) != positions.shape[1]:
        raise BadInput(
            "there are not as many names as numbers in a row",
            file=path,
            where=NAMES[0],
            found=some(joints),
            expected=f"{positions.shape[1]} names",
        )
    numbered = "the store does not name its joints: they are joint1, joint2 and so on"
    return DatasetEpisode(
        label=f"episode {number} of {len(ends) - 1} of {path.name} (Zarr)",
        name=f"{path.name.partition('.')[0]}_episode_{number}",
        joints=joints,
        times=_times(store, path, rows, len(positions)),
        positions=positions,
        si_per=(1.0,) * len(joints),
        notes=() if named else (numbered,),
    )


def _times(store: Any, path: Path, rows: slice, count: int) -> Floats:
    """Return the times since the first sample [s]."""
    for name in _TIMES:
        if f"data/{name}" in store:
            read = np.array(store[f"data/{name}"][rows], np.float64).reshape(-1)
            if len(read) == count and np.all(np.isfinite(read)):
                return np.asarray(read - read[:1])
    rate = attribute((store["data"], store), RATES)
    return steady(count, rate, path, f"data/{_TIMES[0]}, or attribute {RATES[0]}")
