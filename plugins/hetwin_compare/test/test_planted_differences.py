"""Of two runs, the comparison names what is different, whatever it is."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from support.planted import KINDS, Planted

from hetwin_compare.compare import compare_runs
from hetwin_compare.comparison import Comparison, Divergence

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Planted().run(tmp_path_factory.mktemp("healthy") / "run")


def named(found: Comparison) -> set[str]:
    """Every name that the comparison says of what was given and of where the runs part."""
    given = {part for item in found.given for part in item.name.split(".")}
    parts = (getattr(found.divergence, part.name) for part in fields(found.divergence))
    places = [place for place in parts if place is not None]
    return given | {entity for place in places for entity in place.entities}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_different_is_named(healthy: Path, tmp_path: Path, kind: str) -> None:
    planted = KINDS[kind]
    found = compare_runs(healthy, planted.run(tmp_path / "run"))
    assert planted.names in named(found)


def test_equal_runs_do_not_part(healthy: Path, tmp_path: Path) -> None:
    found = compare_runs(healthy, Planted().run(tmp_path / "run"))
    assert (found.divergence, found.given, found.chain) == (Divergence(), (), ())
