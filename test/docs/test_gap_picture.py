"""The picture of the page about the gap is the one that its script draws."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make_gap_picture.py"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def test_the_picture_is_drawn_anew() -> None:
    spec = importlib.util.spec_from_file_location("make_gap_picture", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    drawn, kept = script.picture(), script.OUT.read_text("utf-8")
    assert NUMBER.sub("", drawn) == NUMBER.sub("", kept)
    numbers = ([float(n) for n in NUMBER.findall(text)] for text in (drawn, kept))
    assert next(numbers) == pytest.approx(next(numbers), abs=1.0)
    assert drawn.count("touch</text>") == 1
