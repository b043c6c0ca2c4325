"""Models that include each other: in a circle, or so that each level doubles what is below."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.sdf import model_parts
from model_nodes.main_physics.world.sdf.reader import read_world


def world(folder: Path, models: dict[str, str]) -> Path:
    """A world that includes the first of some models, each of which includes another one twice."""
    for name, other in models.items():
        (folder / name).mkdir()
        twice = "".join(
            f"<include><uri>../{other}</uri><name>{n}</name></include>" for n in ("a", "b")
        )
        inside = twice if other else ""
        (folder / name / "model.sdf").write_text(
            f'<sdf version="1.9"><model name="{name}"><link name="l"/>{inside}</model></sdf>'
        )
    file = folder / "w.sdf"
    first = next(iter(models))
    file.write_text(
        f'<sdf version="1.9"><world name="w"><include><uri>{first}</uri></include></world></sdf>'
    )
    return file


def test_a_model_in_itself(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"is nested too deeply, or in itself|includes more"):
        read_world(world(tmp_path, {"m": "m"}))


def test_models_that_double_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_parts, "MAX_INCLUDED", 50)
    models = {f"m{i}": f"m{i + 1}" if i < 40 else "" for i in range(41)}
    with pytest.raises(BadInput, match="includes more; expected 50 models in models at most"):
        read_world(world(tmp_path, models))
