"""Episodes of the examples that tests of several modules look at, each recorded once."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.made_once import made_once

if TYPE_CHECKING:
    from hetwin_bauer2022.evaluation.judge import Verdict


def two_drops(factory: pytest.TempPathFactory) -> Path:
    """A folder with the first two drops of seed 3, recorded in two processes."""
    episodes = pytest.importorskip("hetwin_bauer2022.episodes")

    def record(root: Path) -> None:
        episodes.record_episodes(episodes.Kind.DROP, 2, 3, root / "two", jobs=2)

    return made_once(factory, "drops", record) / "two"


def verdict_on_a_success(factory: pytest.TempPathFactory, approach: str) -> Verdict:
    """What an approach says about the success of the two drops."""
    episodes = pytest.importorskip("hetwin_bauer2022.evaluation.episodes")
    judging = pytest.importorskip("hetwin_bauer2022.evaluation.judge")
    drops = two_drops(factory)

    def judge(folder: Path) -> None:
        success = next(one for one in episodes.find_episodes(drops) if one.success)
        verdict = judging.judge(success, approach)
        (folder / "verdict").write_bytes(pickle.dumps(verdict))

    kept = made_once(factory, f"verdict_{approach}", judge) / "verdict"
    verdict: Verdict = pickle.loads(kept.read_bytes())
    return verdict


def an_insertion(factory: pytest.TempPathFactory) -> Path:
    """The first insertion of seed 3."""
    episodes = pytest.importorskip("hetwin_bauer2022.episodes")

    def record(root: Path) -> None:
        episodes.record_episodes(episodes.Kind.INSERTION, 1, 3, root / "one", jobs=1)

    return made_once(factory, "insertion", record) / "one" / "insertion_0001"


def pick_and_place_with(factory: pytest.TempPathFactory, *options: str) -> Path:
    """The bag of the shipped program's episode with options; its truth is beside it.

    Its name is `bag`, that of the truth `bag_truth.json`.
    """
    pick_and_place = pytest.importorskip("hetwin_tables.pick_and_place")

    def record(folder: Path) -> None:
        pick_and_place.main(["--seed", "1", "--out", str(folder / "bag"), *options])

    return made_once(factory, "pick_and_place" + "".join(options), record) / "bag"
