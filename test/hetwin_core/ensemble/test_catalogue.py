"""Finding the class of a model type, and what is said when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.catalogue import model_class
from hetwin_core.ensemble.errors import BadInput


def install(site: Path, monkeypatch: pytest.MonkeyPatch, entry_point: str) -> None:
    """Make the metadata of a package with one entry point visible."""
    info = site / "old_twin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: old-twin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hetwin.models]\n{entry_point}\n")
    monkeypatch.syspath_prepend(str(site))


def problem(type_name: str) -> BadInput:
    with pytest.raises(BadInput) as caught:
        model_class(type_name)
    return caught.value


@pytest.mark.parametrize("module", ["hetwin_suite.model_nodes.connector", "gone_for_good.arm"])
def test_an_installed_type_whose_module_is_gone_asks_for_a_new_installation(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, f"former_connector = {module}:Connector")
    error = problem("former_connector")
    assert "former_connector is installed under a module that does not exist" in error.problem
    assert error.found == f"{module}:Connector"
    assert "reinstall old-twin" in str(error.expected)


def test_a_model_that_imports_what_is_not_there_says_what_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "their_robot.py").write_text("from hetwin_suite.ensemble.values import Value\n")
    install(tmp_path, monkeypatch, "their_robot = their_robot:Robot")
    for name in ("their_robot", "their_robot:Robot"):
        error = problem(name)
        assert "the model cannot be imported" in error.problem
        assert "No module named 'hetwin_suite.ensemble'" in error.problem
