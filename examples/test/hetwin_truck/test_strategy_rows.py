"""What the benchmark of strategies makes of its searches."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from kept_beliefs import Case, KeptBeliefs
from strategies import found_at, interval, read_arguments

from hetwin_truck.planning.belief import Node
from hetwin_truck.planning.search import Progress

CASE = Case("small", "HiFi", False, 0, 1)
PICK = Node(("pick",), 6.0, 8.0, 3.0)
BOTH = Node(("pick", "sweep_50"), 16.0, 16.0, 3.0)
STEPS = (Progress(3.0, 1, 0, PICK), Progress(6.0, 2, 1, BOTH))


def test_what_is_found_at_a_budget_is_whole() -> None:
    assert found_at(STEPS, 2.9, 3) == (0, 0, None)
    assert found_at(STEPS, 3.0, 3) == (1, 0, ("pick", "pick", "pick"))
    assert found_at(STEPS, 9.0, 3) == (2, 1, ("pick", "sweep_50", "pick"))


def test_what_is_asked_counts_also_for_a_quick_look() -> None:
    given = read_arguments(["--quick", "--loads", "5"])
    assert (given.scenario, given.plans, given.loads, given.budgets) == ("small", 1, 5, [3.0, 6.0])


@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf"])
def test_a_budget_is_a_time(budget: str) -> None:
    with pytest.raises(SystemExit):
        read_arguments(["--budgets", "10", budget])


def test_the_ratio_on_the_same_loads_is_surer_than_the_rates() -> None:
    base = np.random.default_rng(1).uniform(1000, 3000, 12)
    low, high = interval(1.5 * base, base)
    assert 1.499 < low <= high < 1.501
    ends = interval(base)
    assert ends[0] < base.mean() < ends[1]


def test_what_another_search_would_have_found_makes_it_less_sure() -> None:
    loads = np.random.default_rng(1).uniform(0.9, 1.1, 10)
    alike, unlike = (np.outer(searches, loads) for searches in ([1.0] * 6, [1.5, 0.5] * 3))
    assert np.diff(interval(unlike)) > 2 * np.diff(interval(alike))
    assert interval(alike) == pytest.approx(interval(loads))


def test_kept_beliefs_are_read_and_what_an_interrupted_run_left_is_not(tmp_path: Path) -> None:
    file = tmp_path / f"{CASE.name}.jsonl"
    whole = "".join(json.dumps(asdict(node)) + "\n" for node in (PICK, BOTH))
    file.write_text(whole + '{"strategy": ["pi', encoding="utf-8")
    kept = KeptBeliefs(CASE, tmp_path)
    assert kept.after(("pick",)) == PICK
    assert kept.after(("pick", "sweep_50")) == BOTH
    assert file.read_text(encoding="utf-8") == whole
