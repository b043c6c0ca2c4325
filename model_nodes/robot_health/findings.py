"""What was found before the run, raised when its time comes: gaps, what was mended, what starts inside ..."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.concerns import FROM, SEVERITY, TO, Severity
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.watch import Finding, WatchLayout
from model_nodes.robot_health.link_pairs import LinkPairs
from model_nodes.robot_health.settings import Scale, Settings
from model_nodes.robot_health.view import View

STARTS_INSIDE = "starts_inside"


class Findings:
    """Raises an event for each finding, at the first step that is not before it.

    An object that is held at the start may be inside the fingers that hold it.

    Args:
        settings: a scale for each kind of finding.
        pairs: knows the links and partners that have another scale.
        layout: holds the findings.
    """

    def __init__(self, settings: Settings, pairs: LinkPairs, layout: WatchLayout) -> None:
        self._pairs, self._layout = pairs, layout
        self._measures = {
            STARTS_INSIDE: ("depth", settings.starts_inside),
            "jump": ("step", settings.jump),
            "gap": ("duration", settings.gap),
            "contradiction": ("size", settings.contradiction),
            "mended": ("count", settings.mended),
            "left_out": ("share", settings.left_out),
            "breaks_off": ("share", settings.breaks_off),
            "other_units": ("factor", settings.other_units),
            "clock_offset": ("offset", settings.clock_offset),
        }
        known = [finding for finding in layout.findings if finding.name in self._measures]
        self._waiting = sorted(known, key=lambda finding: finding.from_ns)

    def watch(self, view: View) -> list[Event]:
        """The findings whose time has come."""
        events: list[Event] = []
        while self._waiting and self._waiting[0].from_ns <= view.time_ns:
            finding = self._waiting.pop(0)
            severity = self._severity(finding, view)
            if severity is not None:
                times = {FROM: finding.from_ns / 1e9, TO: finding.to_ns / 1e9}
                known = {**finding.arguments, **times}
                if isinstance(joint := known.get("joint"), str):
                    known["unit"] = self._layout.unit(joint)
                arguments = {SEVERITY: severity.value, **known}
                events.append(Event(finding.name, finding.from_ns, arguments=arguments))
        return events

    def _severity(self, finding: Finding, view: View) -> Severity | None:
        key, scale = self._measures[finding.name]
        chosen = scale if finding.name != STARTS_INSIDE else self._inside(finding, scale, view)
        measure = finding.arguments.get(key)
        if chosen is None or not isinstance(measure, int | float):
            return None
        return chosen.severity(abs(measure))

    def _inside(self, finding: Finding, scale: Scale, view: View) -> Scale | None:
        """The scale of a link or an object that starts inside something; None if that is to be so."""
        if finding.arguments.get("object") in view.held:
            return None
        link, partner = finding.arguments.get("link"), str(finding.arguments.get("partner"))
        if link is None:
            return self._pairs.object_scale(partner, scale)
        return self._pairs.scale(str(link), partner, scale)
