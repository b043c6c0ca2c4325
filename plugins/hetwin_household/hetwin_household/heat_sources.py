"""A source of heat or cold: whether it is active, and which objects it affects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_suite.model import (
    POSE,
    BadInput,
    Evaluator,
    Expression,
    Layout,
    Snapshot,
    conjugate,
    rotate,
)
from hetwin_suite.shapes import SceneShapes, interior_of


class HeatSource:
    """A source of heat or cold.

    Args:
        name: name of the entity.
        parameters: parameters of the attribute.
        layout: layout of the scene.
        where: key in the scenario, for errors.

    Attributes:
        temperature: temperature that affected objects approach [K].
        rate: rate of the approach [1/s].

    Raises:
        BadInput: if objects must be inside the source, and it has no shape.
    """

    def __init__(
        self, name: str, parameters: Mapping[str, Any], layout: Layout, where: str
    ) -> None:
        self.temperature, self.rate = float(parameters["temperature"]), float(parameters["rate"])
        self._name, self._where = name, where
        self._within = None if parameters["inside"] else float(parameters["within"])
        self._parts = [name, *(e.name for e in layout.entities if e.owner == name)]
        self._when = Expression(parameters["when"], f"{where}.when") if parameters["when"] else None
        self._names = {entity.name: entity.name for entity in layout.entities}
        try:
            self._inside = interior_of(layout.entity(name)) if parameters["inside"] else None
        except BadInput as error:
            raise error.at(f"{where}.inside") from None

    def check(self, functions: Mapping[str, Evaluator]) -> None:
        """Check the names in `when`.

        Raises:
            BadInput: if an evaluator or entity is unknown.
        """
        if self._when is not None:
            self._when.check_names(functions, self._names)

    def is_active(self, scene: Snapshot, functions: Mapping[str, Evaluator]) -> bool:
        """Whether the source is active.

        Raises:
            EvaluationError: if its `when` cannot be evaluated.
        """
        if self._when is None:
            return True
        bound = {
            name: _bind_scene(scene, functions[name])
            for name in self._when.functions & {*functions}
        }
        return self._when.evaluate(self._names, bound) is True

    def reaches(self, entity: str, scene: Snapshot, shapes: SceneShapes) -> bool:
        """Whether an object is near the source, or inside it, as its parameters require.

        Args:
            entity: name of the object.
            scene: poses of the scene.
            shapes: shapes at these poses, for distances.
        """
        if entity in self._parts:
            return False
        if self._inside is None:
            assert self._within is not None
            limit = self._within + 1e-6
            return shapes.distance(self._parts, [entity], limit) <= self._within
        if not scene.layout.has(entity, POSE.name):
            return False
        pose = scene.pose(self._name)
        offset = (scene.pose(entity)[:3] - pose[:3]).tolist()
        return self._inside.holds(rotate(conjugate(pose[3:7].tolist()), offset))


def _bind_scene(scene: Snapshot, evaluator: Evaluator) -> Evaluator:
    def evaluate(*arguments: Any) -> Any:
        return evaluator(scene, *arguments)

    return evaluate
