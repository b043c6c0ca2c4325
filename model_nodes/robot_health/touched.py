"""Reports touches of the robot's links, and selects the scale of an overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.concern_words import TOUCH_ENDED, TOUCHED
from hetwin_core.ensemble.conductor.reporting.concerns import FROM, TO
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.mobile_robots import mobile_robots
from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import FIDELITY, Fidelity, ShapeKind
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.lasting import Found, Key, LastingFindings
from model_nodes.robot_health.settings import Scale, Settings
from model_nodes.robot_health.view import View


class LinkPairs:
    """Selects the scale for a pair of a link and its partner.

    Args:
        settings: scales, and pairs that are not reported.
        scene: the entities.
    """

    def __init__(self, settings: Settings, scene: Layout) -> None:
        self._settings = settings
        self._planes = {e.name for e in scene.of_kind(EntityKind.STATIC) if _is_plane(e)}
        self._links = {e.name for e in scene.of_kind(EntityKind.LINK)}
        self._fixed = _fixed_links(scene)
        self._rolling = _links_of_mobile_robots(scene)

    def scale(self, link: str, partner: str, usual: Scale) -> Scale | None:
        """Return the scale of a link's depth in its partner, which differs for planes; None for a known pair."""
        if any(known.covers(link, partner) for known in self._settings.known_touches):
            return None
        if link in self._rolling and partner in self._planes:
            return self._settings.wheel_in_floor
        if link in self._fixed and partner in self._planes:
            return self._settings.base_in_floor
        return usual

    def moves(self, link: str) -> bool:
        """Return whether a link can move, by a joint or with its robot."""
        return link not in self._fixed or link in self._rolling

    def object_scale(self, partner: str, usual: Scale) -> Scale:
        """Return the scale of an object's depth in its partner."""
        return self._settings.object_in_link if partner in self._links else usual


def _links_of_mobile_robots(scene: Layout) -> frozenset[str]:
    """Return all links of mobile robots."""
    moving = {robot.name for robot in mobile_robots(scene)}
    return frozenset(link.name for link in scene.of_kind(EntityKind.LINK) if link.owner in moving)


def _is_plane(entity: Entity) -> bool:
    kinds = [shape.kind for shape in entity.shapes if shape.collides]
    return bool(kinds) and all(kind is ShapeKind.PLANE for kind in kinds)


def _fixed_links(scene: Layout) -> frozenset[str]:
    links = scene.of_kind(EntityKind.LINK)
    fixed: set[str] = set()
    grew = True
    while grew:
        found = {e.name for e in links if not e.joint and (not e.parent or e.parent in fixed)}
        grew = found != fixed
        fixed = found
    return frozenset(fixed)


DEEPER = 1.2
"""Factor by which a pair that starts inside each other must become deeper to be reported again."""


class _Pair(NamedTuple):
    link: str
    partner: str
    scale: Scale
    known_depth: float
    moves: bool
    is_free: bool


class LinkTouches:
    """Raises ``link_touches`` with ``link``, ``partner``, ``depth`` [m], and x, y, z [m] of the nearest point.

    A pair that starts inside each other, which ``starts_inside`` reports, is reported again only if it becomes deeper.

    Args:
        scale: of the depths [m].
        pairs: selects the scale of a pair.
        layout: the robots.
        scene: names of the entities.
    """

    def __init__(self, scale: Scale, pairs: LinkPairs, layout: WatchLayout, scene: Layout) -> None:
        self._scale = scale
        self._scales = pairs
        self._names = [entity.name for entity in scene.entities]
        robots = {robot.name for robot in scene.of_kind(EntityKind.ROBOT)}
        free = {e.name for e in scene.of_kind(EntityKind.OBJECT)}
        free |= {e.name for e in scene.of_kind(EntityKind.LINK) if e.owner not in robots}
        self._free = {i for i, name in enumerate(self._names) if name in free}
        self._pairs: dict[tuple[int, int], _Pair | None] = {}
        self._at_start = _depths_at_start(layout)
        self._lasting = LastingFindings("link_touches")

    def watch(self, view: View) -> list[Event]:
        """Return events about present touches, and about those since the last report."""
        if view.watch is None:
            return []
        now, since = view.watch.clearances, view.watch.touches
        rows = [(*row[:2], -row[2], *row[3:6]) for row in now.tolist() if row[2] < 0.0]
        rows += [(*row[:2], row[4], *row[6:9]) for row in since.tolist()]
        return self._lasting.update(view.time_ns, self._found(rows) if rows else {})

    def counts(self, link: int, partner: int, depth: float) -> bool:
        """Return whether a link at a depth in its partner [m] touches it, except for pairs that always do."""
        pair = self._pair(link, partner)
        if pair is None or pair.is_free:
            return pair is not None
        return pair.moves and depth > pair.known_depth and pair.scale.severity(depth) is not None

    def _found(self, rows: Iterable[Sequence[float]]) -> dict[Key, Found]:
        found: dict[Key, Found] = {}
        for link, partner, depth, x, y, z in rows:
            pair = self._pair(int(link), int(partner))
            severity = None if pair is None else pair.scale.severity(depth)
            if pair is None or severity is None or pair.is_free or depth <= pair.known_depth:
                continue
            before = found.get(pair[:2])
            if before is None or before.measure < depth:
                arguments: dict[str, Json] = {"link": pair.link, "partner": pair.partner}
                arguments |= {"depth": depth, "x": x, "y": y, "z": z}
                found[pair[:2]] = Found(severity, depth, arguments)
        return found

    def _pair(self, link: int, partner: int) -> _Pair | None:
        key = (link, partner)
        if key not in self._pairs:
            names = self._names[link], self._names[partner]
            scale = self._scales.scale(*names, self._scale)
            depth = DEEPER * self._at_start.get(frozenset(names), 0.0)
            flags = self._scales.moves(names[0]), partner in self._free
            self._pairs[key] = None if scale is None else _Pair(*names, scale, depth, *flags)
        return self._pairs[key]


def _depths_at_start(layout: WatchLayout) -> dict[frozenset[str], float]:
    depths: dict[frozenset[str], float] = {}
    for finding in layout.findings:
        link, depth = finding.arguments.get("link"), finding.arguments.get("depth")
        if finding.name == "starts_inside" and link and isinstance(depth, float):
            depths[frozenset((str(link), str(finding.arguments.get("partner"))))] = depth
    return depths


HOLD_NS = 100_000_000
"""Maximum interruption that does not end a touch [ns]."""
_FULL_COLLISION = {"collision": 1.0, FIDELITY.name: float(Fidelity.HIGH)}
"""Values of the attributes of an entity that collides with everything."""


class _TouchRow(NamedTuple):
    """A pair that touched since the last report: entities, first and last time [ns], and the point of largest depth."""

    link: int
    other: int
    first_ns: float
    last_ns: float
    depth: float
    force: float
    x: float
    y: float
    z: float


@dataclass(slots=True)
class Touch:
    """A touch in progress.

    Attributes:
        link, other: indices of the entities.
        first_ns, last_ns: times of the first and of the last step in which they touched [ns].
        deepest: state of the step with the largest depth.
        hand: hand that the link belongs to; empty if none.
    """

    link: int
    other: int
    first_ns: int
    last_ns: int
    deepest: _TouchRow
    hand: str


class TouchReports:
    """Raises ``touched`` at the start of a touch and ``touch_ended`` at its end.

    Both have ``link``, ``object`` (any entity), ``depth`` [m], ``force`` [N] (null if unknown), and ``hand`` if the
    link belongs to one; depth and force are those of the step with the largest depth. ``touch_ended`` has ``from`` and
    ``to`` [s]. A held object counts as touched by the links that touched it when the hold started.

    Args:
        links: decides which touches of links with static bodies and other links count.
        scene: the entities.

    Attributes:
        open: touches in progress, by link and touched entity.
    """

    def __init__(self, links: LinkTouches, scene: Layout) -> None:
        self._links = links
        self._names = [entity.name for entity in scene.entities]
        self._is_link = np.array([e.kind is EntityKind.LINK for e in scene.entities], np.bool_)
        self._hands = {
            link: hand.name
            for hand in scene.of_kind(EntityKind.HAND)
            for link in hand_links(scene, hand.name)
        }
        self._ids = {name: i for i, name in enumerate(self._names)}
        switches = [slot for slot in scene.slots if slot.attribute.name in _FULL_COLLISION]
        self._switched = [self._ids[slot.entity] for slot in switches]
        self._switches = np.array([slot.offset for slot in switches], np.intp)
        self._full_collision = np.array([_FULL_COLLISION[slot.attribute.name] for slot in switches])
        self._full_collision_bytes = self._full_collision.tobytes()
        self.open: dict[tuple[int, int], Touch] = {}

    def watch(self, view: View) -> list[Event]:
        """Return events about touches that have started or ended, according to the main model's reports."""
        if view.watch is None:
            return []
        events: list[Event] = []
        counts, known = self._links.counts, set[tuple[int, int]]()
        for row in view.watch.touches.tolist():
            pair = (int(row[0]), int(row[1]))
            known.add(pair)
            if counts(*pair, row[4]):
                events += self._update_touch(_TouchRow(*row))
        for seen in self._penetrations(view):
            pair = (int(seen.link), int(seen.other))
            if pair not in known and counts(*pair, seen.depth):
                events += self._update_touch(seen)
        self._prolong_held(view)
        over = [k for k, t in self.open.items() if view.time_ns - t.last_ns > HOLD_NS]
        for key in over:
            events.append(self._ended(self.open.pop(key)))
        return events

    def _penetrations(self, view: View) -> Iterator[_TouchRow]:
        """Yield links that are inside objects with which the main model does not let them collide."""
        rows, numbers = view.snapshot.proximity, view.snapshot.values.take(self._switches)
        if not (view.held or numbers.tobytes() != self._full_collision_bytes) or not len(rows):
            return
        passes = {*compress(self._switched, (numbers < self._full_collision).tolist())}
        passes.update(map(self._ids.__getitem__, self._ids.keys() & view.held))
        inside = rows[(rows[:, 2] < 0.0) & self._is_link[rows[:, 1].astype(np.intp)]]
        for row in inside.tolist():
            entity, link, now = int(row[0]), int(row[1]), view.time_ns
            if not passes.isdisjoint((entity, link)):
                yield _TouchRow(link, entity, now, now, -row[2], np.nan, *row[3:6])

    def _update_touch(self, row: _TouchRow) -> Iterator[Event]:
        key, first_ns, last_ns = (
            (int(row.link), int(row.other)),
            int(row.first_ns),
            int(row.last_ns),
        )
        touch = self.open.get(key)
        if touch is not None and first_ns - touch.last_ns > HOLD_NS:
            yield self._ended(self.open.pop(key))
            touch = None
        if touch is None:
            hand = self._hands.get(key[0], "")
            self.open[key] = touch = Touch(*key, first_ns, last_ns, row, hand)
            yield Event(TOUCHED, first_ns, arguments=self._arguments(touch))
        touch.last_ns = last_ns
        if row.depth > touch.deepest.depth:
            touch.deepest = row

    def _prolong_held(self, view: View) -> None:
        """Prolong the touches between a hand and the object that it holds, which need not collide."""
        for touch in self.open.values():
            if touch.hand and view.held.get(self._names[touch.other]) == touch.hand:
                touch.last_ns = view.time_ns

    def _ended(self, touch: Touch) -> Event:
        times = {FROM: touch.first_ns / 1e9, TO: touch.last_ns / 1e9}
        return Event(TOUCH_ENDED, touch.last_ns, arguments={**self._arguments(touch), **times})

    def _arguments(self, touch: Touch) -> dict[str, Json]:
        force = touch.deepest.force
        arguments: dict[str, Json] = {
            "link": self._names[touch.link],
            "object": self._names[touch.other],
            "depth": touch.deepest.depth,
            "force": None if force != force else force,
        }
        return arguments | ({"hand": touch.hand} if touch.hand else {})
