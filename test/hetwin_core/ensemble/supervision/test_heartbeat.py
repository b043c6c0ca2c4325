"""What a process writes into its heartbeat, another one reads."""

from __future__ import annotations

import os

from hetwin_core.ensemble.supervision.heartbeat import (
    BEGUN,
    CALL,
    CALLS,
    CODES,
    MAX_MODELS,
    TIME,
    Heartbeat,
)


def test_the_calls_under_way_are_seen_from_another_process_the_oldest_first() -> None:
    heartbeat = Heartbeat()
    child = os.fork()
    if child == 0:
        for index, begun in ((0, 30), (MAX_MODELS - 1, 20), (1, 0)):
            row = heartbeat.row(index)
            row[TIME], row[CALL], row[BEGUN] = 5 * begun, CODES["take"], begun
        os._exit(0)
    os.waitpid(child, 0)
    calls = heartbeat.under_way(MAX_MODELS)
    assert [(c.index, c.call, c.time_ns, c.begun_ns) for c in calls] == [
        (MAX_MODELS - 1, "take", 100, 20),
        (0, "take", 150, 30),
    ]


def test_every_call_has_a_code_of_its_own() -> None:
    assert [CALLS[CODES[call]] for call in CALLS] == list(CALLS)
