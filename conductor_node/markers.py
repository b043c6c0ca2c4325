"""The scene as RViz markers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from geometry_msgs.msg import Point, Pose
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from hetwin_core.ensemble.scene.layout import EntityKind, Layout, Slot
from hetwin_core.ensemble.scene.poses import multiply, rotate
from hetwin_core.ensemble.scene.shapes import PARTICLE_RGBA, Shape
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import WORLD, particles
from hetwin_core.projection.contact_markers import (
    CONTACT_RGBA,
    CONTACT_WIDTH,
    LABEL_HEIGHT,
    contact_lines,
)
from hetwin_core.projection.markers import SHOWN, marker_geometry, particle_slots
from hetwin_core.wire.messages import fill_time

_SAME_PLACE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class MarkerWriter:
    """Makes a marker for each visible shape, and one for each entity with particles.

    Objects that another model than the main one is responsible for have a label that says so.

    Args:
        layout: the scene's layout.
        main: name of the main model.
    """

    def __init__(self, layout: Layout, main: str = "") -> None:
        self._rows = [
            (entity.name, shape, _marker(entity.name, number, shape))
            for entity in layout.of_kind(*SHOWN)
            if layout.has(entity.name, "pose")
            for number, shape in enumerate(entity.shapes)
        ]
        self._clouds = [(slot, _cloud(slot)) for slot in particle_slots(layout)]
        self._main = main
        objects = (e.name for e in layout.of_kind(EntityKind.OBJECT) if layout.has(e.name, "pose"))
        self._labels = {name: _label(name) for name in objects}
        self._labelled: set[str] = set()
        self._contacts = _contacts()

    def markers(self, scene: Snapshot) -> MarkerArray:
        """All markers at the scene's time, in the frame ``world``."""
        for name, shape, marker in self._rows:
            fill_time(marker.header.stamp, scene.time_ns)
            _fill_pose(marker.pose, scene.pose(name).tolist(), shape.pose)
        clouds = [_filled(marker, slot, scene) for slot, marker in self._clouds]
        shapes = (marker for _, _, marker in self._rows)
        return MarkerArray(markers=[*shapes, *clouds, *self._owners(scene)])

    def _owners(self, scene: Snapshot) -> Iterator[Marker]:
        """The labels of objects that are not the main model's, and of those that are again, to be deleted."""
        for name, label in self._labels.items():
            owner = scene.owner(name, "pose")
            is_main = owner == self._main or not self._main
            if is_main and name not in self._labelled:
                continue
            fill_time(label.header.stamp, scene.time_ns)
            label.action = Marker.DELETE if is_main else Marker.ADD
            (self._labelled.discard if is_main else self._labelled.add)(name)
            label.text = f"{name}: {owner}"
            place = label.pose.position
            place.x, place.y, place.z = scene.pose(name)[:3].tolist()
            place.z += 2 * LABEL_HEIGHT
            yield label

    def contacts(self, scene: Snapshot) -> MarkerArray:
        """Forces on objects as one list of lines; without any it is deleted, as RViz accepts no list without points."""
        lines = contact_lines(scene.proximity).tolist()
        marker = self._contacts
        fill_time(marker.header.stamp, scene.time_ns)
        marker.action = Marker.ADD if lines else Marker.DELETE
        marker.points = [Point(x=x, y=y, z=z) for x, y, z in lines]
        return MarkerArray(markers=[marker])


def _marker(name: str, number: int, shape: Shape) -> Marker:
    marker = Marker(ns=name, id=number, action=Marker.ADD)
    marker.header.frame_id = WORLD
    r, g, b, a = (float(x) for x in shape.rgba)
    marker.color = ColorRGBA(r=r, g=g, b=b, a=a)
    geometry = marker_geometry(shape)
    marker.type = geometry.type
    marker.scale.x, marker.scale.y, marker.scale.z = geometry.scale
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in geometry.points.tolist()]
    return marker


def _cloud(slot: Slot) -> Marker:
    marker = Marker(ns=f"{slot.entity} {slot.attribute.name}", id=0, type=Marker.SPHERE_LIST)
    marker.header.frame_id = WORLD
    r, g, b, a = PARTICLE_RGBA
    marker.color = ColorRGBA(r=r, g=g, b=b, a=a)
    return marker


def _label(name: str) -> Marker:
    marker = Marker(ns=f"{name} owner", id=0, type=Marker.TEXT_VIEW_FACING)
    marker.header.frame_id = WORLD
    marker.scale.z = LABEL_HEIGHT
    marker.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
    return marker


def _contacts() -> Marker:
    marker = Marker(ns="contacts", id=0, type=Marker.LINE_LIST)
    marker.header.frame_id = WORLD
    marker.scale.x = CONTACT_WIDTH
    r, g, b, a = CONTACT_RGBA
    marker.color = ColorRGBA(r=r, g=g, b=b, a=a)
    return marker


def _filled(marker: Marker, slot: Slot, scene: Snapshot) -> Marker:
    """The marker with the present particles; without any it is deleted, as RViz accepts no list without points."""
    there = particles(scene.get(slot.entity, slot.attribute.name))
    fill_time(marker.header.stamp, scene.time_ns)
    marker.action = Marker.ADD if len(there) else Marker.DELETE
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in there[:, :3].tolist()]
    if len(there):
        marker.scale.x = marker.scale.y = marker.scale.z = 2 * float(there[0, 6])
        _fill_pose(marker.pose, scene.pose(slot.entity).tolist(), _SAME_PLACE)
    return marker


def _fill_pose(message: Pose, body: list[float], local: Any) -> None:
    offset = rotate(body[3:7], local[:3])
    position, orientation = message.position, message.orientation
    position.x, position.y, position.z = (body[i] + offset[i] for i in range(3))
    w, x, y, z = multiply(body[3:7], local[3:7])
    orientation.w, orientation.x, orientation.y, orientation.z = w, x, y, z
