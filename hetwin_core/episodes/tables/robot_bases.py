"""Which link stands for a robot's base."""

from __future__ import annotations

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE


def root_links(layout: Layout) -> dict[str, str]:
    """Return the root link of each robot that has no pose of its own."""
    robots = {
        robot.name
        for robot in layout.of_kind(EntityKind.ROBOT)
        if not layout.has(robot.name, POSE.name)
    }
    roots: dict[str, str] = {}
    for link in layout.of_kind(EntityKind.LINK):
        if not link.parent and link.owner in robots and layout.has(link.name, POSE.name):
            roots.setdefault(link.owner, link.name)
    return roots
