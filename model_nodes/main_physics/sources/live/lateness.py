"""How a twin reacts when it falls behind its robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scenario.source import LiveSpec, WhenLate

Note: TypeAlias = Callable[[int, str, Mapping[str, Any]], object]
"""Adds an event: a time of the run [ns], a name, arguments."""
MAX_BACKLOG_NS = 60_000_000_000
"""A twin further behind than this fails: it would not catch up, and the samples would fill the memory."""


class Lateness:
    """Whether a twin is late, and what is done about it.

    It is late from `max_lag` on, until it has made up half of that.

    Args:
        spec: the limit, and the reaction.
        note: hears when the twin is late and when it has caught up.
    """

    def __init__(self, spec: LiveSpec, note: Note) -> None:
        self._spec, self._note = spec, note
        self._limit_ns = round(spec.max_lag * 1e9)
        self._late = False

    @property
    def lowers_rates(self) -> bool:
        """Whether other models should step at lower rates."""
        return self._late and self._spec.when_late is WhenLate.LOWER_RATES

    def must_skip(self, time_ns: int, lag_ns: int) -> bool:
        """React to a lag [ns] at a time of the run [ns]; returns whether motion is to be skipped.

        Raises:
            RunFailed: if the twin is not to go on.
        """
        was_late = self._late
        self._late = lag_ns > (self._limit_ns // 2 if was_late else self._limit_ns)
        if self._late != was_late:
            self._report(time_ns, lag_ns)
        if not self._late:
            return False
        if self._spec.when_late is WhenLate.STOP or lag_ns > MAX_BACKLOG_NS:
            reason = (
                f"the twin is {lag_ns / 1e9:.3f} s behind the robot; expected at most"
                f" {self._spec.max_lag:g} s (max_lag; when_late: {self._spec.when_late})"
            )
            raise RunFailed("source", "read", time_ns, reason)
        return self._spec.when_late is WhenLate.SKIP

    def _report(self, time_ns: int, lag_ns: int) -> None:
        if not self._late:
            self._note(time_ns, "caught_up", {})
            return
        seconds, then = round(lag_ns / 1e9, 3), self._spec.when_late.value
        self._note(time_ns, "late", {"seconds": seconds, "then": then})
