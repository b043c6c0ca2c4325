"""Content of a film. Lengths in metres, times in seconds, poses as x y z, qx qy qz qw in the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.film.layer import Layer

Colour = tuple[float, float, float, float]
"""Red, green, blue and how opaque, each 0 to 1."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A model of the ensemble; `colour` is that in which it is drawn, as ``#rrggbb``."""

    name: str
    colour: str
    main: bool


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: vertices (n, 3) in metres, float32, and faces (m, 3) as indices into them."""

    vertices: NDArray[np.float32]
    faces: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of geometry of a body.

    Attributes:
        kind: a `ShapeKind`.
        size: see `ShapeKind`.
        pose: in the body's frame.
        colour: its own.
        drawn: whether it is for the eye.
        collides: whether it takes part in contacts.
        mesh: index of the mesh; -1 for all other kinds.
    """

    kind: str
    size: tuple[float, ...]
    pose: tuple[float, ...]
    colour: Colour
    drawn: bool
    collides: bool
    mesh: int = -1


@dataclass(frozen=True, slots=True)
class Body:
    """An entity with a place; `kind` is an `EntityKind`."""

    name: str
    kind: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Responsible:
    """An attribute of an entity, and the models (indices) that can be responsible for it as far as that is known."""

    entity: str
    attribute: str
    candidates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is drawn, without where it is.

    Attributes:
        name: of the scenario.
        models: in the order in which owners count.
        bodies: in the order in which poses count.
        meshes: that parts refer to.
        attributes: in the order of the layout's slots.
        bones: pairs of bodies (indices) between which a robot without geometry has a bone.
    """

    name: str
    models: tuple[Actor, ...]
    bodies: tuple[Body, ...]
    meshes: tuple[Mesh, ...]
    attributes: tuple[Responsible, ...]
    bones: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened; `kind` is ``event``, ``action``, ``handover`` or ``note``."""

    time: float
    kind: str
    name: str
    text: str
    entity: str = ""


@dataclass(frozen=True, slots=True)
class Doing:
    """An action of the robot's program, or something else that lasted, from `begin` to `end`.

    Attributes:
        name: of it.
        begin: in s.
        end: in s.
        text: its subject.
        lane: in which of a time line it is.
        tone: ``note``, ``warning`` or ``absurd`` if it is something that a user should know of.
    """

    name: str
    begin: float
    end: float
    text: str = ""
    lane: str = "actions"
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """An attribute (index) that went over to a model (index)."""

    time: float
    attribute: int
    model: int


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The particles of a body (index): for each time the rows (x y z in its frame, radius) that were there."""

    body: int
    rows: tuple[Floats, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """A scene, and where everything was.

    Attributes:
        scene: to draw.
        start: when the run began.
        end: when it ended.
        times: (n,) rising.
        poses: (n, bodies, 7); not finite where a body was nowhere.
        owners: for each attribute, the model (index) first responsible.
        changes: of owners, in order.
        happenings: in order.
        doings: by their beginning.
        clouds: particles.
        layers: data beside bodies.
    """

    scene: Scene
    start: float
    end: float
    times: Floats
    poses: Floats
    owners: tuple[int, ...]
    changes: tuple[Change, ...] = ()
    happenings: tuple[Happening, ...] = ()
    doings: tuple[Doing, ...] = ()
    clouds: tuple[Cloud, ...] = ()
    layers: tuple[Layer, ...] = ()
