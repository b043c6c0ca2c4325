"""Exports a finished run as a file for Foxglove and Lichtblick, with objects coloured by their responsible model."""

from __future__ import annotations

from pathlib import Path

from hetwin_foxglove.library import foxglove
from hetwin_foxglove.recorded import RunReader
from hetwin_suite.command import Result, unwritable


def write_foxglove_file(run: Path, file: Path) -> Result:
    """Write a run's scene, frames, contacts, values and topics as MCAP.

    Returns:
        The path of the file, and the number of states in it.

    Raises:
        BadInput: if the run is missing, the SDK is not installed, or the file exists or cannot be written.
    """
    sdk = foxglove()
    recorded = RunReader(run)
    context = sdk.Context()
    channels = recorded.channels(context)
    try:
        writer = sdk.open_mcap(file, context=context)
    except OSError as error:
        raise unwritable("the file", file, error) from error
    before = recorded.episode.start_ns - 1
    with writer:
        for time_ns in recorded.episode.times.tolist():
            recorded.tell(before, time_ns, channels)
            channels.show(recorded.at(time_ns))
            before = time_ns
        recorded.tell(before, recorded.episode.end_ns, channels)
    states = len(recorded.episode.times)
    return Result({"states": {str(file): states}}, [f"{file}: {states} states"])
