"""Links of the robot that touch static bodies or other links."""

from __future__ import annotations

from typing import NamedTuple

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import Layout
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
        self._pairs: dict[tuple[int, int], _Pair | None] = {}
        self._at_start = _depths_at_start(layout)
        self._lasting = Lasting("link_touches")

    def watch(self, view: View) -> list[Event]:
        """What touches now."""
        if view.watch is None:
            return []
        rows = view.watch.clearances
        found = self._found(rows.tolist()) if len(rows) else {}
        return self._lasting.update(view.time_ns, found)

    def _found(self, rows: list[list[float]]) -> dict[Key, Found]:
        found: dict[Key, Found] = {}
        for link, partner, distance, x, y, z, *_ in rows:
            if distance >= 0.0:
                continue
            pair, depth = self._pair(int(link), int(partner)), -distance
            severity = None if pair is None else pair.scale.severity(depth)
            if pair is None or severity is None or depth <= pair.known_depth:
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
            self._pairs[key] = None if scale is None else _Pair(*names, scale, depth)
        return self._pairs[key]


def _depths_at_start(layout: WatchLayout) -> dict[frozenset[str], float]:
    depths: dict[frozenset[str], float] = {}
    for finding in layout.findings:
        link, depth = finding.arguments.get("link"), finding.arguments.get("depth")
        if finding.name == "starts_inside" and link and isinstance(depth, float):
            depths[frozenset((str(link), str(finding.arguments.get("partner"))))] = depth
    return depths
