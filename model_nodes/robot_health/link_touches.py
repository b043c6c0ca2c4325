"""Links of the robot that touch static bodies or other links."""

from __future__ import annotations

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.lasting import Found, Key, Lasting
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View


class LinkTouches:
    """Raises ``link_touches`` with ``link``, ``partner``, ``depth`` [m], and x, y, z [m] of the nearest point.

    A pair that is inside each other at the start, which ``starts_inside`` says, is reported only if it gets deeper.

    Args:
        scale: depths.
        layout: the robot.
        scene: names of the entities.
    """

    def __init__(self, scale: Scale, layout: WatchLayout, scene: Layout) -> None:
        self._scale = scale
        self._names = [entity.name for entity in scene.entities]
        self._lasting = Lasting("link_touches")
        self._at_start = {
            (str(f.arguments.get("link")), str(f.arguments.get("partner"))): f.arguments["depth"]
            for f in layout.findings
            if f.name == "starts_inside" and "link" in f.arguments
        }

    def watch(self, view: View) -> list[Event]:
        """What touches now."""
        if view.watch is None:
            return []
        rows = view.watch.clearances
        inside = rows[-rows[:, 2] >= self._scale.least] if len(rows) else rows
        return self._lasting.update(view.time_ns, self._found(inside.tolist()))

    def _found(self, rows: list[list[float]]) -> dict[Key, Found]:
        found: dict[Key, Found] = {}
        for link, partner, distance, x, y, z, *_ in rows:
            names = self._names[int(link)], self._names[int(partner)]
            severity = self._scale.severity(-distance)
            if severity is None or -distance <= 1.2 * self._depth_at_start(names):
                continue
            before = found.get(names)
            if before is None or before.measure < -distance:
                arguments: dict[str, Json] = {
                    "link": names[0],
                    "partner": names[1],
                    "depth": -distance,
                }
                found[names] = Found(severity, -distance, {**arguments, "x": x, "y": y, "z": z})
        return found

    def _depth_at_start(self, names: tuple[str, str]) -> float:
        depth = self._at_start.get(names, self._at_start.get((names[1], names[0]), 0.0))
        return float(depth) if isinstance(depth, int | float) else 0.0
