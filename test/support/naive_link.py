"""The rules of the link once more, written apart from it: each command by itself, looked at from the end."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

Row = tuple[str, str, int, str]
"""time, from, id, message."""


def played(rows: list[Row], period: str, timeout: str) -> dict[str, list[Any]]:
    """Return entries, replies and alarms, each sorted, as tuples."""
    cycle_s = Fraction(period)
    most = math.floor(Fraction(timeout) / cycle_s)
    real_there = any(sender == "real" for _, sender, _, _ in rows)
    at = [(math.ceil(Fraction(t) / cycle_s), float(t), who, i, text) for t, who, i, text in rows]
    sent = {i: (cycle, text) for cycle, _, who, i, text in at if who == "l1"}
    heard: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    for cycle, _, who, i, text in sorted(at, key=lambda row: row[1]):
        if who != "l1":
            heard[i, who].append((cycle, text))
    entries, replies, alarms = [], [], []
    for i, who in heard:
        if i not in sent:
            alarms += [(cycle, "out_of_context", who, i) for cycle, _ in heard[i, who]]
    for i, (begin, text) in sent.items():
        end = begin + most
        valid = {}
        for who in ("real", "virtual"):
            fit = [(c, m) for c, m in heard[i, who] if begin <= c <= end]
            if fit:
                valid[who] = fit[0]
            odd = list(heard[i, who])
            if fit:
                odd.remove(fit[0])
            alarms += [(c, "out_of_context", who, i) for c, _ in odd]
        wanted = ("real", "virtual") if real_there else ("virtual",)
        lost = [who for who in wanted if who not in valid]
        closed = end + 1 if lost else max(valid[who][0] for who in wanted)
        alarms += [(closed, "timeout", who, i) for who in lost]
        up = "real" if real_there else "virtual"
        replies.append(
            (*valid[up][:1], i, valid[up][1]) if up in valid else (end + 1, i, "timeout")
        )
        if len(valid) == 2 and valid["real"][1] != valid["virtual"][1]:
            alarms.append((max(c for c, _ in valid.values()), "inconsistent", "both", i))
        when = {who: c for who, (c, _) in valid.items()}
        first = [who for who in when if when[who] == min(when.values())]
        state = {0: "NONE", 1: "BEHIND" if "real" in first else "AHEAD", 2: "SYNC"}[len(first)]
        waits = [
            c
            for c in range(begin, end + 1)
            if when.get("real", end + 1) <= c < when.get("virtual", end + 1)
        ]
        laps = [float((c - begin) * cycle_s) for c in sorted(when.values())]
        motion = text.split()[1:] if text.split()[0] == "1" else [None, None]
        rotation, way = (None if m is None else float(m) for m in motion)
        entries.append((i, closed, state, rotation, way, *[*laps, None, None][:2], len(waits)))
    return {"entries": sorted(entries), "replies": sorted(replies), "alarms": sorted(alarms)}
