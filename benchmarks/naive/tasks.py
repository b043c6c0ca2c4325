"""The tasks of the robot's program, read off its messages and its action annotations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from naive.log import Log

ENDED = ("done", "failed", "cancelled")
OWN = ("task", "parent", "after", "goal", "status", "reason", "variables", "phase")
PHASES = {"begin": "active", "end": "done", "instant": "done"}


@dataclass
class Task:
    """A task: what was said of it, and when."""

    id: str
    operation: str = ""
    parent: str = ""
    goal: str = ""
    statuses: list[tuple[int, str]] = field(default_factory=list)
    settings: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    end_of_log: int = 0

    @property
    def begin(self) -> int:
        """When it was first active [ns]."""
        return next((t for t, s in self.statuses if s == "active"), self.statuses[0][0])

    @property
    def end(self) -> int:
        """When it ended; the end of the log if it has not."""
        time, status = self.statuses[-1]
        return time if status in ENDED else self.end_of_log

    def variable(self, name: str, time: int) -> Any:
        """The value of a variable at a time; None before it is set."""
        found = [said[name] for at, said in self.settings if at <= time and name in said]
        return found[-1] if found else None


def tasks_of(log: Log) -> dict[str, Task]:
    """Return the tasks that have an id of their own, by it."""
    found: dict[str, Task] = {}
    said = [(m["time"], 1, m) for m in log.tasks]
    said += [
        (e["time"], 0, e)
        for e in log.events
        if e["kind"] == "action" and e["arguments"].get("task")
    ]
    for time, _, message in sorted(said, key=lambda entry: entry[0]):
        if "arguments" in message:
            given = message["arguments"]
            if given.get("phase") == "announced":
                continue
            status = given.get("status") or PHASES[given.get("phase", "instant")]
            goal = given.get("goal") or ""
            fields = {
                "id": given["task"],
                "parent": given.get("parent"),
                "operation": message["name"],
                "goal": goal if isinstance(goal, str) and "(" in goal else "",
                "variables": {k: v for k, v in given.items() if k not in OWN}
                | (given.get("variables") or {}),
            }
        else:
            fields, status = message, message["status"]
        task = found.setdefault(fields["id"], Task(fields["id"], end_of_log=log.end))
        task.operation = fields["operation"] or task.operation
        task.parent = fields["parent"] or task.parent
        task.goal = fields["goal"] or task.goal
        if fields["variables"]:
            task.settings.append((time, fields["variables"]))
        if not task.statuses or task.statuses[-1][1] != status:
            task.statuses.append((time, status))
    return found
