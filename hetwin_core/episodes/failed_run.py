"""Finishes a run whose process could not: recovers its log, and writes a summary with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.reporting.concerns import run_concerns, verdict_of
from hetwin_core.ensemble.conductor.reporting.coverage import coverage_of
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary, error_row, handover_row
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import event_to_summary
from hetwin_core.ensemble.topics import (
    JOINT_STATES,
    LOGGED,
    ODOMETRY_TOPIC,
    ROBOT_DESCRIPTION,
    SCAN_TOPIC,
    Encoded,
    Topic,
)
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.bag import FACTS, METADATA, RESERVED_FILE, LogBag
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.following.log_file import Chunk, LogFile
from hetwin_core.episodes.run_folder import LOG, write_summary

_TOPICS_BY_TYPE = {
    topic.type: topic for topic in (ODOMETRY_TOPIC, SCAN_TOPIC, JOINT_STATES, ROBOT_DESCRIPTION)
}
"""Types of topics that a log may have under any names and in any number."""
_INCOMPLETE, _RECOVERED = "log.incomplete", "log.recovered"


def recover_log(run: Path, *, last: Encoded | None = None) -> int:
    """Finish the log of a run that was killed, with everything that reached the disk.

    A log is written in chunks of about a megabyte, and after events, but at most twice a second; unwritten messages
    are lost. A finished log is left unchanged. The incomplete log is replaced after the new one is complete.

    Args:
        run: folder of the run.
        last: a message to add at the end; its log time is raised to that of the last one, if necessary.

    Returns:
        The number of recovered messages; -1 if the log was finished already.

    Raises:
        BadInput: if there is no log.
    """
    log = run / LOG
    (run / RESERVED_FILE).unlink(missing_ok=True)
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
            # The file's other metadata is written by the new bag.
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
    """Yield the chunks up to the point where the file is truncated or damaged; none if it is not an MCAP file."""
    with suppress(ValueError):
        yield from file.poll()


def _topics(file: LogFile, channels: Iterable[int]) -> Iterator[tuple[int, Topic]]:
    """Yield the channels' topics, without those that do not belong to a log."""
    by_name = {topic.logged_name: topic for topic in LOGGED}
    for number in sorted(channels):
        channel = file.channels[number]
        template = _TOPICS_BY_TYPE.get(file.schemas[channel.schema].name)
        if channel.topic in by_name:
            yield number, by_name[channel.topic]
        elif template is not None:
            yield number, template._replace(name=channel.topic.removeprefix("/"))


def finish_failed_run(
    out: Path,
    scenario: str,
    error: RunFailed,
    transport: str,
    wall_time: float = 0.0,
    *,
    interrupted: bool = False,
) -> RunSummary:
    """Finish the folder of a run that failed without finishing it itself.

    The log keeps everything that reached the disk, and gets the error as its last diagnostic; a run that failed
    before it started gets a log with only that diagnostic.

    Args:
        out: folder of the run.
        scenario: name of the scenario.
        error: the failure.
        transport: ``local`` or ``ros``.
        wall_time: duration of the run, in s.
        interrupted: whether the user ended it at once; it then ended as ``stopped``, without an error.

    Raises:
        RunFailed: if the disk cannot be written to.
    """
    note = run_messages.note(error.time_ns, "error", error.model, error.without_model)
    if not (out / LOG).exists():
        out.mkdir(parents=True, exist_ok=True)
        bag = LogBag(out / LOG)
        bag.write([note])
        bag.close()
    else:
        with suppress(BadInput):  # the folder has no log file
            recover_log(out, last=note)
    simulated = error.time_ns / 1e9
    episode = _episode(out)
    events = () if episode is None else episode.events
    concerns = run_concerns(events, (), error.time_ns)
    coverage = coverage_of(events, concerns, 0, error.time_ns)
    ended = "stopped" if interrupted else "failed"
    summary = RunSummary(
        scenario=scenario,
        ended=ended,
        error=None if interrupted else error_row(error),
        simulated_time=simulated,
        wall_time=wall_time,
        real_time_factor=simulated / wall_time if wall_time > 0 else 0.0,
        digest="",
        deterministic=False,
        transport=transport,
        processes=() if episode is None else _processes(episode),
        events=tuple(event_to_summary(e) for e in events),
        handovers=() if episode is None else tuple(handover_row(h) for h in episode.handovers),
        state={},
        concerns=tuple(concern.row() for concern in concerns),
        coverage=tuple(source.row() for source in coverage),
        verdict=verdict_of((concern.severity for concern in concerns), ended=ended).value,
    )
    write_summary(out, summary)
    return summary


def fail_finished_run(out: Path, summary: Mapping[str, Any], error: RunFailed) -> dict[str, Any]:
    """Return and write the summary of a run whose process died after the run had finished.

    Args:
        out: folder of the run.
        summary: the summary that the run wrote.
        error: the failure of its process.
    """
    reason = f"{error.reason}, when the run was over and the log complete"
    late = error_row(RunFailed(error.model, error.call, error.time_ns, reason))
    failed = RunSummary(**{**summary, "ended": "failed", "error": late, "verdict": "failed"})
    write_summary(out, failed)
    return asdict(failed)


def _processes(episode: Episode) -> tuple[dict[str, str | int], ...]:
    return tuple({"model": m.name, "pid": m.pid} for m in episode.models)


def _episode(out: Path) -> Episode | None:
    try:
        return Episode.open(out)
    except BadInput:  # nothing reached the disk
        return None
