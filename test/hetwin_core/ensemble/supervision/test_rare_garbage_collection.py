"""While a run goes on, Python looks for cycles as rarely as the command does, and afterwards as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from hetwin_core.ensemble.supervision.starting import COLLECTION_THRESHOLD, rare_garbage_collection


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    """Leave Python's thresholds as they are."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_it_looks_rarely_and_then_as_before() -> None:
    gc.set_threshold(500, 9, 8)
    seen: list[tuple[int, int, int]] = []

    @rare_garbage_collection()
    def work() -> None:
        seen.append(gc.get_threshold())
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        work()
    assert (seen, gc.get_threshold()) == ([(COLLECTION_THRESHOLD, 9, 8)], (500, 9, 8))


@pytest.mark.parametrize("young", [0, 2 * COLLECTION_THRESHOLD])
def test_whoever_looks_never_or_more_rarely_still_does(young: int) -> None:
    gc.set_threshold(young, 9, 8)
    with rare_garbage_collection():
        assert gc.get_threshold() == (young, 9, 8)
