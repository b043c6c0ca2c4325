"""Judges an episode that is made worse for the time of the replay."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hetwin_suite.proving_ground.evaluation.episodes import LabelledEpisode
from hetwin_suite.proving_ground.evaluation.judge import Verdict, judge
from hetwin_suite.proving_ground.evaluation.replay import AS_RECORDED, Replay
from hetwin_suite.proving_ground.evaluation.worse import worsen


def judge_worse(
    episode: LabelledEpisode,
    approach: str,
    how: Replay = AS_RECORDED,
    log: Path | None = None,
) -> Verdict:
    """Replay an episode with mismatch; with `log`, write the run to that folder.

    Returns:
        The verdict about the episode, under its own name.

    Raises:
        BadInput: if an axis acts on reality, or a level is not possible for this recording.
    """
    if not how.mismatches:
        return judge(episode, approach, log, how.contacts, how.engine)
    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        worse = worsen(episode, how.mismatches, Path(folder) / episode.name)
        verdict = judge(worse, approach, log, how.contacts, how.engine)
    return replace(verdict, episode=str(episode.folder))
