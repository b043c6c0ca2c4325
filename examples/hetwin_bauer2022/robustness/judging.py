"""Judges pieces of work in parallel processes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hetwin_bauer2022.evaluation.episode_with_mismatches import write_with_mismatches
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.judge import Verdict, judge
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch import Mismatch, Place
from hetwin_bauer2022.robustness import fingerprints
from hetwin_bauer2022.robustness.recording_again import record_again
from hetwin_bauer2022.robustness.stored_verdicts import StoredVerdict
from hetwin_bauer2022.robustness.work_items import Point, WorkItem
from hetwin_suite.study import FunctionJob, Processes


def judge_items(
    items: Sequence[WorkItem],
    replay: Replay,
    jobs: int | None,
    recorded: Path,
    look: Callable[[], None] = lambda: None,
) -> Iterator[list[StoredVerdict]]:
    """Yield the verdicts of each piece as soon as they are made, in any order.

    Args:
        items: pieces of work.
        replay: contact settings and engine.
        jobs: number of parallel processes; None: one per core.
        recorded: folder for episodes that are recorded again.
        look: called several times a second.

    Raises:
        RunFailed: if a process died.
    """
    job = FunctionJob[WorkItem, list[StoredVerdict]](
        lambda item: judge_item(item, replay, recorded)
    )
    for finished in Processes(jobs).work(job, items, look=look):
        yield finished.value


def judge_item(item: WorkItem, replay: Replay, recorded: Path) -> list[StoredVerdict]:
    """Judge a point with its approaches.

    Args:
        item: the point and the approaches.
        replay: contact settings and engine.
        recorded: folder for episodes that are recorded again.
    """
    verdicts = []
    with at_level(item.point, recorded) as episode:
        for approach, decided_by in item.approaches:
            start = time.process_time()
            verdict = judge(episode, approach, None, replay.contacts, replay.engine)
            seconds = time.process_time() - start
            verdicts.append(_stored_verdict(item.point, verdict, decided_by, seconds))
    return verdicts


@contextmanager
def at_level(point: Point, recorded: Path) -> Iterator[LabelledEpisode]:
    """Provide the episode of a point; files written for a replay are removed afterwards.

    Args:
        point: episode, axis and level.
        recorded: folder for episodes that are recorded again, which are kept.
    """
    if point.axis is None:
        yield point.episode
        return
    mismatch = Mismatch(point.axis, point.level)
    if point.axis.place is Place.REALITY:
        folder_of_new = recorded / fingerprints.of_recording() / point.digest / str(mismatch)
        yield record_again(point.episode, mismatch, folder_of_new)
        return
    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        yield write_with_mismatches(point.episode, (mismatch,), Path(folder) / point.episode.name)


def _stored_verdict(
    point: Point, verdict: Verdict, decided_by: str, seconds: float
) -> StoredVerdict:
    question = point.question(verdict.approach)
    return StoredVerdict(
        episode=question.episode,
        set=point.set,
        name=point.episode.name,
        axis=question.axis,
        level=question.level,
        approach=question.approach,
        decided_by=decided_by,
        truth=verdict.truth,
        success=verdict.success,
        not_applicable=verdict.not_applicable,
        cause=verdict.cause,
        why=verdict.why,
        seconds=round(seconds, 3),
    )
