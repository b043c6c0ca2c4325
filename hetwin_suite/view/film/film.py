"""Content of a film: a scene and its poses over time.

Lengths are in m, times in s; poses are x y z, qx qy qz qw in the world frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, each 0 to 1."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A model of the ensemble.

    Attributes:
        name: name of the model.
        colour: colour in which objects of the model are drawn, ``#rrggbb``.
        main: whether it is the main model.
    """

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
        size: size as defined by `ShapeKind`.
        pose: pose in the body's frame.
        colour: colour of the part itself.
        drawn: whether it is drawn by default; otherwise only as a collision shape.
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
    """An entity with a pose; `kind` is an `EntityKind`."""

    name: str
    kind: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Responsible:
    """An attribute of an entity, and the indices of the models known to be able to own it."""

    entity: str
    attribute: str
    candidates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """The bodies of a film, without their poses.

    Attributes:
        name: name of the scenario.
        models: models of the ensemble; owners are indices into this tuple.
        bodies: bodies, in the order of the film's poses.
        meshes: meshes of the parts.
        attributes: attributes, in the order of the layout's slots.
        bones: pairs of body indices between which a line is drawn, for robots without geometry.
    """

    name: str
    models: tuple[Actor, ...]
    bodies: tuple[Body, ...]
    meshes: tuple[Mesh, ...]
    attributes: tuple[Responsible, ...]
    bones: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """An occurrence at a time [s]; `kind` is ``event``, ``action``, ``handover`` or ``note``."""

    time: float
    kind: str
    name: str
    text: str
    entity: str = ""


@dataclass(frozen=True, slots=True)
class Doing:
    """An action of the robot's program, or another occurrence with a duration.

    Attributes:
        name: name of the action.
        begin: begin [s].
        end: end [s].
        text: arguments of the action, or another description.
        lane: lane of the time line.
        tone: severity of a concern, ``note``, ``warning`` or ``absurd``; otherwise empty.
    """

    name: str
    begin: float
    end: float
    text: str = ""
    lane: str = "actions"
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A handover at a time [s]: index of the attribute, and index of its new owner."""

    time: float
    attribute: int
    model: int


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The particles of a body.

    Attributes:
        body: index of the body.
        rows: for each time of the film, (k, 4) x y z in the body's frame and radius [m].
    """

    body: int
    rows: tuple[Floats, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """A scene and its states over time.

    Attributes:
        scene: the scene.
        start: start of the run [s].
        end: end of the run [s].
        times: (n,) ascending times [s].
        poses: (n, bodies, 7) poses; not finite while a body is absent.
        owners: index of the first owner of each attribute.
        changes: handovers, by time.
        happenings: occurrences, by time.
        doings: occurrences with a duration, by their begin.
        clouds: particles.
        layers: data in addition to bodies, such as contacts.
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


_STEPS, _LOWEST = 65535, -32768
"""Numbers of a layer are quantized to 16 bits over the range of their column."""


@dataclass(frozen=True)
class Layer:
    """A table that changes over time; its rows at a time hold until the next time.

    Attributes:
        name: name, e.g. ``contacts``.
        columns: names of the columns.
        times: (n,) ascending times at which the rows are replaced [s].
        begins: (n + 1,) index of the first row of each time; the last item is the number of all rows.
        numbers: (rows, columns) rows of all times: indices of bodies, lengths [m], forces [N].
    """

    name: str
    columns: tuple[str, ...]
    times: Floats
    begins: NDArray[np.uint32]
    numbers: Floats

    @classmethod
    def of(
        cls, name: str, columns: tuple[str, ...], moments: Iterable[tuple[float, Floats]]
    ) -> Layer:
        """Build a layer.

        Args:
            name: name of the layer.
            columns: names of the columns.
            moments: ascending times [s] and the (k, columns) rows from then on; repeated rows are stored once.
        """
        times: list[float] = []
        rows = [np.empty((0, len(columns)))]
        for time, known in moments:
            if not times or not np.array_equal(known, rows[-1]):
                times.append(time)
                rows.append(known)
        begins = np.cumsum([0, *(len(part) for part in rows[1:])]).astype(np.uint32)
        return cls(name, columns, np.array(times, np.float64), begins, np.concatenate(rows))

    @property
    def empty(self) -> bool:
        """Whether it has no rows at any time."""
        return not len(self.numbers)

    def at(self, time: float) -> Floats:
        """Return the (k, columns) rows at a time [s]; no rows before the first time."""
        i = int(np.searchsorted(self.times, time, side="right")) - 1
        if i < 0:
            return self.numbers[:0]
        return self.numbers[self.begins[i] : self.begins[i + 1]]


def layer_header(layer: Layer, place: Callable[[NDArray[Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of a layer in a film's header.

    Args:
        layer: the layer.
        place: appends an array to the block, and returns its entry in the header.
    """
    width = len(layer.columns)
    low = np.zeros(width) if layer.empty else layer.numbers.min(axis=0)
    high = np.zeros(width) if layer.empty else layer.numbers.max(axis=0)
    step = np.where(high > low, (high - low) / _STEPS, 1.0)
    quantized = (np.rint((layer.numbers - low) / step) + _LOWEST).astype(np.int16)
    return {
        "name": layer.name,
        "columns": list(layer.columns),
        "low": low.tolist(),
        "step": step.tolist(),
        "times": place(layer.times),
        "begins": place(layer.begins),
        "numbers": place(quantized.T),
    }
