"""What is said where no picture can be drawn."""

from __future__ import annotations

import pytest

from hetwin_stills import drawing as graphics


def test_the_python_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphics, "find_spec", lambda name: None)
    assert "pip install 'hetwin-suite[stills]'" in graphics.missing_packages()
    with pytest.raises(graphics.NoGraphics, match="PyOpenGL"):
        graphics.open_context(8, 8)


def test_the_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphics, "find_spec", lambda name: object())
    monkeypatch.setattr(graphics, "find_library", lambda name: None)
    with pytest.raises(graphics.NoGraphics, match="apt install libegl1 and libgl1-mesa-dri"):
        graphics.open_context(8, 8)
