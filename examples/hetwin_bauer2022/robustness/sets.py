"""Sets of episodes that were recorded together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes


@dataclass(frozen=True, slots=True)
class EpisodeSet:
    """The episodes of one folder.

    Attributes:
        name: path of the folder below the evaluated one; the folder's own name if it is the evaluated one.
        scenario: scenario that replays the episodes.
        grasp: `cage`, `pinch`, `mixed` if there are both, or the name of the scenario.
        episodes: episodes in the order of their names.
    """

    name: str
    scenario: str
    grasp: str
    episodes: tuple[LabelledEpisode, ...]

    def first(self, count: int | None) -> list[LabelledEpisode]:
        """Return the first `count` successful and the first `count` failed episodes, alternating; None: all."""
        kinds = [
            [e for e in self.episodes if e.success is truth][:count] for truth in (True, False)
        ]
        longest = max(map(len, kinds))
        return [kind[rank] for rank in range(longest) for kind in kinds if rank < len(kind)]


def find_sets(root: Path) -> list[EpisodeSet]:
    """Find all sets below a folder.

    Raises:
        BadInput: if there are no episodes, or one cannot be read.
    """
    found: dict[tuple[Path, str], list[LabelledEpisode]] = {}
    for episode in find_episodes(root):
        found.setdefault((episode.folder.parent, episode.scenario), []).append(episode)
    return [
        EpisodeSet(_name(folder, root), scenario, _grasp(episodes), tuple(episodes))
        for (folder, scenario), episodes in found.items()
    ]


def _name(folder: Path, root: Path) -> str:
    relative = folder.relative_to(root).as_posix() if folder.is_relative_to(root) else "."
    return folder.resolve().name if relative == "." else relative


def _grasp(episodes: Sequence[LabelledEpisode]) -> str:
    grasps = {episode.grasp for episode in episodes}
    return grasps.pop() if len(grasps) == 1 else "mixed"
