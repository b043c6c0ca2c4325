"""The end of what does not end by itself."""

from __future__ import annotations

import threading

import pytest

from hetwin_sql import deadline
from hetwin_sql.deadline import Deadline, QueryTimeout


def test_what_ends_in_time_is_not_interrupted() -> None:
    interrupted: list[int] = []
    with Deadline(60.0, lambda: interrupted.append(1)) as watched:
        pass
    assert not watched.has_passed
    assert not interrupted


def test_what_cannot_be_interrupted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "GRACE_S", 0.01)
    stuck: list[QueryTimeout] = []
    told, interrupted = threading.Event(), threading.Event()

    def tell(error: QueryTimeout) -> None:
        stuck.append(error)
        told.set()

    with Deadline(0.01, interrupted.set, tell) as watched:
        assert told.wait(10)
    assert watched.has_passed
    assert interrupted.is_set()
    assert str(stuck[0]).startswith("the query did not end within 0.01 s")
