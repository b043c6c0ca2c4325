"""Recovers the log of a run whose process was killed before it could finish the log."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator
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
from hetwin_core.projection.bag import FACTS, ROOM, LogBag
from hetwin_core.projection.bag_metadata import METADATA
from hetwin_core.projection.mcap_records import (
    CHANNEL,
    CHUNK,
    MAGIC,
    MESSAGE,
    SCHEMA,
    channel_of,
    chunk_content,
    facts_of,
    records,
    schema_of,
)
from hetwin_core.projection.mcap_records import METADATA as METADATA_KIND
from hetwin_core.projection.run_folder import LOG

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
    count = _copy(files[0].read_bytes(), recovered, last)
    # The file in a bag carries the bag's name.
    (recovered / f"{_RECOVERED}.mcap").rename(recovered / f"{LOG}.mcap")
    metadata = recovered / METADATA
    metadata.write_text(metadata.read_text("utf-8").replace(f"{_RECOVERED}.mcap", f"{LOG}.mcap"))
    log.rename(incomplete)
    recovered.rename(log)
    shutil.rmtree(incomplete)
    return count


def _copy(data: bytes, path: Path, last: Encoded | None) -> int:
    by_name = {topic.logged_name: topic for topic in LOGGED}
    channels: dict[int, Topic] = {}
    schemas: dict[int, str] = {}
    count = latest = 0
    bag = LogBag(path)
    try:
        for kind, record in _all_records(data):
            if kind == SCHEMA:
                schema = schema_of(record)
                schemas[schema.number] = schema.name
            elif kind == CHANNEL:
                channel = channel_of(record)
                name, offered = channel.topic, _OFFERED.get(schemas.get(channel.schema, ""))
                if name in by_name:
                    channels[channel.number] = by_name[name]
                elif offered is not None:
                    channels[channel.number] = offered._replace(name=name.removeprefix("/"))
                    bag.offer(channels[channel.number])
            elif kind == MESSAGE:
                number, _, time_ns = struct.unpack_from("<HIQ", record)
                if number in channels:
                    bag.write(channels[number], time_ns, record[22:])
                    count += 1
                    latest = max(latest, time_ns)
            elif kind == METADATA_KIND:
                _describe(bag, record)
        if last is not None:
            bag.write(last.topic, max(last.time_ns, latest), last.data)
    finally:
        bag.close()
    return count


def _describe(bag: LogBag, record: memoryview) -> None:
    """Keep what the run was given; the file's other metadata is written anew."""
    name, facts = facts_of(record)
    if name == FACTS:
        bag.describe(**facts)


def _all_records(data: bytes) -> Iterator[tuple[int, memoryview]]:
    """The file's records, those in its chunks included, up to where it breaks off or is damaged."""
    if data[: len(MAGIC)] != MAGIC:
        return
    view = memoryview(data)[len(MAGIC) :]
    for kind, begin, end in records(view):
        if kind != CHUNK:
            yield kind, view[begin:end]
            continue
        try:
            content = memoryview(chunk_content(view[begin:end]))
        except ValueError:
            return
        for inner, first, last in records(content):
            yield inner, content[first:last]
