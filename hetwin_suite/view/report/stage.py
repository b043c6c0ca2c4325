"""The scene of an episode as bodies to paint, and where to look from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PIL import Image

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import PARTICLE_RGBA, Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats, Ints, Meaning, particles
from hetwin_core.projection.episode import Episode
from hetwin_suite.view.palette import model_colours, rgb
from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.painter import Body, paint
from hetwin_suite.view.report.skeleton import BONE_RGB, bones, skeleton_corners
from hetwin_suite.view.report.triangles import (
    Triangles,
    balls,
    drawn_shapes,
    moved,
    shape_triangles,
)

WIDTH, HEIGHT = 620, 410
"""Pixels of a picture."""

_AT_REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class View(NamedTuple):
    """A camera and the ball that it frames."""

    camera: Camera
    centre: Floats
    radius: float


class Stage:
    """Draws the same scene at different times, from the same place.

    Args:
        episode: the run.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._main = {model.name for model in episode.models if model.main}
        self._colours = {n: rgb(c) for n, c in model_colours(episode.models).items()}
        self._parts = [
            (entity, [(shape, shape_triangles(shape)) for shape in _worth_drawing(entity)])
            for entity in episode.layout.entities
        ]
        self._parts = [(entity, parts) for entity, parts in self._parts if parts]
        self._bones = bones(episode.layout)
        self._outlines = {entity.name: _box_of(parts) for entity, parts in self._parts}
        for name in dict.fromkeys(name for bone in self._bones for name in bone):
            self._outlines.setdefault(name, np.zeros((1, 3)))
        self.ground = self._ground()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self._outlines

    @property
    def entities(self) -> list[Entity]:
        """What is drawn, in the scene's order."""
        return [e for e in self._episode.layout.entities if e.name in self._outlines]

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self._episode.times)

    def outline(self, entity: str, index: int) -> Floats:
        """(n, 3) corners of a box around something that is drawn, in the world, at a state's index."""
        return moved(self._outlines[entity], self.pose(entity, index))

    def pose(self, entity: str, index: int) -> Floats:
        """(7,) pose in the world at a state's index; at the origin if the scene has none."""
        if self._episode.layout.has(entity, "pose"):
            return self._episode.pose(entity)[index, :7]
        return np.array(_AT_REST)

    def bodies(self, index: int) -> list[Body]:
        """All bodies at a state's index; objects in other models' hands have the models' colours."""
        bodies = []
        for entity, parts in self._parts:
            pose = self.pose(entity.name, index)
            if not np.isfinite(pose).all():
                continue
            owner = self._foreign_owner(entity, index)
            for shape, mesh in parts:
                colour = self._colours[owner] if owner else shape.rgba[:3]
                corners = moved(mesh.vertices, pose)[mesh.faces]
                bodies.append(Body(corners, colour, outlined=bool(owner)))
        return bodies + self._clouds(index) + self._skeletons(index)

    def corners(self, index: int) -> tuple[Floats, Ints]:
        """All triangles of shapes at a state's index: corners (m, 3, 3), and the index in `entities` of each."""
        parts, owners = [np.empty((0, 3, 3))], [np.empty(0, np.int32)]
        numbers = {entity.name: i for i, entity in enumerate(self.entities)}
        for entity, meshes in self._parts:
            pose = self.pose(entity.name, index)
            if not np.isfinite(pose).all():
                continue
            for _, mesh in meshes:
                parts.append(moved(mesh.vertices, pose)[mesh.faces])
                owners.append(np.full(len(mesh.faces), numbers[entity.name], np.int32))
        return np.concatenate(parts), np.concatenate(owners)

    def _clouds(self, index: int) -> list[Body]:
        """The particles of each entity that has some, as one body."""
        bodies = []
        for slot in self._episode.layout.slots:
            if slot.attribute.meaning is not Meaning.PARTICLES:
                continue
            there = particles(self._episode.attribute(slot.entity, slot.attribute.name)[index])
            if len(there) and np.isfinite(there).all():
                corners = moved(balls(there[:, :3], there[:, 6]), self.pose(slot.entity, index))
                bodies.append(Body(corners.reshape(-1, 3, 3), PARTICLE_RGBA[:3]))
        return bodies

    def _skeletons(self, index: int) -> list[Body]:
        """The robots without geometry, as one body."""
        ends = [(self.pose(a, index)[:3], self.pose(b, index)[:3]) for a, b in self._bones]
        ends = [pair for pair in ends if np.isfinite(pair).all()]
        return [Body(skeleton_corners(ends), BONE_RGB)] if ends else []

    def picture(self, index: int, view: View) -> Image.Image:
        """Paint the scene at a state's index."""
        shadows = 2.5 * view.radius
        return paint(self.bodies(index), view.camera, self.ground, view.centre, shadows)

    def _foreign_owner(self, entity: Entity, index: int) -> str:
        """The model responsible for an object's pose, if it is not the main one."""
        episode = self._episode
        if entity.kind is not EntityKind.OBJECT or not episode.layout.has(entity.name, "pose"):
            return ""
        slot = episode.layout.slot_id(entity.name, "pose")
        owner = episode.models[int(episode.owners[index, slot])].name
        return "" if owner in self._main else owner

    def _ground(self) -> float:
        for entity in self._episode.layout.of_kind(EntityKind.STATIC):
            for shape in entity.shapes:
                if shape.kind is ShapeKind.PLANE:
                    return float(self.pose(entity.name, 0)[2] + shape.pose[2])
        lows = [
            float(moved(mesh.vertices, self.pose(entity.name, 0))[:, 2].min())
            for entity, parts in self._parts
            for _, mesh in parts
            if len(mesh.vertices)
        ]
        return min(lows, default=0.0)


def _box_of(parts: list[tuple[Shape, Triangles]]) -> Floats:
    """(8, 3) corners of the box around an entity's triangles, in its frame."""
    points = np.concatenate([mesh.vertices for _, mesh in parts])
    if not len(points):
        return np.zeros((1, 3))
    ends = points.min(axis=0), points.max(axis=0)
    return np.array([[x[0], y[1], z[2]] for x in ends for y in ends for z in ends])


def _worth_drawing(entity: Entity) -> tuple[Shape, ...]:
    """Shapes with triangles; planes are drawn as the ground."""
    return tuple(s for s in drawn_shapes(entity) if s.kind is not ShapeKind.PLANE)
