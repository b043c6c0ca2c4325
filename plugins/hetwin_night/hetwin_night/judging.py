"""Replays the recordings of a night in parallel, and stores each row as soon as it is known."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hetwin_futures import Cluster
from hetwin_night.recordings import Recording
from hetwin_night.row import BROKEN, DIED, FAILED, HANGS, Row, row_of
from hetwin_night.row_store import RowStore
from hetwin_suite.command import BadInput
from hetwin_suite.study import FinishedTask, Processes, Replay, ReplayJob, ReplayResult

RUNS = "runs"
_PROGRESS_PERIOD_S = 2.0
ReportProgress = Callable[[str], None]


def judge_all(
    recordings: Sequence[Recording],
    job: ReplayJob,
    workers: Processes | Cluster,
    store: RowStore,
    progress: ReportProgress,
) -> list[Row]:
    """Return the row of each recording, in the order of the recordings.

    Args:
        recordings: recordings of the night.
        job: replays one recording.
        workers: processes or cluster for the replays.
        store: stored rows; recordings that have one are not replayed.
        progress: reports progress.

    Raises:
        BadInput: if the scenario cannot be used.
    """
    missing = [recording for recording in recordings if store.get(recording) is None]
    for done, (recording, row) in enumerate(_replayed(missing, job, workers, progress), 1):
        store.add(recording, row)
        progress(f"{done} of {len(missing)} recordings; {recording.name}: {row.verdict}")
    return [_with_about(found, r) for r in recordings if (found := store.get(r)) is not None]


def check_fits(rows: Sequence[Row]) -> None:
    """Check that the scenario fits at least one recording.

    Raises:
        BadInput: if it fits no recording.
    """
    broken = [row for row in rows if row.verdict == BROKEN]
    if len(broken) == len(rows):
        raise BadInput(
            f"the scenario fits none of {len(rows)} recordings",
            where="--scenario",
            found=broken[0].first,
            expected=f"a scenario of the robot that recorded {broken[0].name}",
        )


def _replayed(
    recordings: Sequence[Recording],
    job: ReplayJob,
    workers: Processes | Cluster,
    progress: ReportProgress,
) -> Iterator[tuple[Recording, Row]]:
    by_name: Mapping[str, Recording] = {recording.name: recording for recording in recordings}
    tasks = (Replay(recording.name, str(recording.path.resolve())) for recording in recordings)
    if not recordings:
        job.loaded()
        return
    with closing(workers.work(job, tasks, progress)) as work:
        for done in work:
            recording = by_name[done.task.name]
            if done.result is not None:
                page = _page(done.result.folder, job.out)
                yield recording, row_of(recording.name, recording.about, done.result, page)
                continue
            yield recording, _row_without_result(recording, done)


def _row_without_result(recording: Recording, done: FinishedTask[Replay, ReplayResult]) -> Row:
    """Return the row of a recording whose replay returned no result."""
    verdict = DIED if done.died else HANGS
    if done.error is not None:
        verdict = BROKEN if isinstance(done.error, BadInput) else FAILED
    return Row(recording.name, verdict, first=done.lost, about=dict(recording.about))


def _page(folder: Path | None, out: Path | None) -> str:
    if folder is None or out is None:
        return ""
    return f"{RUNS}/{folder.relative_to(out).as_posix()}/report.html"


def _with_about(row: Row, recording: Recording) -> Row:
    """Return the row with the recording's current metadata, which may have changed since the row was stored."""
    return replace(row, about=dict(recording.about))


class Progress:
    """Reports progress on stderr, at most once in two seconds."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, text: str) -> None:
        """Print a text, unless another one was printed just before."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _PROGRESS_PERIOD_S
            print(text, file=sys.stderr, flush=True)
