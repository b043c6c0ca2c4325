"""The smallest change with which a run would have succeeded, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hetwin_suite.model import POSE, EntityKind, Floats
from hetwin_suite.study import Draw, Probability, RunResult, Uncertainty, Values
from hetwin_suite.tables import Interval, Tables

_ASIDE = 0.4
"""A component of a shift below this share of the larger one is left out of the text."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one position or number.

    Attributes:
        entity: entity that is moved, or whose mass, friction or bounce changes; empty for a parameter of a model.
        shift: x y z in the world [m]; zeros if a number changes.
        parameter: name of the number, e.g. ``in_hand.noise`` or ``ball.mass``; empty for a shift.
        before: value of the number in the run; None if unknown.
        after: changed value.
    """

    entity: str
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    parameter: str = ""
    before: float | None = None
    after: float | None = None

    @property
    def size(self) -> float:
        """Length of the shift [m]; 0 for a number."""
        return float(np.linalg.norm(self.shift))


class Place(NamedTuple):
    """The pose of an entity at the moment, and of everything that is moved with it.

    Attributes:
        entity: name of the entity.
        poses: entity -> (7,) pose in the world; the entity first.
    """

    entity: str
    poses: Mapping[str, Floats]


def with_change(
    change: Change, places: Sequence[Place], uncertainty: Uncertainty, seed: int, index: int
) -> Draw:
    """Draw the uncertain values, and apply a change.

    Args:
        change: the change; a changed number replaces its drawn value.
        places: poses of everything that can be moved.
        uncertainty: the values that are drawn.
        seed: seed of the draws.
        index: index of the draw.
    """
    if change.parameter:
        return _fixed(uncertainty, change).draw(seed, index)
    draw = uncertainty.draw(seed, index)
    poses = next(place.poses for place in places if place.entity == change.entity)
    scene = {**draw.scene}
    for entity, pose in poses.items():
        drawn = np.array(scene.get(entity, {"pose": pose})["pose"], np.float64)
        drawn[:3] += change.shift
        scene[entity] = {**scene.get(entity, {}), "pose": drawn.tolist()}
    return replace(draw, scene=scene)


def _fixed(uncertainty: Uncertainty, change: Change) -> Uncertainty:
    only = Values(values=[change.after])
    return replace(
        uncertainty,
        varied=tuple(
            item._replace(spread=only) if item.name == change.parameter else item
            for item in uncertainty.varied
        ),
        physical=tuple(
            item._replace(spread=only) if item.name == change.parameter else item
            for item in uncertainty.physical
        ),
    )


def change_words(change: Change, ahead: Floats) -> str:
    """Return the text of a change, e.g. ``the bin 24 mm nearer``.

    Args:
        change: the change.
        ahead: (2,) viewing direction of the robot, a unit vector in the world.
    """
    if change.parameter:
        before = "" if change.before is None else f" instead of {change.before:.4g}"
        return f"{change.parameter} {change.after:.4g}{before}"
    return f"the {change.entity} {_shift_words(np.array(change.shift), ahead)}"


def _shift_words(shift: Floats, ahead: Floats) -> str:
    parts = [
        (-float(shift[:2] @ ahead), "nearer", "farther"),
        (float(shift[1] * ahead[0] - shift[0] * ahead[1]), "to the left", "to the right"),
        (float(shift[2]), "higher", "lower"),
    ]
    largest = max(abs(amount) for amount, _, _ in parts)
    texts = [
        f"{abs(amount) * 1000:.0f} mm {up if amount > 0.0 else down}"
        for amount, up, down in sorted(parts, key=lambda part: -abs(part[0]))
        if abs(amount) > _ASIDE * largest
    ]
    return " and ".join(texts)


AHEAD_S = 0.1
"""Time by which futures start before the event that they are about [s]."""
FAR_M = 0.45
"""An entity whose origin stays farther than this from the origins of all moving entities cannot matter [m]."""


def begin_of(entities: Iterable[str], tables: Tables) -> float:
    """Return the last moment in s that does not depend on the poses of these entities yet.

    For static entities this is shortly before the first contact with them, or before the robot last releases an object;
    for movable entities it is the start.

    Args:
        entities: the entity that is moved, and the ones moved with it.
        tables: tables of the run.
    """
    names = {*entities}
    layout = tables.layout
    if any(layout.entity(name).kind is not EntityKind.STATIC for name in names):
        return 0.0
    touched = [
        event.time_ns
        for event in tables.events
        if event.name == "collision"
        and event.time_ns > 0
        and names & {*map(str, event.arguments.values())}
    ]
    let_go = [item.span.to_ns for item in tables.occasions.find("held") if item.ended]
    moments = [min(touched)] if touched else []
    moments += [max(let_go)] if let_go else []
    return max(min(moments) / 1e9 - AHEAD_S, 0.0) if moments else 0.0


def comes_near(entity: str, tables: Tables, reach: float) -> bool:
    """Return whether a moving entity comes close enough to a static one for a shift to matter.

    Args:
        entity: the static entity.
        tables: tables of the run.
        reach: largest possible shift [m].
    """
    layout = tables.layout
    at = tables.poses.at(entity, tables.start_ns)[1][:2]
    span = Interval(tables.start_ns, tables.known_until_ns + 1)
    for item in layout.of_kind(EntityKind.OBJECT):
        if not layout.has(item.name, POSE.name):
            continue
        _, poses = tables.poses.during(item.name, span)
        if np.ptp(poses[:, :3], axis=0).max() < reach / 10:
            continue
        if np.linalg.norm(poses[:, :2] - at, axis=1).min() < FAR_M + reach:
            return True
    return False


_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Explanation:
    """The smallest change with which a run would have succeeded, and the futures that show it.

    Attributes:
        change: the change; None if none was found or needed.
        p: share of futures that succeed with the change.
        text: the explanation as a sentence.
        made: number of futures that were started.
        finished: number of futures that finished.
        futures: futures with the change.
        at_s: start of the futures in simulated time [s].
    """

    change: Change | None
    p: Probability
    text: str
    made: int = 0
    finished: int = 0
    futures: Sequence[RunResult] = ()
    at_s: float = 0.0

    @property
    def found(self) -> bool:
        """Whether a change was found."""
        return self.change is not None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        made, over = self.made, self.finished
        return {
            "found": self.found,
            "change": None if self.change is None else self._change(self.change),
            "text": self.text,
            "futures": {"asked": made, "finished": over, "failed": made - over},
        }

    def to_file(self) -> dict[str, Any]:
        """Return the JSON that is stored beside the run, with the paths of objects in the futures that succeed."""
        names = {name for future in self.futures for name in future.paths}
        paths = {
            name: [
                future.paths[name].round(4).tolist()
                for future in self.futures
                if name in future.paths
            ]
            for name in sorted(names)
        }
        return {**self.to_json(), "paths": paths}

    def _change(self, change: Change) -> dict[str, Any]:
        of_number = bool(change.parameter)
        return {
            "entity": change.entity or None,
            "shift": None if of_number else [round(x, _DIGITS) for x in change.shift],
            "parameter": change.parameter or None,
            "from": change.before,
            "to": change.after,
            "p": round(self.p.p, _DIGITS),
            "low": round(self.p.low, _DIGITS),
            "high": round(self.p.high, _DIGITS),
        }
