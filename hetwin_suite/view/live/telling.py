"""What has happened in a run, as pages are told it."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.annotations import phase_of
from hetwin_core.ensemble.conductor.reporting.concerns import NewConcerns, is_concern
from hetwin_core.ensemble.conductor.reporting.listener import Handover, RunStart
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.words import event_line, subject
from hetwin_suite.view.live.feed import Begun, Happening, HappeningKind


def begun_of(start: RunStart, not_held: str = "") -> Begun:
    """What a page is told of a run that begins; `not_held` as there."""
    return Begun(
        start.scenario, start.layout, start.models, dict(start.able), start.duration_ns, not_held
    )


class Teller:
    """Makes happenings of what a run reports; of a concern only that it begins or is worse than known."""

    def __init__(self) -> None:
        self._concerns = NewConcerns()

    def event(self, event: Event) -> Happening | None:
        """An event; None if there is nothing to say of it."""
        if is_concern(event) and not self._concerns.is_new(event):
            return None
        text = event_line(event)
        if not text:
            return None
        kind, more = HappeningKind.EVENT, {"source": event.source}
        if event.kind is EventKind.ACTION:
            kind, more = HappeningKind.ACTION, {"phase": phase_of(event) or ""}
        about = subject(event) or _text(event.arguments, "entity")
        return Happening(event.time_ns, kind, event.name, text, about, more, event)

    def handover(self, handover: Handover) -> Happening:
        """A responsibility that has moved."""
        what = f"{handover.entity}.{handover.attribute}"
        text = f"{what}: {handover.from_model} → {handover.to_model} ({handover.cause})"
        more = {"from": handover.from_model, "to": handover.to_model, "cause": handover.cause}
        kind = HappeningKind.HANDOVER
        return Happening(handover.time_ns, kind, what, text, handover.entity, more, handover)

    def note(self, time_ns: int, level: str, source: str, text: str) -> Happening | None:
        """A warning or an error; None if it is neither."""
        if level == "info":
            return None
        more = {"source": source}
        return Happening(
            time_ns, HappeningKind.NOTE, level, f"{level}: {source}: {text}", more=more
        )


def _text(arguments: Mapping[str, object], key: str) -> str:
    found = arguments.get(key)
    return found if isinstance(found, str) else ""
