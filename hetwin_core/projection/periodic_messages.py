"""The messages that a log repeats: the state of the scene, the robots' joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.topics import JOINT_STATES, STATE, of_robot
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

    An attribute with another number of values than the robot has joints is left out. One of several robots has a topic
    below its name, where its joints have their names of the URDF.

    Attributes:
        topic: of its joint states.
    """

    def __init__(self, layout: Layout, robot: Entity) -> None:
        self._fields: list[tuple[slice, NDArray[np.float64]]] = []
        count, scope = len(robot.joints), f"{robot.name}::"
        is_one_of_several = bool(count) and all(name.startswith(scope) for name in robot.joints)
        self.topic = of_robot(JOINT_STATES, robot.name if is_one_of_several else "")
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
            name=[name.removeprefix(scope) for name in robot.joints],
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


def _marked(size: int, mark: float, dtype: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.zeros(size, dtype)
    array[:1] = mark
    return array


def _part(template: CdrTemplate, view: NDArray[Any], mark: float, size: int) -> NDArray[Any]:
    if size == 0:
        return view[:0]
    start = template.place(view, mark)
    return view[start : start + size]
