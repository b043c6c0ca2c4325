"""Bindings that cannot be used are refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_gazebo import bindings


def test_bindings_without_protobuf_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {name: f"some_gazebo.{name}" for name in ("sim", "math", "msgs", "transport")}
    for name in modules:
        (tmp_path / "some_gazebo" / name).mkdir(parents=True)
        (tmp_path / "some_gazebo" / name / "__init__.py").touch()
    messages = tmp_path / "some_gazebo" / "msgs" / "pose_pb2.py"
    messages.write_text("from google.protobuf_that_is_absent import builder\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(bindings, "RELEASES", (bindings.Release("Some", **modules),))
    monkeypatch.setenv("GZ_IP", "")  # so that it is put back
    with pytest.raises(
        ImportError, match=r"Gazebo Some cannot be imported.* protobuf in a version"
    ):
        bindings.gazebo.__wrapped__()
