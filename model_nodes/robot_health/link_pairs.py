"""On which scale the overlap of a link with something counts."""

from __future__ import annotations

from hetwin_core.ensemble.mobile_robots import mobile_robots
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.shapes import ShapeKind
from model_nodes.robot_health.settings import Scale, Settings


class LinkPairs:
    """Selects the scale of a pair.

    Args:
        settings: the scales, and the pairs that are known.
        scene: the entities.
    """

    def __init__(self, settings: Settings, scene: Layout) -> None:
        self._settings = settings
        self._planes = {e.name for e in scene.of_kind(EntityKind.STATIC) if _is_plane(e)}
        self._links = {e.name for e in scene.of_kind(EntityKind.LINK)}
        self._fixed = _links_that_no_joint_moves(scene)
        self._rolling = _links_that_roll(scene)

    def scale(self, link: str, partner: str, usual: Scale) -> Scale | None:
        """The scale of the depth of a link in its partner: the usual one, another one, or None for a known pair."""
        if any(known.covers(link, partner) for known in self._settings.known_touches):
            return None
        if link in self._rolling and partner in self._planes:
            return self._settings.wheel_in_floor
        if link in self._fixed and partner in self._planes:
            return self._settings.base_in_floor
        return usual

    def moves(self, link: str) -> bool:
        """Whether a link can move, by a joint or with its robot."""
        return link not in self._fixed or link in self._rolling

    def object_scale(self, partner: str, usual: Scale) -> Scale:
        """The scale of the depth of an object in its partner."""
        return self._settings.object_in_link if partner in self._links else usual


def _links_that_roll(scene: Layout) -> frozenset[str]:
    """All links of robots whose base moves."""
    moving = {robot.name for robot in mobile_robots(scene)}
    return frozenset(link.name for link in scene.of_kind(EntityKind.LINK) if link.owner in moving)


def _is_plane(entity: Entity) -> bool:
    kinds = [shape.kind for shape in entity.shapes if shape.collides]
    return bool(kinds) and all(kind is ShapeKind.PLANE for kind in kinds)


def _links_that_no_joint_moves(scene: Layout) -> frozenset[str]:
    links = scene.of_kind(EntityKind.LINK)
    fixed: set[str] = set()
    grew = True
    while grew:
        found = {e.name for e in links if not e.joint and (not e.parent or e.parent in fixed)}
        grew = found != fixed
        fixed = found
    return frozenset(fixed)
