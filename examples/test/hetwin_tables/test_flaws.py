"""The benchmark of flaws: what is planted is found, and what is found beside it is judged."""

from __future__ import annotations

from pathlib import Path

import flaws as bench
import pytest
from flaw_cases import Planted

from hetwin_core.episodes.flaws.flaw import Cause, Flaw
from hetwin_core.episodes.tables.rows import Interval

SECOND = 1_000_000_000


def flaw(kind: str, begin: float, *entities: str, caused_by: tuple[Cause, ...] = ()) -> Flaw:
    """A flaw of a second."""
    span = Interval(round(begin * SECOND), round((begin + 1) * SECOND))
    return Flaw(kind, span, entities, None, "", caused_by)


def test_a_tray_that_was_moved_is_found(tmp_path: Path) -> None:
    row = bench.measure("edge", 11, tmp_path)
    assert row["found"], row
    assert row["false"] == []
    assert (tmp_path / "edge_11" / "run").is_dir()


def test_what_is_far_off_or_of_another_kind_is_not_found() -> None:
    planted = Planted(frozenset({"grasp_lost"}), frozenset({"box"}), 4.0)
    assert bench.judged([flaw("grasp_lost", 4.4, "hand", "box")], planted) == (True, [])
    late, other = flaw("grasp_lost", 4.6, "box"), flaw("unachieved", 4.0, "box")
    assert bench.judged([late, other], planted) == (False, [late, other])


def test_consequences_are_not_false_and_all_flaws_of_a_clean_run_are() -> None:
    planted = Planted(frozenset({"grasp_lost"}), frozenset({"box"}), 4.0)
    root = flaw("grasp_lost", 4.0, "box")
    named = Cause("grasp_lost", "", root.span, ("box",), 0)
    rest = flaw("unachieved", 6.0, "box", caused_by=(named,))
    stray = flaw("spilled", 7.0, "jug")
    assert bench.judged([root, rest, stray], planted) == (True, [stray])
    assert bench.judged([stray], None) == (True, [stray])


@pytest.mark.long
def test_a_cup_that_the_camera_misses_is_found(tmp_path: Path) -> None:
    rows = list(bench.measure_variant("overlooked", 11, 1, 1, tmp_path))
    assert [(row["case"], row["seed"], row["found"]) for row in rows] == [("overlooked", 11, True)]
    assert (tmp_path / "overlooked" / "11" / "runs").is_dir()


@pytest.mark.parametrize("only", [",", "", "stale_belief,"])
def test_a_case_without_a_name_is_refused_before_anything_is_made(only: str) -> None:
    with pytest.raises(SystemExit, match="--only: no case ''"):
        bench.main(["--variants", "--only", only, "--each", "1", "--clean", "0"])
