"""Judges episodes that are replayed with mismatches."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hetwin_bauer2022.evaluation.episode_with_mismatches import write_with_mismatches
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.judge import Verdict, judge
from hetwin_bauer2022.evaluation.replay import AS_RECORDED, Replay
from hetwin_suite.study import FunctionJob, Processes


def judge_with_mismatches(
    episode: LabelledEpisode,
    approach: str,
    replay: Replay = AS_RECORDED,
    log: Path | None = None,
) -> Verdict:
    """Replay an episode with mismatches; with `log`, write the run to that folder.

    Returns:
        The verdict, under the name of the original episode.

    Raises:
        BadInput: if an axis acts on reality, or a level is not possible for this recording.
    """
    if not replay.mismatches:
        return judge(episode, approach, log, replay.contacts, replay.engine)
    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        changed = write_with_mismatches(episode, replay.mismatches, Path(folder) / episode.name)
        verdict = judge(changed, approach, log, replay.contacts, replay.engine)
    return replace(verdict, episode=str(episode.folder))


def judge_all(
    episodes: Sequence[LabelledEpisode],
    approaches: Sequence[str],
    replay: Replay = AS_RECORDED,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int, Verdict], None] = lambda *_: None,
    look: Callable[[], None] = lambda: None,
) -> list[Verdict]:
    """Evaluate every episode in every approach; the order of the result does not depend on the number of jobs.

    Args:
        episodes: the episodes to replay.
        approaches: names of the approaches.
        replay: contacts, engine and mismatches.
        jobs: number of parallel processes; None: one per core.
        progress: called with the number of finished verdicts, the total number, and the new verdict.
        look: called several times a second.
    """
    tasks = [(episode, approach) for episode in episodes for approach in approaches]
    verdicts: dict[tuple[str, str], Verdict] = {}
    job = FunctionJob[tuple[LabelledEpisode, str], Verdict](
        lambda task: judge_with_mismatches(*task, replay)
    )
    for finished in Processes(jobs).work(job, tasks, look=look):
        verdicts[str(finished.task[0].folder), finished.task[1]] = finished.value
        progress(len(verdicts), len(tasks), finished.value)
    return [verdicts[str(episode.folder), approach] for episode, approach in tasks]
