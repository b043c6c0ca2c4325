"""Content of a film. Lengths in metres, times in seconds, poses as x y z, qx qy qz qw in the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats

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


_STEPS, _LOWEST = 65535, -32768
"""Numbers are kept in 16 bits, each column over its own range."""


@dataclass(frozen=True)
class Layer:
    """Rows of numbers that hold from one time to the next.

    Attributes:
        name: e.g. ``contacts``.
        columns: names of the columns.
        times: (n,) when rows are replaced [s], rising.
        begins: (n + 1,) the first row of each time; the last number is that of all rows.
        numbers: (rows, columns) the rows; indices of bodies, lengths [m], forces [N].
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
        """Return the layer with these rows.

        Args:
            name: of the layer.
            columns: their names.
            moments: times [s] and the (k, columns) rows from then on, in order; repetitions are kept once.
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
        """Whether it never shows anything."""
        return not len(self.numbers)

    def at(self, time: float) -> Floats:
        """Return the (k, columns) rows at a time [s]; none before the first."""
        i = int(np.searchsorted(self.times, time, side="right")) - 1
        if i < 0:
            return self.numbers[:0]
        return self.numbers[self.begins[i] : self.begins[i + 1]]


def layer_header(layer: Layer, place: Callable[[NDArray[Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of a layer in a film's header.

    Args:
        layer: the layer.
        place: puts an array behind the header, and returns its entry.
    """
    width = len(layer.columns)
    low = np.zeros(width) if layer.empty else layer.numbers.min(axis=0)
    high = np.zeros(width) if layer.empty else layer.numbers.max(axis=0)
    step = np.where(high > low, (high - low) / _STEPS, 1.0)
    counted = (np.rint((layer.numbers - low) / step) + _LOWEST).astype(np.int16)
    return {
        "name": layer.name,
        "columns": list(layer.columns),
        "low": low.tolist(),
        "step": step.tolist(),
        "times": place(layer.times),
        "begins": place(layer.begins),
        "numbers": place(counted.T),
    }
