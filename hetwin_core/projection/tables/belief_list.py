"""Beliefs in columns, for there may be hundreds of thousands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.beliefs import PERCEPT
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.projection.tables.rows import Belief, Interval

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class BeliefColumns:
    """What the messages said, in the order of the log; n is their number.

    Attributes:
        words: texts that the columns name by number.
        fluents: (n,) the fluent.
        a: (n,) the entity.
        b: (n,) the other one.
        holds: (n,) whether it holds.
        poses: (n, 7) in the world; NaN where it is none.
        times: (n,) when the belief was formed [ns].
        origins: (n,) where it came from.
        confidences: (n,) of a percept.
    """

    words: tuple[str, ...]
    fluents: Numbers
    a: Numbers
    b: Numbers
    holds: NDArray[np.bool_]
    poses: Floats
    times: Numbers
    origins: Numbers
    confidences: Floats


class BeliefList:
    """What the robot believed, each belief until the next one about the same.

    Percepts are kept apart from other beliefs about the same: they do not replace each other, and where there are
    others, a percept is a belief for no time.

    Args:
        columns: all that were found.
        until_ns: later ones are left out.
    """

    def __init__(self, columns: BeliefColumns, until_ns: int) -> None:
        self._columns = columns
        self._number = {word: i for i, word in enumerate(columns.words)}
        self._rows = np.flatnonzero(columns.times <= until_ns)
        self._to = np.full(len(columns.times), until_ns, np.int64)
        self._chains: dict[tuple[int, int, int, bool], Numbers] = {}
        self._chain()

    @property
    def columns(self) -> BeliefColumns:
        """All columns, those left out included."""
        return self._columns

    @property
    def ends(self) -> Numbers:
        """(n,) until when each belief was held [ns]."""
        return self._to

    @property
    def about(self) -> frozenset[tuple[str, str]]:
        """The pairs of a fluent and an entity that there are beliefs about."""
        words = self._columns.words
        return frozenset((words[fluent], words[a]) for fluent, a, _, _ in self._chains)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Belief]:
        return (self[int(row)] for row in self._rows)

    def __getitem__(self, row: int) -> Belief:
        c = self._columns
        pose = c.poses[row].tolist()
        return Belief(
            row=row,
            fluent=c.words[c.fluents[row]],
            a=c.words[c.a[row]],
            b=c.words[c.b[row]],
            holds=bool(c.holds[row]),
            pose=tuple(pose) if pose[0] == pose[0] else None,
            span=Interval(int(c.times[row]), int(self._to[row])),
            origin=c.words[c.origins[row]],
        )

    def find(
        self,
        fluent: str,
        a: str | None = None,
        b: str | None = None,
        during: Interval | None = None,
    ) -> list[Belief]:
        """Return the rows of a fluent that overlap an interval, by begin; None stands for any.

        A belief that was held for no time overlaps an interval that its instant lies in.
        """
        found = [
            self._overlapping(rows, during)
            for key, rows in self._chains.items()
            if self._is(key[0], fluent) and self._is(key[1], a) and self._is(key[2], b)
        ]
        rows = np.concatenate([np.empty(0, np.int64), *found])
        order = np.lexsort((rows, self._columns.times[rows]))
        return [self[int(row)] for row in rows[order]]

    def chains(self) -> Iterator[tuple[str, str, str, Numbers]]:
        """Iterate over fluent, a, b and the rows about them by time; without percepts where there are others."""
        words = self._columns.words
        for (fluent, a, b, percept), rows in self._chains.items():
            if not (percept and (fluent, a, b, False) in self._chains):
                yield words[fluent], words[a], words[b], rows

    def _is(self, word: int, wanted: str | None) -> bool:
        return wanted is None or self._number.get(wanted, -1) == word

    def _overlapping(self, rows: Numbers, during: Interval | None) -> Numbers:
        if during is None:
            return rows
        begins, ends = self._columns.times[rows], self._to[rows]
        last = max(during.to_ns, during.from_ns + 1)
        inside = (begins < last) & ((ends > during.from_ns) | (begins >= during.from_ns))
        return rows[inside]

    def _chain(self) -> None:
        c, rows = self._columns, self._rows
        if not len(rows):
            return
        percept = c.origins[rows] == self._number.get(PERCEPT, -1)
        table = np.stack((c.fluents[rows], c.a[rows], c.b[rows], percept.astype(np.int64)))
        order = np.lexsort((rows, c.times[rows], *table[::-1]))
        table, rows = table[:, order], rows[order]
        cuts = np.flatnonzero((np.diff(table, axis=1) != 0).any(axis=0)) + 1
        for part, key in zip(
            np.split(rows, cuts), table[:, [0, *cuts.tolist()]].T.tolist(), strict=True
        ):
            self._chains[key[0], key[1], key[2], bool(key[3])] = part
            self._to[part[:-1]] = c.times[part[1:]]
        for (fluent, a, b, is_percept), part in self._chains.items():
            if is_percept and (fluent, a, b, False) in self._chains:
                self._to[part] = c.times[part]
