"""Work on models of unknown quality in a child process, so that one that hangs or crashes is named and ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.watched_child import ChildDied, Send, WatchedChild


class WorkFailed(HetwinError):
    """The child hung or died; the text says how, and where."""


def in_a_child(
    work: Callable[[Send], Any],
    on_message: Callable[[Any], None],
    progress: Callable[[], object],
    patience_s: float,
    caller: str,
    doing: Callable[[], str] = lambda: "",
    waiting: Callable[[], None] = lambda: None,
) -> Any:
    """Do work in a child process, and return its result.

    Args:
        work: what the child does; its result must be picklable.
        on_message: is called with each message of the child.
        progress: returns something that differs whenever the child has come further.
        patience_s: how long it may stay the same [s].
        caller: part of the names of the files that call models, for saying where a child hangs.
        doing: returns what the child is doing, as the beginning of an error.
        waiting: is called again and again while the child works.

    Raises:
        WorkFailed: if the child hangs or dies.
        HetwinError: that the work raised.
    """
    child = WatchedChild(work, "hetwin check")
    seen, since = progress(), time.monotonic()

    def look() -> None:
        nonlocal seen, since
        waiting()
        now = progress()
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > patience_s:
            busy_with = doing()  # a signal may end what it hangs in
            place = child.place(caller)
            raise WorkFailed(f"{busy_with}no answer within {patience_s:g} s{place}")

    try:
        return child.result(on_message, look, _error)
    except ChildDied as death:
        raise WorkFailed(f"{doing()}{death}") from None
    finally:
        child.end()


def _error(text: str) -> HetwinError:
    return json_codec.error_from_text(text, "model", "check", 0)
