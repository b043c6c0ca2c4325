"""hetwin: expressions on the tables, and SQL on the same tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.tables.open import open_tables
from hetwin_sql.database import query
from projection_peers.raw import Raw


class Hetwin:
    """Expressions."""

    def __init__(self, raw: Raw) -> None:
        self._names = raw.names
        self._tables = open_tables(raw.run)

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""
        names, asked = self._names, AskedTables(self._tables)
        thing = json.dumps(names.thing)
        if question == "at_end":
            answer = asked.ask(f'holds(on(any, "{names.target}"), at(end))')
            return [binding["a"] for binding in answer.bindings]
        if question == "touched":
            text = f'holds(contact({thing}, "{names.finger}"), during(start, end))'
            return [(part.from_ns / 1e9, part.to_ns / 1e9) for part in asked.ask(text).intervals]
        if question == "picked":
            return [event["time"] for event in asked.ask(f"occurs(pick_up({thing}))").value]
        if question == "pose":
            return asked.ask(f"value(loc({thing}), at({names.at}))").value
        if question == "believed_wrongly":
            answer = asked.ask(f"incorrect_belief(loc({thing}), any)")
            return [(part.from_ns / 1e9, part.to_ns / 1e9) for part in answer.intervals]
        if question == "always_high":
            text = f"holds(height({thing}) > {names.height}, throughout(start, end))"
            return asked.ask(text).value
        if not names.fallen:
            return None
        causes = asked.ask(f'causes(occurs(fell("{names.fallen}"))[0])').value
        return [json.dumps(cause) for cause in causes]


class HetwinSql:
    """SQL, by files that `hetwin show --out FOLDER` has written."""

    def __init__(self, raw: Raw, folder: Path) -> None:
        from hetwin_sql.parquet import write_tables

        self._names, self._folder = raw.names, folder
        write_tables(raw.run, folder)

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""
        names = self._names
        if question == "at_end":
            sql = f"""SELECT a FROM occasions, episodes WHERE fluent = 'on' AND b = '{names.target}'
                      AND "to" >= known_until"""
            return [a for (a,) in self._rows(sql)]
        if question == "touched":
            return self._rows(
                f"""SELECT "from", "to" FROM occasions WHERE fluent = 'contact'
                    AND '{names.thing}' IN (a, b) AND '{names.finger}' IN (a, b) ORDER BY "from" """
            )
        if question == "picked":
            sql = f"""SELECT time FROM events WHERE name = 'pick_up'
                      AND arguments->>'object' = '{names.thing}' ORDER BY time"""
            return [time for (time,) in self._rows(sql)]
        if question == "pose":
            sql = f"""SELECT x, y, z FROM poses WHERE entity = '{names.thing}'
                      AND "from" <= {names.at} AND {names.at} < "to" """
            return self._rows(sql)[0]
        if question == "believed_wrongly":
            sql = f"""SELECT "from", "to" FROM belief_errors WHERE fluent = 'loc'
                      AND a = '{names.thing}' ORDER BY "from" """
            return self._rows(sql)
        if question == "always_high":
            sql = f"SELECT min(z) FROM poses WHERE entity = '{names.thing}'"
            return self._rows(sql)[0][0] > names.height
        return None

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return list(query(self._folder, sql).rows)
