"""What was found before the run, raised when its time comes: jumps, gaps, contradictions, what starts inside."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.concerns import FROM, SEVERITY, TO
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.watch import Finding, WatchLayout
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.view import View

MEASURES = {
    "starts_inside": "depth",
    "jump": "step",
    "gap": "duration",
    "contradiction": "size",
}
"""Name of a finding -> the argument that is its measure."""


class Findings:
    """Raises an event for each finding, at the first step that is not before it.

    Args:
        settings: a scale for each kind of finding.
        layout: holds the findings.
    """

    def __init__(self, settings: Settings, layout: WatchLayout) -> None:
        self._settings = settings
        self._waiting = sorted(layout.findings, key=lambda finding: finding.from_ns)

    def watch(self, view: View) -> list[Event]:
        """The findings whose time has come."""
        events: list[Event] = []
        while self._waiting and self._waiting[0].from_ns <= view.time_ns:
            events += self._events(self._waiting.pop(0))
        return events

    def _events(self, finding: Finding) -> list[Event]:
        key = MEASURES.get(finding.name)
        if key is None:
            return []
        measure = finding.arguments.get(key)
        size = abs(float(measure)) if isinstance(measure, int | float) else 0.0
        severity = getattr(self._settings, finding.name).severity(size)
        if severity is None:
            return []
        times = {FROM: finding.from_ns / 1e9, TO: finding.to_ns / 1e9}
        arguments = {SEVERITY: severity.value, **finding.arguments, **times}
        return [Event(finding.name, finding.from_ns, arguments=arguments)]
