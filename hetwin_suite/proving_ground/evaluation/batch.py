"""Evaluates all episodes in all approaches, in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from hetwin_suite.proving_ground.evaluation.episodes import LabelledEpisode
from hetwin_suite.proving_ground.evaluation.judge import Verdict
from hetwin_suite.proving_ground.evaluation.judge_worse import judge_worse
from hetwin_suite.proving_ground.evaluation.replay import AS_RECORDED, Replay


def judge_all(
    episodes: Sequence[LabelledEpisode],
    approaches: Sequence[str],
    how: Replay = AS_RECORDED,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int, Verdict], None] | None = None,
) -> list[Verdict]:
    """Evaluate every episode in every approach; the order of the result does not depend on the number of jobs.

    Args:
        episodes: the episodes to replay.
        approaches: names of the approaches.
        how: contacts, engine and mismatches.
        jobs: processes at a time; default: one per core.
        progress: called with the number of finished verdicts, the total number, and the new verdict.
    """
    work = [(episode, approach) for episode in episodes for approach in approaches]
    if not work:
        return []
    found: dict[int, Verdict] = {}
    # Spawned: a forked process would share locks and engines with its parent.
    context = get_context("spawn")
    count = min(jobs or os.cpu_count() or 1, len(work))
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        futures = {pool.submit(judge_worse, *item, how): number for number, item in enumerate(work)}
        try:
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                if progress is not None:
                    progress(len(found), len(work), found[futures[future]])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[number] for number in range(len(work))]
