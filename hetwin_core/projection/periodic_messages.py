"""The messages that a log repeats: the state of the scene, the robots' joints, the frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints
from hetwin_core.ensemble.topics import JOINT_STATES, STATE, TRANSFORMS
from hetwin_core.projection.cdr_template import CdrTemplate, marked_stamp
from hetwin_core.projection.messages import message

_MARK = 1.25e300
_MARK_STEP = 0x1C0D_E5A1_7B33_9C57
_MARK_INT = 0x6D2B_79F5
_JOINT_FIELDS = {
    "position": ("joint_position", "joint_positions"),
    "velocity": ("joint_velocity", "joint_velocities"),
    "effort": ("joint_effort", "joint_efforts"),
}
MOVING = (EntityKind.OBJECT, EntityKind.LINK, EntityKind.HAND)
"""Kinds of entities whose frames may move."""


class StateTemplate:
    """``hetwin/msg/SceneState`` for one layout and one number of rows of proximity."""

    def __init__(self, layout: Layout, rows: int) -> None:
        slots = len(layout.slots)
        example = message(
            STATE.type,
            stamp=marked_stamp(),
            step=_MARK_STEP,
            values=_marked(layout.size, _MARK, np.float64),
            owners=_marked(slots, _MARK_INT, np.int32),
            parents=_marked(slots, _MARK_INT + 1, np.int32),
            proximity=_marked(rows * PROXIMITY_COLUMNS, 2 * _MARK, np.float64),
        )
        self._template = template = CdrTemplate(example, STATE.type)
        self._step = template.place(template.uint64, _MARK_STEP)
        self._values = _part(template, template.float64, _MARK, layout.size)
        self._owners = _part(template, template.int32, _MARK_INT, slots)
        self._parents = _part(template, template.int32, _MARK_INT + 1, slots)
        self._proximity = _part(template, template.float64, 2 * _MARK, rows * PROXIMITY_COLUMNS)

    def fill(
        self,
        time_ns: int,
        step: int,
        values: Floats,
        owners: Ints,
        parents: Ints,
        proximity: Floats,
    ) -> memoryview:
        """Put the numbers in.

        Returns:
            The serialized message, valid until the next call.
        """
        template = self._template
        template.set_stamps(time_ns)
        template.uint64[self._step] = step
        self._values[:] = values
        self._owners[:] = owners
        self._parents[:] = parents
        self._proximity[:] = proximity.reshape(-1)
        return template.data


class JointTemplate:
    """``sensor_msgs/msg/JointState`` of one robot, from its attributes ``joint_positions`` and so on.

    An attribute with another number of values than the robot has joints is left out.
    """

    def __init__(self, layout: Layout, robot: Entity) -> None:
        self._fields: list[tuple[slice, NDArray[np.float64]]] = []
        count = len(robot.joints)
        sources: dict[str, slice] = {}
        for name, attributes in _JOINT_FIELDS.items():
            for attribute in attributes:
                if layout.has(robot.name, attribute):
                    where = layout.range_of(robot.name, attribute)
                    if count and where.stop - where.start == count:
                        sources[name] = where
        arrays = {
            name: _marked(count if name in sources else 0, (i + 1) * _MARK, np.float64)
            for i, name in enumerate(_JOINT_FIELDS)
        }
        example = message(
            JOINT_STATES.type,
            header=message("std_msgs/msg/Header", stamp=marked_stamp(), frame_id=""),
            name=list(robot.joints),
            **arrays,
        )
        self._template = CdrTemplate(example, JOINT_STATES.type)
        for i, name in enumerate(_JOINT_FIELDS):
            if name in sources:
                part = _part(self._template, self._template.float64, (i + 1) * _MARK, count)
                self._fields.append((sources[name], part))

    @property
    def has_positions(self) -> bool:
        """Whether the robot has any of these attributes."""
        return bool(self._fields)

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers in.

        Returns:
            The serialized message, valid until the next call.
        """
        self._template.set_stamps(time_ns)
        for source, part in self._fields:
            part[:] = values[source]
        return self._template.data


def joint_templates(layout: Layout) -> list[JointTemplate]:
    """Return a template for each robot that has positions or other attributes of joints."""
    found = [JointTemplate(layout, robot) for robot in layout.of_kind(EntityKind.ROBOT)]
    return [template for template in found if template.has_positions]


class TransformTemplate:
    """``tf2_msgs/msg/TFMessage``: frames of entities, each directly under the world.

    Args:
        layout: of the scene.
        kinds: whose frames; those without a pose are left out.
    """

    def __init__(self, layout: Layout, kinds: Sequence[EntityKind] = MOVING) -> None:
        names = [e.name for e in layout.of_kind(*kinds) if layout.has(e.name, "pose")]
        self.empty = not names
        marks = np.arange(7.0 * len(names)) + _MARK_INT
        transforms = [
            _transform(name, marks[7 * i : 7 * i + 7].tolist()) for i, name in enumerate(names)
        ]
        example = message(TRANSFORMS.type, transforms=transforms)
        self._template = CdrTemplate(example, TRANSFORMS.type)
        places = {float(x): i for i, x in enumerate(self._template.float64)}
        self._targets = np.array([places[x] for x in marks.tolist()], np.intp)
        # ROS writes a quaternion as x, y, z, w; the scene as w, x, y, z.
        order = (0, 1, 2, 4, 5, 6, 3)
        starts = [layout.range_of(name, "pose").start for name in names]
        self._sources = np.array([start + i for start in starts for i in order], np.intp)

    def changed(self, values: Floats) -> bool:
        """Whether a frame is elsewhere than in the message that was filled last, to the bit."""
        filled = self._template.float64[self._targets]
        return filled.tobytes() != values[self._sources].tobytes()

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers in.

        Returns:
            The serialized message, valid until the next call.
        """
        self._template.set_stamps(time_ns)
        self._template.float64[self._targets] = values[self._sources]
        return self._template.data


def _transform(name: str, marks: list[float]) -> Any:
    x, y, z, qx, qy, qz, qw = marks
    return message(
        "geometry_msgs/msg/TransformStamped",
        header=message("std_msgs/msg/Header", stamp=marked_stamp(), frame_id=WORLD),
        child_frame_id=name,
        transform=message(
            "geometry_msgs/msg/Transform",
            translation=message("geometry_msgs/msg/Vector3", x=x, y=y, z=z),
            rotation=message("geometry_msgs/msg/Quaternion", x=qx, y=qy, z=qz, w=qw),
        ),
    )


def _marked(size: int, mark: float, dtype: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.zeros(size, dtype)
    array[:1] = mark
    return array


def _part(template: CdrTemplate, view: NDArray[Any], mark: float, size: int) -> NDArray[Any]:
    if size == 0:
        return view[:0]
    start = template.place(view, mark)
    return view[start : start + size]
