"""Plots of what changed: poses of objects, joints, predicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Slot
from hetwin_core.ensemble.scene.values import Floats, Meaning
from hetwin_core.ensemble.state_words import predicate_stem
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Unseen
from hetwin_suite.view.figures import Axis, Bar, Chart, Panel, Plot, Rows, Tint, lines_over, over
from hetwin_suite.view.palette import AXES, SERIES, model_colours
from hetwin_suite.view.report.clearance import clearance
from hetwin_suite.view.report.followed import followed
from hetwin_suite.view.report.machines import machines_plot
from hetwin_suite.view.report.own_plots import own_plots
from hetwin_suite.view.report.story.events import is_handling
from hetwin_suite.view.report.story.joints import joint_slot
from hetwin_suite.view.report.story.things import travel

_MOVED = 1e-3
_MOST_OBJECTS = 6
_MOST_EVENTS = 40
_MOST_NEVER = 6
_UNSEEN = "#9aa0a6"
"""Colour of a bar where it is not known whether something holds."""
_PREDICATES = (Meaning.TRUTH, Meaning.ENTITY)


def plots(episode: Episode, unseen: Unseen | None) -> Iterator[Plot]:
    """All plots of an episode, the most important first.

    Args:
        episode: of the run.
        unseen: where it was not seen whether something holds; None if that cannot be said.
    """
    objects = [
        entity
        for entity in episode.layout.of_kind(EntityKind.OBJECT)
        if travel(episode, entity.name) > _MOVED
    ]
    objects.sort(key=lambda entity: -travel(episode, entity.name))
    machines = machines_plot(episode)
    if machines is not None:
        yield machines
    for entity in objects[:_MOST_OBJECTS]:
        yield _object_plot(episode, entity)
    yield from own_plots(episode)
    yield from followed(episode)
    predicates = _predicate_plot(episode, unseen)
    if predicates is not None:
        yield predicates
    for hand in episode.layout.of_kind(EntityKind.HAND):
        yield from _joint_plots(episode, hand, f"Fingers of {hand.name}")
    for robot in episode.layout.of_kind(EntityKind.ROBOT):
        yield from _joint_plots(episode, robot, f"Joints of {robot.name}")


def _object_plot(episode: Episode, entity: Entity) -> Plot:
    pose = episode.pose(entity.name)
    lines = list(
        lines_over(episode, dict(zip("xyz", pose.T, strict=False)), AXES, unit="m", decimals=4)
    )
    colours = model_colours(episode.models)
    main = {model.name for model in episode.models if model.main}
    tints = [
        Tint(span.from_ns / 1e9, span.to_ns / 1e9, colours.get(span.model, SERIES[0]))
        for span in episode.responsibilities.get((entity.name, "pose"), ())
        if span.model not in main
    ]
    panels = [Panel(lines, Axis("position [m]"), tints=tints)]
    height = clearance(episode, entity.name)
    text = "Position in the world."
    if height is not None:
        text = (
            "Position in the world, and the height of its lowest point above the surface under it."
        )
    if height is not None and np.isfinite(height).any():
        above = {"above what is under it": 1e3 * height}
        clear = lines_over(episode, above, SERIES[5:], unit="mm", decimals=1)
        panels = [
            replace(panels[0], share=0.62),
            Panel(list(clear), Axis("clear [mm]"), tints=tints, share=0.38),
        ]
    if tints:
        text += " Tinted while a model other than the main one was responsible for its pose."
    marks = _handled_at(episode, entity.name)
    return Plot(
        f"Where {entity.name} was", text, Chart(panels, over(episode), height=330, marks=marks)
    )


def _joint_plots(episode: Episode, entity: Entity, title: str) -> Iterator[Plot]:
    """Joint positions of a robot, or of a hand's fingers, which are joints of its robot."""
    robot = entity.owner if entity.kind is EntityKind.HAND else entity.name
    slot = joint_slot(episode, robot)
    if slot is None or not entity.joints:
        return
    names = episode.layout.entity(robot).joints
    values = episode.attribute(robot, slot.attribute.name)
    own = {name: values[:, names.index(name)] for name in entity.joints if name in names}
    lines = list(lines_over(episode, own, SERIES, decimals=4))
    if lines:
        panel = Panel(lines, Axis(slot.attribute.unit or "rad or m"))
        yield Plot(
            title,
            "Joint positions.",
            Chart([panel], over(episode), height=230, marks=_handled_at(episode, None)),
        )


def _predicate_plot(episode: Episode, unseen: Unseen | None) -> Plot | None:
    """Predicates as bars where they hold; where they name an entity, with its name."""
    bars: list[Bar] = []
    names: list[str] = []
    for slot in episode.layout.slots:
        if slot.attribute.meaning not in _PREDICATES or slot.attribute.size != 1:
            continue
        partner = slot.attribute.meaning is Meaning.ENTITY
        name = predicate_stem(slot.attribute.name, slot.entity, partner=partner)
        names.append(name)
        for start, end, value in stretches(episode.times, episode.values[:, slot.offset]):
            words = _partner(episode, slot, value)
            if words is not None:
                title = f"{name} {words}".strip()
                bars.append(Bar(name, start / 1e9, end / 1e9, SERIES[2], words, title))
        for start, end in _unseen(episode, slot, unseen):
            title = f"{name}: not known"
            bars.append(Bar(name, start / 1e9, end / 1e9, _UNSEEN, "not known", title))
    if not names:
        return None
    held = {bar.row for bar in bars}
    rows = [name for name in dict.fromkeys(names) if name in held]
    text = _never([name for name in dict.fromkeys(names) if name not in held])
    marks = _handled_at(episode, None)
    return Plot("What held", text, Rows(rows, bars, over(episode), marks=marks))


def _never(names: list[str]) -> str:
    if not names:
        return "A bar where it holds, with the name of what it is about; a grey one where that is not known."
    return f"A bar where it holds, a grey one where that is not known. Never: {some(names, _MOST_NEVER)}."


def _unseen(episode: Episode, slot: Slot, unseen: Unseen | None) -> Iterable[tuple[int, int]]:
    """Where a predicate does not hold as far as models know, and nobody saw whether it does."""
    if unseen is None:
        return ()
    blind = unseen.of(slot.attribute.name, {slot.entity}, None)
    holds = [
        (start, end)
        for start, end, value in stretches(episode.times, episode.values[:, slot.offset])
        if _partner(episode, slot, value) is not None
    ]
    stretch = Intervals(one.span for one in blind) - Intervals(holds)
    return stretch.within(Interval(episode.start_ns, episode.end_ns))


def _partner(episode: Episode, slot: Slot, value: float) -> str | None:
    """What to write on a bar; None for no bar."""
    if slot.attribute.meaning is Meaning.TRUTH:
        return "" if value > 0.5 else None
    index = int(value) if np.isfinite(value) else -1
    entities = episode.layout.entities
    return entities[index].name if 0 <= index < len(entities) else None


def stretches(times: NDArray[np.int64], values: Floats) -> list[tuple[int, int, float]]:
    """Cut a series of values into stretches of the same value.

    Args:
        times: (n,) in ns.
        values: (n,) each holds until the next time.

    Returns:
        From, to (in ns) and value of each stretch.
    """
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    begins = [0, *changes.tolist()]
    ends = [*changes.tolist(), len(values) - 1]
    return [
        (int(times[begin]), int(times[end]), float(values[begin]))
        for begin, end in zip(begins, ends, strict=True)
    ]


def _handled_at(episode: Episode, thing: str | None) -> list[float]:
    """When a thing, or anything, was handled [s]."""
    times = [
        event.time_ns / 1e9
        for event in episode.events
        if is_handling(event) and thing in (None, event.arguments.get("object"))
    ]
    return times[:_MOST_EVENTS]
