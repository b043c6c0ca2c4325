"""The smart logger: one row per command instead of per sample (Machines 2026, 14(3), 273, section 3.5)."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TextIO

from hetwin_machines.link.link import exact
from hetwin_machines.link.messages import BOTH, Alarm, CycleResult, Entry

COLUMNS = (
    *("T", "id", "rotation", "displacement", "lap_real", "lap_virtual"),
    *("state", "lap1", "lap2", "D", "alarms"),
)


class Logger:
    """Records a row for each closed command.

    A row has the time ``T`` at which the command was sent to both robots [s], its id, rotation and displacement, the
    response times of the real and of the virtual robot (``lap_real``, ``lap_virtual``) [s], which robot was first
    (``state``), the same times in the order of the answers (``lap1``, ``lap2``), ``D`` [cycles], and its alarms, such
    as ``timeout:real``. `hetwin calibrate travel` reads this table. An alarm is in the row of its command if it was
    raised between sending and closing, and in `stray` otherwise.

    Args:
        period: period of the link's cycles [s].

    Attributes:
        rows: the recorded rows.
        stray: alarms that are not in a row.
    """

    def __init__(self, period: float) -> None:
        self._period = float(period)
        self._alarms: dict[int, list[Alarm]] = defaultdict(list)
        self.rows: list[dict[str, Any]] = []

    @property
    def stray(self) -> tuple[Alarm, ...]:
        """Alarms that are not in a row, in the order in which they were raised."""
        alarms = (alarm for alarms in self._alarms.values() for alarm in alarms)
        return tuple(sorted(alarms, key=lambda alarm: alarm.cycle))

    def record(self, turn: CycleResult) -> list[dict[str, Any]]:
        """Record the result of a cycle; return the new rows."""
        return self.add(turn.entries, turn.alarms)

    def add(self, entries: Iterable[Entry], alarms: Iterable[Alarm]) -> list[dict[str, Any]]:
        """Record entries and the alarms raised until they were closed; return the new rows."""
        for alarm in alarms:
            self._alarms[alarm.id].append(alarm)
        rows = [self._row(entry, self._alarms_of(entry)) for entry in entries]
        self.rows += rows
        return rows

    def write(self, file: TextIO) -> None:
        """Write the rows as CSV, sorted by the time at which the commands were sent."""
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(self.rows, key=lambda row: row["T"]))

    def _alarms_of(self, entry: Entry) -> list[Alarm]:
        """Remove and return the alarms of a command between its sending and its closing."""
        alarms = self._alarms.pop(entry.id, [])
        within = [alarm for alarm in alarms if entry.sent <= alarm.cycle <= entry.cycle]
        if len(within) < len(alarms):
            self._alarms[entry.id] = [alarm for alarm in alarms if alarm not in within]
        return within

    def _row(self, entry: Entry, alarms: Iterable[Alarm]) -> dict[str, Any]:
        texts = (f"{a.kind}:{a.side}" if a.side != BOTH else str(a.kind) for a in alarms)
        return {
            "T": float(entry.sent * exact(self._period)),
            "id": entry.id,
            "rotation": entry.rotation,
            "displacement": entry.displacement,
            "lap_real": entry.lap_real,
            "lap_virtual": entry.lap_virtual,
            "state": str(entry.state),
            "lap1": entry.lap1,
            "lap2": entry.lap2,
            "D": entry.D,
            "alarms": " ".join(texts),
        }
