"""The findings in a log, from which its tables are made; those of a complete log are cached beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from hetwin_core.ensemble.limits import parse_json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.episodes.following.log_file import Place
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.belief_errors import ErrorList, PoseError
from hetwin_core.episodes.tables.deriving.derivation import Derivation
from hetwin_core.episodes.tables.lists import (
    BeliefColumns,
    BeliefList,
    Claim,
    EventList,
    OccasionList,
    Stretch,
)
from hetwin_core.episodes.tables.poses import LogPoses, Piece, Timeline
from hetwin_core.episodes.tables.rows import Happening, Interval, Status, Task
from hetwin_core.episodes.tables.tables import Tables, Unseen


@dataclass(frozen=True)
class DerivedTables:
    """Findings in a log.

    Attributes:
        until_ns: time up to which it is known.
        finished: whether the log is complete.
        stretches: occasions.
        of_fluent: numbers of each fluent's occasions.
        happenings: events.
        tasks: tasks of the robot's program.
        beliefs: returns the beliefs of the robot, which are concatenated on demand.
        believed: the pairs of fluent and entity in the beliefs.
        pose_errors: entity -> errors of believed poses.
        recorded: the fluents about the world that the log records.
        timeline: times of all states.
        pieces: chunks with states.
        expects: expectations of the scenario.
        unknown_contacts: see `Derivation`.
    """

    until_ns: int
    finished: bool
    stretches: Sequence[Stretch]
    of_fluent: Mapping[str, Sequence[int]]
    happenings: Sequence[Happening]
    tasks: Sequence[Task]
    beliefs: Callable[[], BeliefColumns]
    believed: frozenset[tuple[str, str]]
    pose_errors: Mapping[str, Sequence[PoseError]]
    recorded: frozenset[str]
    timeline: Timeline
    pieces: Sequence[Piece]
    expects: Mapping[str, tuple[str, ...]]
    unknown_contacts: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(
        cls, derivation: Derivation, until_ns: int, finished: bool, given: Mapping[str, Any]
    ) -> DerivedTables:
        """Return the findings so far.

        Args:
            derivation: derivation of the log or the run.
            until_ns: time up to which it is known.
            finished: whether the log is complete.
            given: see `run_inputs`.
        """
        return cls(
            until_ns=until_ns,
            finished=finished,
            stretches=derivation.book.stretches,
            of_fluent=derivation.book.of_fluent,
            happenings=derivation.book.happenings,
            tasks=derivation.tasks.tasks(until_ns),
            beliefs=derivation.beliefs.columns,
            believed=derivation.beliefs.about,
            pose_errors=derivation.errors.found,
            recorded=derivation.recorded,
            timeline=derivation.timeline,
            pieces=derivation.pieces,
            expects=_expects_of(given),
            unknown_contacts=derivation.unknown_contacts,
        )

    def tables(
        self,
        run: Path,
        states_at: Callable[[Place], States],
        layout: Layout,
        models: tuple[str, ...],
    ) -> Tables:
        """Make the tables.

        Args:
            run: folder of the run.
            states_at: returns the states of a chunk.
            layout: layout of the scene.
            models: names of the models.
        """
        beliefs = BeliefList(self.beliefs, self.until_ns)
        occasions = OccasionList(self.stretches, self.of_fluent, self.until_ns)
        events = EventList(self.happenings, self.until_ns)
        known = Interval(self.timeline.time(0), self.until_ns + 1)
        unseen = Unseen(layout, events, known, self.unknown_contacts)
        errors = ErrorList(
            beliefs, occasions, self.recorded, self.pose_errors, self.until_ns, unseen
        )
        return Tables(
            episode=run.resolve().name,
            layout=layout,
            start_ns=self.timeline.time(0),
            known_until_ns=self.until_ns,
            finished=self.finished,
            occasions=occasions,
            events=events,
            tasks=self.tasks,
            beliefs=beliefs,
            belief_errors=errors,
            recorded=self.recorded,
            believed=self.believed,
            poses=LogPoses(states_at, self.pieces, self.timeline, layout, models),
            expects=self.expects,
            unseen=unseen,
        )


def _expects_of(given: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """The scenario's expectations of operations; empty for logs without them."""
    found = (given.get("scenario") or {}).get("expects") or {}
    return {operation: tuple(events) for operation, events in found.items()}


FOLDER = "tables"
"""Folder of the cache in a run's folder."""
_FILE = "found.npz"
_OPEN = -1
"""End of spans that have not ended."""


def read_cached_tables(run: Path, log: Path) -> DerivedTables | None:
    """Read the cached findings of a log; None if there are none, or they belong to another log or program.

    Args:
        run: folder of the run.
        log: file of its log.
    """
    path = run / FOLDER / _FILE
    # A file that is damaged, or from another program, can cause any exception.
    with suppress(Exception), ZipFile(path) as parts, np.load(path, allow_pickle=False) as columns:
        if any(part.compress_type != ZIP_STORED for part in parts.infolist()):
            return None  # `cache_tables` never compresses
        facts = parse_json(columns["facts"].tobytes())
        if facts["key"] == _key(log):
            return _found(facts, columns)
    return None


def cache_tables(run: Path, log: Path, found: DerivedTables) -> bool:
    """Cache the findings of a complete log; return false if the folder cannot be written to."""
    folder = run / FOLDER
    temporary = folder / f".{_FILE}.{os.getpid()}.tmp"
    try:
        folder.mkdir(exist_ok=True)
        try:
            with temporary.open("wb") as file:
                np.savez(file, allow_pickle=False, **_columns(found, _key(log)))
            temporary.replace(folder / _FILE)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError:
        return False
    return True


@cache
def _program() -> str:
    """Digest of the code that derives the findings."""
    digest = blake2b(digest_size=16)
    folder_of_code = Path(__file__).parent
    for path in sorted(
        [*folder_of_code.rglob("*.py"), *(folder_of_code.parent / "following").glob("*.py")]
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(log: Path) -> list[Any]:
    known = log.stat()
    return [_program(), known.st_size, known.st_mtime_ns]


def _columns(found: DerivedTables, key: list[Any]) -> dict[str, Any]:
    beliefs = found.beliefs()
    facts = {
        "key": key,
        "until": found.until_ns,
        "recorded": sorted(found.recorded),
        "expects": found.expects,
        "unclear": sorted(found.unknown_contacts),
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


def _found(facts: Mapping[str, Any], columns: Mapping[str, Any]) -> DerivedTables:
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
    return DerivedTables(
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
        unknown_contacts=frozenset((a, b) for a, b in facts["unclear"]),
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
            "settings": tuple((time_ns, values) for time_ns, values in row["settings"]),
        }
    )
