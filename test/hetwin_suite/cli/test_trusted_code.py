"""A run or a checkpoint of a stranger names a scenario with code beside it: that is run with --trust alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hetwin_command import Said, hetwin
from support.plugins import needs

from hetwin_core.ensemble.conductor.checkpoint import read_checkpoint, write_checkpoint

_SCENARIO = "extends: pick_and_place\nevaluators: {near: 'code_of_theirs:near'}\n"
_CODE = "from pathlib import Path\nPath(__file__).with_name('it_was_run').touch()\n"
_FUNCTION = "def near(scene): return True\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a checkpoint, and beside its scenario code that leaves a file when it is imported."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "s.yaml").write_text(_SCENARIO)
    (folder / "code_of_theirs.py").write_text(_FUNCTION)
    ends = ("--duration", "0.1", "--checkpoint", "0.05", "--no-page")
    said = hetwin("run", folder / "s.yaml", *ends, "--out", folder / "run")
    assert said.code == 0, said.err
    (folder / "code_of_theirs.py").write_text(_CODE + _FUNCTION)
    return folder / "run"


def refused(said: Said, run: Path) -> None:
    """Check that nothing was run, and that one line says which file wants what."""
    assert said.code == 2, said
    assert str(run.parent / "code_of_theirs.py") in said.err
    assert said.err.strip().endswith("expected --trust, if you trust its author")
    assert len(said.err.strip().splitlines()) == 1
    assert not (run.parent / "it_was_run").exists()


@needs("hetwin_futures")
def test_no_further_run_is_made_of_it(run: Path, tmp_path: Path) -> None:
    refused(hetwin("explain", run, "--out", tmp_path / "a"), run)
    refused(hetwin("compare", run, "--planned"), run)


def test_what_a_run_names_is_not_imported(run: Path, tmp_path: Path) -> None:
    assert hetwin("show", run, "--out", tmp_path / "a.html").code == 0
    assert hetwin("ask", run, "--flaws").code == 0
    assert not (run.parent / "it_was_run").exists()


def test_what_a_checkpoint_names_is_imported_with_trust_alone(run: Path, tmp_path: Path) -> None:
    going_on = ("run", "--from", run / "checkpoint.json.gz", "--no-page")
    refused(hetwin(*going_on, "--out", tmp_path / "a"), run)
    said = hetwin(*going_on, "--out", tmp_path / "b", "--trust")
    assert said.code == 0, said.err
    assert (run.parent / "it_was_run").exists()
    (run.parent / "it_was_run").unlink()


def test_a_checkpoint_names_a_program_anywhere(run: Path, tmp_path: Path) -> None:
    theirs = read_checkpoint(run / "checkpoint.json.gz")
    source = f'{{"program": "code_of_theirs:near", "folder": "{run.parent}"}}'
    path = tmp_path / "theirs.json.gz"
    write_checkpoint(theirs.with_options(source=source), path)
    text = (run.parent / "s.yaml").read_text()
    (run.parent / "s.yaml").write_text("extends: pick_and_place\n")
    try:
        refused(hetwin("run", "--from", path, "--no-page", "--out", tmp_path / "a"), run)
    finally:
        (run.parent / "s.yaml").write_text(text)
