"""A library of strategies for the truck, and the choice from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_truck.planning.choosing import (
    Chooser,
    LoadRates,
    StrategyLibrary,
    best_single,
    read_strategy_library,
)

STRATEGIES = (("pick",), ("sweep_15",), ("sweep_50",))


def _loads(seed: int, count: int) -> tuple[LoadRates, ...]:
    """Loads whose first feature says which strategy is best, with noise on the rates."""
    random = np.random.default_rng(seed)
    loads = []
    for x, other in random.uniform(0, 1, (count, 2)).tolist():
        rates = np.array([1 - x, 0.7, x]) * 1000 + random.normal(0, 20, 3)
        loads.append(LoadRates((x, other), tuple(rates.tolist())))
    return tuple(loads)


def test_the_choice_brings_more_than_the_best_single_strategy() -> None:
    pytest.importorskip("sklearn")
    known, unseen = _loads(1, 80), _loads(2, 100)
    chooser = Chooser(StrategyLibrary(STRATEGIES, known))
    chosen = [STRATEGIES.index(chooser.ranked(one.features)[0]) for one in unseen]
    brought = np.array([one.rates[i] for one, i in zip(unseen, chosen, strict=True)])
    best = np.array([max(one.rates) for one in unseen])
    single = np.array([one.rates[best_single(known)] for one in unseen])
    assert (brought / best).mean() > 0.97
    assert brought.mean() > single.mean() * 1.05


def test_where_looks_say_nothing_the_best_single_strategy_is_chosen() -> None:
    pytest.importorskip("sklearn")
    random = np.random.default_rng(5)
    known = tuple(
        LoadRates(
            tuple(random.uniform(0, 1, 2).tolist()), tuple(random.normal(rates, 300).tolist())
        )
        for rates in [(900.0, 1000.0, 800.0)] * 40
    )
    chooser = Chooser(StrategyLibrary(STRATEGIES, known))
    chosen = {chooser.ranked(random.uniform(0, 1, 2))[0] for _ in range(50)}
    assert chosen == {STRATEGIES[best_single(known)]}


def test_all_strategies_are_ranked_and_the_chosen_one_is_the_first() -> None:
    pytest.importorskip("sklearn")
    chooser = Chooser(StrategyLibrary(STRATEGIES, _loads(1, 80)))
    assert chooser.ranked((0.02, 0.5)) == [("pick",), ("sweep_15",), ("sweep_50",)]
    assert chooser.ranked((0.98, 0.5)) == [("sweep_50",), ("sweep_15",), ("pick",)]


def test_of_many_strategies_those_are_kept_that_bring_most_together() -> None:
    rates = ((9.0, 8.0, 6.0, 1.0), (9.0, 8.0, 6.0, 1.0), (1.0, 1.0, 6.0, 7.0))
    loads = tuple(LoadRates((float(i),), of) for i, of in enumerate(rates))
    library = StrategyLibrary((("a",), ("b",), ("c",), ("d",)), loads)
    assert library.reduced_to(1).strategies == (("a",),)
    assert library.reduced_to(2).strategies == (("a",), ("d",))
    assert library.reduced_to(2).loads[2] == LoadRates((2.0,), (1.0, 7.0))
    assert set(library.reduced_to(9).strategies) == set(library.strategies)


def test_a_library_of_one_load_has_its_best_strategy() -> None:
    pytest.importorskip("sklearn")
    chooser = Chooser(StrategyLibrary(STRATEGIES, (LoadRates((0.5, 0.5), (1.0, 3.0, 2.0)),)))
    assert chooser.ranked((0.1, 0.9))[0] == STRATEGIES[1]


def test_a_library_is_read_as_it_was_saved(tmp_path: Path) -> None:
    library = StrategyLibrary(STRATEGIES, _loads(3, 4))
    library.save(tmp_path / "library.json")
    assert read_strategy_library(tmp_path / "library.json") == library


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a library"),
        ('{"strategies": []}', "not a library"),
        ('{"strategies": [], "loads": []}', "strategies"),
        ('{"strategies": [["pick"]], "loads": []}', "loads"),
        ('{"strategies": [["pick"]], "loads": [{"features": [1], "rates": []}]}', "1 rates each"),
    ],
)
def test_what_is_no_library_is_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "library.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said) as refused:
        read_strategy_library(file)
    assert str(file) in str(refused.value)


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    binary = tmp_path / "library.json"
    binary.write_bytes(b"\xff\xfe\x81")
    for file, said in ((binary, "not a library"), (tmp_path / "none.json", "no such file")):
        with pytest.raises(BadInput, match=said) as refused:
            read_strategy_library(file)
        assert str(file) in str(refused.value)
