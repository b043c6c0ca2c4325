"""Episodes of data sets in hetwin: LeRobot, HDF5 (robomimic, ALOHA), Zarr, and tables in CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_suite.episode import DatasetEpisode


def read(path: Path, number: int | None) -> DatasetEpisode | None:
    """Return an episode of a data set; None if the path is no data set of a supported kind.

    Args:
        path: path of the folder or file.
        number: number of the episode; None: the only one.

    Raises:
        BadInput: if the data set cannot be read, or has no such episode.
    """
    # imported here, since the help of this package's commands reads no data
    from hetwin_datasets.csv_tables import is_table, read_csv
    from hetwin_datasets.hdf5_sets import is_hdf5, read_hdf5
    from hetwin_datasets.lerobot import INFO, read_lerobot
    from hetwin_datasets.zarr_sets import is_zarr, read_zarr

    if (path / INFO).is_file():
        return read_lerobot(path, number)
    if is_table(path):
        return read_csv(path, number)
    if is_zarr(path):
        return read_zarr(path, number)
    return read_hdf5(path, number) if is_hdf5(path) else None
