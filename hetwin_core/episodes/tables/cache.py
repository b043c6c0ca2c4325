"""Keeps what was found in a complete log beside it, to be read again as long as log and program are the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.episodes.following.log_file import Place
from hetwin_core.episodes.tables.belief_list import BeliefColumns, Claim
from hetwin_core.episodes.tables.deriving.pose_errors import PoseError
from hetwin_core.episodes.tables.found import Found
from hetwin_core.episodes.tables.occasion_list import Stretch
from hetwin_core.episodes.tables.poses import Piece
from hetwin_core.episodes.tables.rows import Happening, Interval, Status, Task
from hetwin_core.episodes.tables.timeline import Timeline

FOLDER = "tables"
"""In the folder of a run."""
_FILE = "found.npz"
_OPEN = -1
"""End of what has not ended."""


def read_found(run: Path, log: Path) -> Found | None:
    """Read what was found in a log; None if it was not kept, or is of another log or program.

    Args:
        run: folder of the run.
        log: file of its log.
    """
    path = run / FOLDER / _FILE
    # A file that was damaged, or is another program's, can fail in any way.
    with suppress(Exception), np.load(path, allow_pickle=False) as columns:
        facts = json.loads(columns["facts"].tobytes())
        if facts["key"] == _key(log):
            return _found(facts, columns)
    return None


def keep_found(run: Path, log: Path, found: Found) -> bool:
    """Keep what was found in a complete log; returns whether the folder can be written to."""
    folder = run / FOLDER
    part = folder / f".{_FILE}.{os.getpid()}.tmp"
    try:
        folder.mkdir(exist_ok=True)
        try:
            with part.open("wb") as file:
                np.savez(file, allow_pickle=False, **_columns(found, _key(log)))
            part.replace(folder / _FILE)
        finally:
            part.unlink(missing_ok=True)
    except OSError:
        return False
    return True


@cache
def _program() -> str:
    """Digest of the code that finds things in logs."""
    digest = blake2b(digest_size=16)
    here = Path(__file__).parent
    for path in sorted([*here.rglob("*.py"), *(here.parent / "following").glob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(log: Path) -> list[Any]:
    known = log.stat()
    return [_program(), known.st_size, known.st_mtime_ns]


def _columns(found: Found, key: list[Any]) -> dict[str, Any]:
    beliefs = found.beliefs()
    facts = {
        "key": key,
        "until": found.until_ns,
        "recorded": sorted(found.recorded),
        "expects": found.expects,
        "unclear": sorted(found.unclear),
        "happenings": [astuple(event) for event in found.happenings],
        "tasks": [asdict(task) for task in found.tasks],
        "claims": beliefs.claims,
        "errors": [
            [entity, [astuple(error) for error in errors]]
            for entity, errors in found.pose_errors.items()
        ],
        "stretches": [(s.fluent, s.a, s.b) for s in found.stretches],
    }
    spans = [(s.from_ns, _OPEN if s.to_ns is None else s.to_ns) for s in found.stretches]
    pieces = [(piece.first, *piece.place) for piece in found.pieces]
    return {
        "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8),
        "spans": np.array(spans, np.int64).reshape(-1, 2),
        "pieces": np.array(pieces, np.int64).reshape(-1, 3),
        "times": found.timeline.times,
        "belief_kinds": beliefs.kinds.astype(np.int32),
        "belief_times": beliefs.times,
        "belief_poses": beliefs.poses,
        "belief_confidences": beliefs.confidences.astype(np.float32),
    }


def _found(facts: Mapping[str, Any], columns: Mapping[str, Any]) -> Found:
    timeline = Timeline()
    timeline.add(columns["times"])
    of_fluent: dict[str, list[int]] = {}
    for row, (fluent, *_) in enumerate(facts["stretches"]):
        of_fluent.setdefault(fluent, []).append(row)
    beliefs = BeliefColumns(
        tuple(Claim(*row) for row in facts["claims"]),
        columns["belief_kinds"].astype(np.int64),
        columns["belief_times"],
        columns["belief_poses"],
        columns["belief_confidences"].astype(np.float64),
    )
    return Found(
        until_ns=facts["until"],
        finished=True,
        stretches=list(_stretches(facts["stretches"], columns["spans"].tolist())),
        of_fluent=of_fluent,
        happenings=[Happening(*row) for row in facts["happenings"]],
        tasks=tuple(map(_task, facts["tasks"])),
        beliefs=lambda: beliefs,
        believed=frozenset((claim.fluent, claim.a) for claim in beliefs.claims),
        pose_errors={entity: [PoseError(*row) for row in rows] for entity, rows in facts["errors"]},
        recorded=frozenset(facts["recorded"]),
        timeline=timeline,
        pieces=[Piece(first, Place(*place)) for first, *place in columns["pieces"].tolist()],
        expects={name: tuple(rows) for name, rows in facts["expects"].items()},
        unclear=frozenset((a, b) for a, b in facts["unclear"]),
    )


def _stretches(
    names: Sequence[tuple[str, str, str]], spans: Sequence[tuple[int, int]]
) -> Iterator[Stretch]:
    for (fluent, a, b), (from_ns, to_ns) in zip(names, spans, strict=True):
        yield Stretch(fluent, a, b, from_ns, None if to_ns == _OPEN else to_ns)


def _task(row: Mapping[str, Any]) -> Task:
    history = tuple((time_ns, Status(status)) for time_ns, status in row["history"])
    return Task(
        **{
            **row,
            "after": tuple(row["after"]),
            "status": Status(row["status"]),
            "span": Interval(*row["span"]),
            "history": history,
            "settings": tuple((time_ns, said) for time_ns, said in row["settings"]),
        }
    )
