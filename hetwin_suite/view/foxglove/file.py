"""A finished run as a file that Foxglove and Lichtblick open: its scene in the colours of who is responsible."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.ensemble.writing import unwritable
from hetwin_suite.view.foxglove.library import foxglove
from hetwin_suite.view.foxglove.recorded import Recorded


def write_foxglove_file(run: Path, file: Path) -> int:
    """Write a run's scene, frames, contacts, values and topics as MCAP.

    Returns:
        How many states it has.

    Raises:
        BadInput: if there is no run, the SDK is not installed, or the file exists or cannot be written.
    """
    sdk = foxglove()
    recorded = Recorded(run)
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
    return len(recorded.episode.times)
