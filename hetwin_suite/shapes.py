"""Shapes of a scene: distances between objects, and containment.

For example, whether a point is inside a cup, in the cup's frame::

    from hetwin_suite.model import Entity, EntityKind, Shape, ShapeKind
    from hetwin_suite.shapes import interior_of

    cup = Entity("cup", EntityKind.OBJECT, shapes=(Shape(ShapeKind.CYLINDER, (0.04, 0.1)),))
    print(interior_of(cup).holds((0.0, 0.0, 0.02)))

`SceneShapes` measures distances between the objects of a scene, and casts rays onto them.
"""

from __future__ import annotations

from model_nodes.containment import Interior, interior_of
from model_nodes.scene_shapes import GEOM_TYPES, SceneShapes, add_shapes
from model_nodes.shape_points import points_of

__all__ = [
    "GEOM_TYPES",
    "Interior",
    "SceneShapes",
    "add_shapes",
    "interior_of",
    "points_of",
]
