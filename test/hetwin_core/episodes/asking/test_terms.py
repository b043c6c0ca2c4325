"""Terms in Python."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.terms import ANY, Variable, held, loc, moving, on, state


def test_they_show_what_they_are() -> None:
    term = on("box", ANY) & ~held("box", Variable("h")) | moving("cup")
    assert str(term) == '((on("box", any) & ~held("box", any(\'h\'))) | moving("cup"))'
    assert str(loc("box", near=(1, 2), within=0.5)) == 'loc("box", near=[1.0, 2.0], within=0.5)'
    assert str(state("height(c) > 1", c="box")) == "height(c) > 1"


def test_they_are_no_truths() -> None:
    with pytest.raises(BadInput, match=r"neither true nor false.*holds\(on"):
        bool(on("box", "tray"))
    with pytest.raises(BadInput, match="this is not a fluent"):
        on("box", "tray") & True  # type: ignore[operator]


@pytest.mark.parametrize("near", [(1.0,), ["text"], [1, 2, 3, 4], [True, False], 3])
def test_a_place_must_be_one(near: object) -> None:
    with pytest.raises(BadInput, match="this is not a valid place"):
        loc("box", near=near)  # type: ignore[arg-type]


@pytest.mark.parametrize("within", [0, -1, "near", True])
def test_a_limit_must_be_one(within: object) -> None:
    with pytest.raises(BadInput, match="this is not a valid limit"):
        loc("box", near=[0, 0, 0], within=within)  # type: ignore[arg-type]
