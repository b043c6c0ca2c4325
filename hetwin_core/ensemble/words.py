"""Events in the words that a person would use."""

from __future__ import annotations

from hetwin_core.ensemble.events import Event, EventKind


def event_in_words(event: Event) -> str:
    """One line about an event, e.g. ``box picked up by gripper from table``; empty for topics' values."""
    arguments = event.arguments
    if event.kind is EventKind.TOPIC:
        return ""
    if event.kind is EventKind.ACTION:
        phase = arguments.get("phase", "instant")
        rest = _rest(event, ("phase",))
        return f"robot: {event.name}{'' if phase == 'instant' else f' {phase}s'}{rest}"
    name = event.name.replace("_", " ")
    if "object" not in arguments:
        return f"{name}{_rest(event, ())}"
    text = f"{arguments['object']} {name}"
    hand, support = arguments.get("hand"), arguments.get("support")
    if hand:
        text += f" by {hand}"
    if support:
        text += f" {'from' if event.name == 'picked_up' else 'on'} {support}"
    return text


def _rest(event: Event, without: tuple[str, ...]) -> str:
    left = {k: v for k, v in event.arguments.items() if k not in without}
    return f" ({', '.join(f'{k} {v}' for k, v in left.items())})" if left else ""
