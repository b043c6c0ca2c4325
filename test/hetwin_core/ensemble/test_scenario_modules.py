"""Modules beside a scenario are importable while it is in use, and hide nothing that is installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.scenario_modules import (
    distrust,
    distrusting,
    folder_of_module,
    untrusted_module_error,
    use_modules_in,
)
from hetwin_core.ensemble.scene.values import POSE

MODEL = """
from support.toys import ToyCup
from words_of_mine import SUMMARY

class Cup(ToyCup):
    summary = SUMMARY
"""
SCENARIO = """
scenario: beside
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true}
  cup: {type: "cup_of_mine:Cup"}
"""


@pytest.fixture(autouse=True)
def path_restored(tmp_path: Path) -> Iterator[None]:
    before = list(sys.path)
    yield
    assert sys.path == before
    (tmp_path / "nothing").mkdir()
    use_modules_in(tmp_path / "nothing")


def scenario_in(folder: Path, summary: str) -> Path:
    folder.mkdir()
    (folder / "cup_of_mine.py").write_text(MODEL)
    (folder / "words_of_mine.py").write_text(f"SUMMARY = {summary!r}\n")
    (folder / "beside.yaml").write_text(SCENARIO)
    return folder / "beside.yaml"


def test_each_scenario_gets_the_module_beside_it(tmp_path: Path) -> None:
    first, second = (scenario_in(tmp_path / name, name) for name in ("first", "second"))
    for path, name in ((first, "first"), (second, "second"), (first, "first")):
        cup = load_scenario(path).plan("cup")
        assert cup is not None
        assert cup.cls.summary == name  # type: ignore[attr-defined]
        assert cup.folder == path.parent


def test_the_same_folder_again_gives_the_same_class(tmp_path: Path) -> None:
    path = scenario_in(tmp_path / "one", "one")
    classes = [load_scenario(path).models[1].cls for _ in range(2)]
    assert classes[0] is classes[1]


def test_what_is_beside_one_scenario_is_not_there_for_another(tmp_path: Path) -> None:
    load_scenario(scenario_in(tmp_path / "one", "one"))
    other = scenario_in(tmp_path / "other", "other")
    (other.parent / "words_of_mine.py").unlink()
    with pytest.raises(BadInput, match="No module named 'words_of_mine'"):
        load_scenario(other)


def test_modules_beside_an_extended_scenario_are_found_and_own_ones_come_first(
    tmp_path: Path,
) -> None:
    base, own = scenario_in(tmp_path / "base", "base"), tmp_path / "own"
    own.mkdir()
    path = own / "extending.yaml"
    path.write_text(f"extends: {base}\nscenario: extending\n")
    cup = load_scenario(path).plan("cup")
    assert cup is not None
    assert cup.folder == base.parent
    (own / "words_of_mine.py").write_text("SUMMARY = 'own'\n")
    use_modules_in(tmp_path)
    cup = load_scenario(path).plan("cup")
    assert cup is not None
    assert cup.cls.summary == "own"  # type: ignore[attr-defined]


def test_installed_modules_are_neither_hidden_nor_forgotten(tmp_path: Path) -> None:
    (tmp_path / "yaml.py").write_text("raise ImportError('hidden')\n")
    (tmp_path / "hetwin_core").mkdir()
    use_modules_in(tmp_path)
    import yaml

    assert folder_of_module("yaml") is None
    assert folder_of_module("hetwin_core.ensemble") is None
    (tmp_path / "elsewhere").mkdir()
    use_modules_in(tmp_path / "elsewhere")
    from hetwin_core.ensemble.scene import values

    assert sys.modules["yaml"] is yaml
    assert values.POSE is POSE


def test_an_installed_model_has_no_folder(tmp_path: Path) -> None:
    path = scenario_in(tmp_path / "one", "one")
    assert load_scenario(path).models[0].folder is None


FUNCTION = """
def higher(scene, entity, least):
    '''higher(entity, least): whether it is higher than this.'''
    return bool(scene.pose(entity)[2] > least)

LEAST = 0.5
"""
TRIGGER = """
evaluators:
  higher: "my_words:higher"
  high: "higher('ball', 0.9)"
triggers:
  - {name: t, on: {attribute: pose, entity: ball, index: 2, below: 0.95}, if: high, do: [{stop: low}]}
"""


def test_a_function_beside_the_scenario_is_an_evaluator(tmp_path: Path) -> None:
    path = scenario_in(tmp_path / "one", "one")
    (path.parent / "my_words.py").write_text(FUNCTION)
    path.write_text(SCENARIO + TRIGGER)
    summary = session(path).run()
    assert summary.ended == "stopped"
    assert 0.09 <= summary.simulated_time <= 0.12  # 5 cm of free fall


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("my_words:LEAST", "not a function"),
        ("my_words:lower", "has no attribute 'lower'"),
        ("no_words:lower", "No module named 'no_words'"),
    ],
)
def test_an_evaluator_that_is_no_function_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = scenario_in(tmp_path / "one", "one")
    (path.parent / "my_words.py").write_text(FUNCTION)
    path.write_text(SCENARIO + TRIGGER.replace("my_words:higher", text))
    with pytest.raises(BadInput, match=says) as caught:
        load_scenario(path)
    assert "evaluators.higher" in (caught.value.where or "")


def test_nothing_is_imported_beside_a_scenario_that_a_run_names(tmp_path: Path) -> None:
    path = scenario_in(tmp_path / "stranger", "theirs")
    (path.parent / "cup_of_mine.py").write_text("raise SystemExit('this was run')\n")
    distrust(path, tmp_path / "run")
    with pytest.raises(BadInput) as caught:
        load_scenario(path)
    assert caught.value.found == str(path.parent / "cup_of_mine.py")
    assert (
        f"this would run code from the folder of a scenario that was named by {tmp_path / 'run'}"
        in str(caught.value)
    )
    assert "--trust, if you trust its author" in str(caught.value)
    assert load_scenario(scenario_in(tmp_path / "mine", "mine")).plan("cup") is not None


def test_a_missing_library_is_not_found_beside_such_a_scenario(tmp_path: Path) -> None:
    """What is installed may try to import what is not, and do without it."""
    path = scenario_in(tmp_path / "stranger", "theirs")
    path.write_text(SCENARIO.replace("cup_of_mine:Cup", "support.toys:ToyCup"))
    (path.parent / "library_of_theirs.py").write_text("raise SystemExit('this was run')\n")
    distrust(path, tmp_path / "run")
    assert load_scenario(path).plan("cup") is not None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("library_of_theirs")


def test_functions_beside_such_a_scenario_are_not_imported(tmp_path: Path) -> None:
    path = scenario_in(tmp_path / "stranger", "theirs")
    evaluators = "evaluators: {near: 'words_of_mine:near'}\n"
    path.write_text(SCENARIO.replace("cup_of_mine:Cup", "support.toys:ToyCup") + evaluators)
    with distrusting(tmp_path / "checkpoint"), pytest.raises(BadInput, match="--trust"):
        load_scenario(path)
    with pytest.raises(BadInput, match="no attribute 'near'"):
        load_scenario(path)


def test_a_program_beside_such_a_scenario_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "program_of_theirs.py").write_text("raise SystemExit('this was run')\n")
    with distrusting(tmp_path / "checkpoint"):
        refused = untrusted_module_error("program_of_theirs", tmp_path)
        assert refused is not None
        assert refused.found == str(tmp_path / "program_of_theirs.py")
        assert untrusted_module_error("json", tmp_path) is None
    assert untrusted_module_error("program_of_theirs", tmp_path) is None
