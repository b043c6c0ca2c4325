"""Recovers the log of a run whose process was killed before it could finish the log."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.topics import (
    JOINT_STATES,
    LOGGED,
    ODOMETRY_TOPIC,
    ROBOT_DESCRIPTION,
    SCAN_TOPIC,
    Encoded,
    Topic,
)
from hetwin_core.episodes.bag import FACTS, ROOM, LogBag
from hetwin_core.episodes.bag_metadata import METADATA
from hetwin_core.episodes.following.log_file import Chunk, LogFile
from hetwin_core.episodes.run_folder import LOG

_OFFERED = {
    topic.type: topic for topic in (ODOMETRY_TOPIC, SCAN_TOPIC, JOINT_STATES, ROBOT_DESCRIPTION)
}
"""Topics of whose type a log may have any number, under other names."""
_INCOMPLETE, _RECOVERED = "log.incomplete", "log.recovered"


def recover_log(run: Path, *, last: Encoded | None = None) -> int:
    """Finish the log of a run that was killed, with everything that reached the disk.

    A log is written in chunks of about a megabyte, and after events, but at most twice a second; what was not written
    yet is lost. A finished log is left as it is. The incomplete log is replaced once the new one is complete.

    Args:
        run: folder of the run.
        last: a message to end the log with; its log time is not before the others.

    Returns:
        The number of messages recovered; -1 if the log was finished already.

    Raises:
        BadInput: if there is no log.
    """
    log = run / LOG
    (run / ROOM).unlink(missing_ok=True)
    files = sorted(log.glob("*.mcap")) if log.is_dir() else []
    if not files:
        raise BadInput("there is no log in this folder", file=run, expected=f"{LOG}/*.mcap")
    if (log / METADATA).exists():
        return -1
    recovered, incomplete = run / _RECOVERED, run / _INCOMPLETE
    shutil.rmtree(recovered, ignore_errors=True)
    count = _copy(LogFile(files[0]), recovered, last)
    # The file in a bag carries the bag's name.
    (recovered / f"{_RECOVERED}.mcap").rename(recovered / f"{LOG}.mcap")
    metadata = recovered / METADATA
    metadata.write_text(metadata.read_text("utf-8").replace(f"{_RECOVERED}.mcap", f"{LOG}.mcap"))
    log.rename(incomplete)
    recovered.rename(log)
    shutil.rmtree(incomplete)
    return count


def _copy(file: LogFile, path: Path, last: Encoded | None) -> int:
    topics: dict[int, Topic] = {}
    count = latest = 0
    bag = LogBag(path)
    try:
        for chunk in _whole_chunks(file):
            # The file's other metadata is written anew.
            if FACTS in file.facts:
                bag.describe(**file.facts.pop(FACTS))
            for number, topic in _topics(file, file.channels.keys() - topics.keys()):
                topics[number] = topic
                bag.offer(topic)
            for number, row in chunk.in_order():
                if number in topics:
                    raw = memoryview(chunk.data)[row.begin : row.end]
                    bag.write([Encoded(topics[number], row.time_ns, raw)])
                    count += 1
                    latest = max(latest, row.time_ns)
        if last is not None:
            bag.write([last], latest)
    finally:
        bag.close()
    return count


def _whole_chunks(file: LogFile) -> Iterator[Chunk]:
    """The chunks up to where the file breaks off or is damaged; none of what is no MCAP file."""
    with suppress(ValueError):
        yield from file.poll()


def _topics(file: LogFile, channels: Iterable[int]) -> Iterator[tuple[int, Topic]]:
    """The topics of channels, of those that a log may have."""
    by_name = {topic.logged_name: topic for topic in LOGGED}
    for number in sorted(channels):
        channel = file.channels[number]
        offered = _OFFERED.get(file.schemas[channel.schema].name)
        if channel.topic in by_name:
            yield number, by_name[channel.topic]
        elif offered is not None:
            yield number, offered._replace(name=channel.topic.removeprefix("/"))
