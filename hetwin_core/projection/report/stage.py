"""The scene of an episode as bodies to paint, and where to look from."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PIL import Image

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import PARTICLE_RGBA, Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats, Meaning, particles
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.report.camera import Camera
from hetwin_core.projection.report.painter import FINER, Body, paint
from hetwin_core.projection.report.palette import model_colours, rgb
from hetwin_core.projection.report.triangles import balls, drawn_shapes, moved, shape_triangles

WIDTH, HEIGHT = 620, 410
"""Pixels of a picture."""

_AT_REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_LARGEST = 20.0


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
        self.ground = self._ground()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self._parts

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
        return bodies + self._clouds(index)

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

    def view(self, indices: list[int], *, wide: bool = False) -> View:
        """A place to take pictures of these states from.

        It stands across from the robot's base, a little to the side, so that the robot does not hide what it
        handles.

        Args:
            indices: indices of states.
            wide: frame everything, not only the objects and the hands.
        """
        interest = self._points_of_interest(indices, wide)
        low, high = interest.min(axis=0), interest.max(axis=0)
        centre = (low + high) / 2
        radius = float(np.linalg.norm(high - low)) / 2
        if not wide:
            radius = max(1.3 * radius, 0.1 * self._size(indices[0]))
        radius = min(max(radius, 0.05), _LARGEST)
        towards = self._direction(centre)
        size = WIDTH * FINER, HEIGHT * FINER
        return View(Camera.around(centre, radius, towards, *size), centre, radius)

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

    def _points_of_interest(self, indices: list[int], wide: bool) -> Floats:
        points = []
        for entity, parts in self._parts:
            if wide or entity.kind is EntityKind.OBJECT:
                for index in indices[:1] if wide else indices:
                    pose = self.pose(entity.name, index)
                    points += [moved(mesh.vertices, pose) for _, mesh in parts]
        # At the start and at the end a hand may be anywhere.
        for entity in self._episode.layout.of_kind(EntityKind.HAND):
            points += [self.pose(entity.name, index)[None, :3] for index in indices[1:-1]]
        found = np.concatenate(points) if points else np.zeros((1, 3))
        found = found[np.isfinite(found).all(axis=1) & (np.abs(found) < _LARGEST).all(axis=1)]
        return found if len(found) else np.zeros((1, 3))

    def _size(self, index: int) -> float:
        points = self._points_of_interest([index], wide=True)
        return float(np.linalg.norm(np.ptp(points, axis=0)))

    def _direction(self, centre: Floats) -> Floats:
        angle = math.radians(-60.0)
        links = [e for e, _ in self._parts if e.kind is EntityKind.LINK]
        if links:
            base = self.pose(links[0].name, 0)
            away = centre[:2] - base[:2]
            if float(np.linalg.norm(away)) > 0.05:
                angle = math.atan2(away[1], away[0]) - math.radians(52.0)
        elevation = math.radians(26.0)
        level = math.cos(elevation)
        return np.array([level * math.cos(angle), level * math.sin(angle), math.sin(elevation)])

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


def _worth_drawing(entity: Entity) -> tuple[Shape, ...]:
    """Shapes with triangles; planes are drawn as the ground."""
    return tuple(s for s in drawn_shapes(entity) if s.kind is not ShapeKind.PLANE)
