"""Checks end with an error that names it when a model hangs or crashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.conductor.reporting.listener import RunStart
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite.running import checks

PATIENCE_S = 2.5
"""Little, and far more than a call that goes well takes on a busy machine."""
SCENARIO = """
scenario: stuck
rate: 10
models:
  physics: {{type: "support.toys:ToyPhysics", main: true}}
  broken: {{type: "support.stuck_models:{name}"}}
"""


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "PREPARE_PATIENCE_S", PATIENCE_S)


@pytest.mark.parametrize(
    ("name", "says"), [("HangsInC", f"no answer within {PATIENCE_S:g} s"), ("Crashes", "SIGSEGV")]
)
def test_a_scenario_is_checked_as_safely(tmp_path: Path, name: str, says: str) -> None:
    scenario = tmp_path / "stuck.yaml"
    scenario.write_text(SCENARIO.format(name=name), encoding="utf-8")
    with pytest.raises(HetwinError, match=rf"broken: start failed: .*{says}"):
        checks.check_scenario_watched(str(scenario), None)


VARIANTS = """
scenario: several
models: {physics: {type: "support.toys:ToyPhysics", main: true}}
variants:
  plain: {}
  cup: {models: {cup: {type: "support.toys:ToyCup"}}}
"""


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """A scenario with two variants, one of which has a cup."""
    path = tmp_path / "several.yaml"
    path.write_text(VARIANTS, encoding="utf-8")
    return path


def test_a_step_is_taken_with_the_variant_that_is_named(several: Path) -> None:
    facts = checks.check_scenario_watched(str(several), None, variant="cup")
    assert [model["name"] for model in facts["models"]] == ["physics", "cup"]
    assert (facts["variant"], facts["variants"]) == ("cup", ["plain", "cup"])


def test_variants_are_read_without_being_named(several: Path) -> None:
    assert len(checks.check_scenario_watched(str(several), None)["models"]) == 1
    with several.open("a", encoding="utf-8") as file:
        file.write("  odd: {rate: fast}\n")
    with pytest.raises(BadInput, match="line 7, rate"):
        checks.check_scenario_watched(str(several), None)


def test_what_else_is_wrong_is_said_with_the_models_ready(several: Path) -> None:
    def also(scenario: Scenario, start: RunStart) -> None:
        found = f"{scenario.name} with {len(start.models)}"
        raise BadInput("this is wrong", found=found)

    with pytest.raises(BadInput, match="this is wrong; found 'several with 1'"):
        checks.check_scenario_watched(str(several), None, None, None, also)
