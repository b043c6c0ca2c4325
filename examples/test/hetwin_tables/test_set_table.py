"""A robot's program that sets a table in the loop, and what its variants plant."""

from __future__ import annotations

from pathlib import Path

import pytest
from flaw_cases import States
from flaw_variants import CLEAN, OF_SCENARIO, SCENARIO, VARIANTS
from flaws import found_of
from support.kept_digests import check_digest
from support.set_table_run import KNOCKED_OVER

import hetwin_suite
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_suite.episode import open_episode


def test_every_variant_says_what_it_plants() -> None:
    path = find_scenario(SCENARIO)
    variants = load_scenario(path).file.variants
    assert {*variants} == {CLEAN, *OF_SCENARIO}
    for name in variants:
        assert load_scenario(path, name).variant == name


@pytest.mark.slow
def test_a_bottle_in_the_way_is_the_only_flaw(set_table_run: Path) -> None:
    flaws = flaws_of(set_table_run)
    assert [flaw.kind for flaw in flaws] == [KNOCKED_OVER]
    assert found_of(flaws, VARIANTS[KNOCKED_OVER](States(set_table_run)))


@pytest.mark.slow
def test_its_digest_is_the_recorded_one(set_table_run: Path) -> None:
    check_digest("set_table, knocked over", open_episode(set_table_run).summary["digest"])


@pytest.mark.slow
def test_the_dishes_are_served(set_table_run: Path) -> None:
    episode = open_episode(set_table_run)
    for question in load_scenario(find_scenario(SCENARIO)).file.outcomes.values():
        assert episode.ask(question).value is True, question


@pytest.mark.long
def test_the_clean_variant_has_no_flaws(tmp_path: Path) -> None:
    hetwin_suite.run(SCENARIO, variant=CLEAN, out=tmp_path / "run")
    assert flaws_of(tmp_path / "run") == []


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in OF_SCENARIO if name != KNOCKED_OVER])
def test_what_a_variant_plants_is_found(name: str, tmp_path: Path) -> None:
    hetwin_suite.run(SCENARIO, variant=name, out=tmp_path / "run")
    planted = VARIANTS[name](States(tmp_path / "run"))
    assert planted
    assert found_of(flaws_of(tmp_path / "run"), planted)
