"""DuckDB on the raw tables of a log, as somebody does who has a log and SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
from in_turn import Absent

from projection_peers.raw import GAP_STATES, TOUCHING_M, WRONG_M, WRONG_S, Raw


class DuckDbRaw:
    """Tables of poses, contacts and beliefs, each row as it is in the log."""

    def __init__(self, raw: Raw) -> None:
        try:
            import duckdb
        except ImportError as error:
            raise Absent(f"DuckDB is not installed: {error}") from error
        self._names = raw.names
        self._period = float(np.median(np.diff(raw.times)))
        self._database = duckdb.connect()
        names = np.array(raw.entities, object)
        near = raw.contacts
        count, entities = len(raw.times), len(raw.poses)
        poses = np.concatenate(list(raw.poses.values()))
        said, places = raw.believed
        self._store(
            "poses",
            entity=np.repeat(np.array([*raw.poses], object), count),
            time=np.tile(raw.times, entities),
            **{name: poses[:, i].copy() for i, name in enumerate("xyz")},
        )
        self._store(
            "contacts",
            time=near[:, 0].copy(),
            a=names[near[:, 1].astype(int)],
            b=names[near[:, 2].astype(int)],
            distance=near[:, 3].copy(),
        )
        self._store("beliefs", time=said, **{n: places[:, i].copy() for i, n in enumerate("xyz")})

    def _store(self, table: str, **columns: Any) -> None:
        self._database.register("batch", columns)
        self._database.execute(f"CREATE TABLE {table} AS SELECT * FROM batch")
        self._database.unregister("batch")

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""
        names = self._names
        if question == "at_end":
            sql = f"""SELECT DISTINCT c.a FROM contacts c
                      JOIN poses p ON p.time = c.time AND p.entity = c.a
                      JOIN poses q ON q.time = c.time AND q.entity = c.b
                      WHERE c.b = '{names.target}' AND c.distance <= {TOUCHING_M} AND p.z > q.z
                      AND c.time = (SELECT max(time) FROM poses)"""
            return [a for (a,) in self._rows(sql)]
        if question == "touched":
            return self._rows(self._touching(names.finger))
        if question == "picked":
            sql = f"""WITH fingers AS ({self._touching(names.finger)}),
                      supports AS ({self._touching(names.support)} UNION ALL {self._touching(names.target)})
                      SELECT s.until FROM supports s JOIN fingers f
                      ON f.begin < s.until AND s.until < f.until
                      WHERE s.until < (SELECT max(time) FROM poses) ORDER BY 1"""
            return [time for (time,) in self._rows(sql)]
        if question == "pose":
            sql = f"""SELECT x, y, z FROM poses WHERE entity = '{names.thing}' AND time <= {names.at}
                      ORDER BY time DESC LIMIT 1"""
            return self._rows(sql)[0]
        if question == "believed_wrongly":
            return self._rows(f"SELECT * FROM {self._wrongly()} WHERE until - begin > {WRONG_S}")
        if question == "always_high":
            sql = f"SELECT min(z) FROM poses WHERE entity = '{names.thing}'"
            return self._rows(sql)[0][0] > names.height
        return None

    def _touching(self, other: str) -> str:
        """Gaps and islands: the states of a contact that follow each other."""
        thing = self._names.thing
        hits = f"""SELECT DISTINCT time FROM contacts WHERE distance <= {TOUCHING_M}
                   AND ((a = '{thing}' AND b = '{other}') OR (a = '{other}' AND b = '{thing}'))"""
        return self._islands(hits, (GAP_STATES + 1.5) * self._period)

    def _wrongly(self) -> str:
        hits = f"""SELECT p.time FROM (SELECT * FROM poses WHERE entity = '{self._names.thing}') p
                   ASOF JOIN beliefs b ON p.time >= b.time
                   WHERE sqrt((p.x - b.x)**2 + (p.y - b.y)**2 + (p.z - b.z)**2) > {WRONG_M}"""
        return self._islands(hits, 1.5 * self._period)

    def _islands(self, hits: str, gap: float) -> str:
        return f"""(SELECT min(time) AS begin, max(time) + {self._period} AS until FROM (
                     SELECT time, sum(new) OVER (ORDER BY time) AS island FROM (
                       SELECT time, (coalesce(time - lag(time) OVER (ORDER BY time), 1e9) > {gap})::INT AS new
                       FROM ({hits})))
                   GROUP BY island ORDER BY begin)"""

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._database.execute(sql).fetchall()
        return found
