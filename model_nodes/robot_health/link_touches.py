"""Links of the robot that touch static bodies or other links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.lasting import Found, Key, Lasting
from model_nodes.robot_health.link_pairs import LinkPairs
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View

DEEPER = 1.2
"""What starts inside is reported again when it is deeper by this factor."""


class _Pair(NamedTuple):
    link: str
    partner: str
    scale: Scale
    known_depth: float
    moves: bool
    is_free: bool


class LinkTouches:
    """Raises ``link_touches`` with ``link``, ``partner``, ``depth`` [m], and x, y, z [m] of the nearest point.

    A pair that is inside each other at the start, which ``starts_inside`` says, is reported only if it gets deeper.

    Args:
        scale: depths.
        pairs: knows the pairs that have another scale.
        layout: the robot.
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
        self._lasting = Lasting("link_touches")

    def watch(self, view: View) -> list[Event]:
        """What touches now, or has touched since the last report."""
        if view.watch is None:
            return []
        now, since = view.watch.clearances, view.watch.touches
        rows = [(*row[:2], -row[2], *row[3:6]) for row in now.tolist() if row[2] < 0.0]
        rows += [(*row[:2], row[4], *row[6:9]) for row in since.tolist()]
        return self._lasting.update(view.time_ns, self._found(rows) if rows else {})

    def counts(self, link: int, partner: int, depth: float) -> bool:
        """Whether a link that is so deep inside something [m] touches it, and is not known to do so all the time."""
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
