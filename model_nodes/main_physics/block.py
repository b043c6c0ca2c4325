"""All attributes of the main model as one flat array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.scans import SCAN
from hetwin_core.ensemble.scene.values import (
    ODOMETRY,
    POSE,
    POSE_SIZE,
    AttributeSpec,
    Floats,
    Meaning,
)
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.fittings import Sensors, due
from model_nodes.main_physics.world.description import World, frame_name

COLLISION = AttributeSpec("collision", 1, "", Meaning.TRUTH)
"""Whether the collisions of an object are enabled."""
RANGE = AttributeSpec("range", 1, "m")
"""The distance that a link's range sensor measures, or its reach if it detects nothing or is off."""
RANGE_SEEN = AttributeSpec("range_seen", 1, "", Meaning.ENTITY)
"""The entity that a link's range sensor detects."""
_JOINTS = (
    ("joint_positions", "rad or m"),
    ("joint_velocities", "rad/s or m/s"),
    ("joint_efforts", "Nm or N"),
)


class Block:
    """The values of all frames' and robots' poses, joints, collisions and sensors.

    There are two arrays, used in turn, so that a returned array stays valid for one more step.

    Attributes:
        data: the current array; valid until `next` has been called twice.
    """

    def __init__(
        self,
        world: World,
        engine: Engine,
        entities: Sequence[Entity],
        sensors: Sensors,
    ) -> None:
        self._frames = engine.frames
        order = {name: i for i, name in enumerate(entity.name for entity in entities)}
        self._entity_of_frame = np.array([order[name] for name in self._frames], np.float64)
        self._robots = [body for body in world.bodies if body.robot]
        self._objects = [e.name for e in entities if e.kind is EntityKind.OBJECT and not e.joints]
        self._links = tuple(
            frame_name(body, link.name) for body in self._robots for link in body.links
        )
        self._attributes: list[tuple[str, AttributeSpec]] = [(n, POSE) for n in self._frames]
        self._attributes += [(body.name, POSE) for body in self._robots]
        jointed = [entity for entity in entities if entity.joints and _has_joints(entity)]
        for entity in jointed:
            names = _JOINTS if entity.kind is EntityKind.ROBOT else _JOINTS[:2]
            self._attributes += [
                (entity.name, AttributeSpec(name, len(entity.joints), unit)) for name, unit in names
            ]
        self._attributes += [(name, COLLISION) for name in self._objects]
        self._odometers, self._lidars, self._step = sensors.odometers, sensors.lidars, 0
        self._attributes += [(odometer.robot, ODOMETRY) for odometer in self._odometers]
        self._attributes += [(lidar.link, lidar.pattern.attribute) for lidar in self._lidars]
        self._rangefinders = sensors.rangefinders
        self._attributes += [
            (b.frame, spec) for b in self._rangefinders for spec in (RANGE, RANGE_SEEN)
        ]
        self._slices: dict[tuple[str, str], slice] = {}
        size = 0
        for name, attribute in self._attributes:
            self._slices[name, attribute.name] = slice(size, size + attribute.size)
            size += attribute.size
        self._arrays = (np.zeros(size), np.zeros(size))
        self._range_readings = slice(size - 2 * len(self._rangefinders), size)
        self._current = 0
        self.data: Floats = self._arrays[0]
        self._views = [self._pose_view(array) for array in self._arrays]
        self._index_joints(jointed, engine)
        for array in self._arrays:
            for name in self._objects:
                array[self._slices[name, COLLISION.name]] = 1.0

    @property
    def objects(self) -> tuple[str, ...]:
        """The free objects without joints."""
        return tuple(self._objects)

    @property
    def links(self) -> tuple[str, ...]:
        """The links of robots."""
        return self._links

    @property
    def joint_positions(self) -> dict[str, float]:
        """Positions of all joints of the engine, by name [rad or m]."""
        return dict(zip(self._joints, self._positions.tolist(), strict=True))

    @staticmethod
    def provides() -> tuple[AttributeSpec, ...]:
        """The attributes that the main model declares; the sizes of joint attributes depend on the robot."""
        joints = (AttributeSpec(name, 0, unit) for name, unit in _JOINTS)
        return (POSE, *joints, COLLISION, ODOMETRY, AttributeSpec(SCAN, 0, "m"), RANGE, RANGE_SEEN)

    def next(self, efforts: Floats) -> None:
        """Switch to the other array: copy the values that change rarely, and write the robots' efforts."""
        previous = self.data
        self._current ^= 1
        self._step += 1
        self.data = self._arrays[self._current]
        self.data[self._rare_start :] = previous[self._rare_start :]
        if len(efforts):
            self.data[self._to_efforts] = efforts

    def fill(self, engine: Engine) -> None:
        """Read poses, joints and sensors from the engine; laser scanners only when they are due."""
        engine.read_frames(self._views[self._current])
        count = len(self._frames)
        data = self.data
        for i, root in enumerate(self._roots):
            start = (count + i) * POSE_SIZE
            data[start : start + POSE_SIZE] = data[root : root + POSE_SIZE]
        if len(self._positions):
            engine.read_joints(self._positions, self._velocities)
            data[self._to_positions] = self._positions
            data[self._to_velocities] = self._velocities
        for odometer in self._odometers:
            odometry = odometer.read(self._positions, self._velocities)
            data[self._slices[odometer.robot, ODOMETRY.name]] = odometry
        if self._lidars:
            for lidar in due(self._lidars, self._step):
                data[self._slices[lidar.link, SCAN]] = lidar.scan(engine)
        if self._rangefinders:
            readings = engine.read_rangefinders(self._rangefinders)
            frames = readings[:, 1].astype(np.intp)
            readings[:, 1] = np.where(frames < 0, -1.0, self._entity_of_frame[frames])
            data[self._range_readings] = readings.ravel()

    def efforts(self, joints: Sequence[str]) -> dict[str, float]:
        """The robots' efforts as last written, by joint [Nm or N].

        Args:
            joints: names of the driven joints, in the engine's order.
        """
        return dict(zip(joints, self.data[self._to_efforts].tolist(), strict=True))

    def set_collision(self, entity: str, on: bool) -> bool:
        """Enable or disable the collisions of an object; returns whether that is a change."""
        span = self._slices[entity, COLLISION.name]
        if bool(self.data[span][0]) == on:
            return False
        self.data[span] = float(on)
        return True

    def can_move(self, entity: str, attribute: str) -> bool:
        """Whether another model may be responsible for the attribute."""
        return entity in self._objects and attribute in (POSE.name, COLLISION.name)

    def value(self, entity: str, attribute: str) -> Floats:
        """Return a copy of an attribute's value."""
        return self.data[self._slices[entity, attribute]].copy()

    def items(self) -> Iterator[tuple[str, AttributeSpec, Floats]]:
        """Iterate over all attributes with their values, in the block's order."""
        for name, attribute in self._attributes:
            yield name, attribute, self.value(name, attribute.name)

    def to_entity_indices(self, rows: Floats) -> Floats:
        """Convert rows of proximity, clearances or touches from indices of frames to indices of entities, in place."""
        if len(rows):
            rows[:, 0:2] = self._entity_of_frame[rows[:, 0:2].astype(np.intp)]
        return rows

    def _pose_view(self, array: Floats) -> Floats:
        count = len(self._frames)
        return array[: count * POSE_SIZE].reshape(count, POSE_SIZE)

    def _index_joints(self, jointed: Sequence[Entity], engine: Engine) -> None:
        addresses: dict[str, dict[str, int]] = {name: {} for name, _ in _JOINTS}
        for entity in jointed:
            for name, _ in _JOINTS:
                begin = self._slices.get((entity.name, name), slice(0, 0)).start
                for i, joint in enumerate(entity.joints):
                    addresses[name][joint] = begin + i
        positions, velocities, efforts = (addresses[name] for name, _ in _JOINTS)
        self._to_positions = _as_slice([positions[j] for j in engine.joints])
        self._to_velocities = _as_slice([velocities[j] for j in engine.joints])
        self._to_efforts = _as_slice([efforts[j] for j in engine.driven])
        self._joints = tuple(engine.joints)
        self._positions = np.zeros(len(engine.joints))
        self._velocities = np.zeros(len(engine.joints))
        self._roots = [
            self._frames.index(frame_name(body, body.links[0].name)) * POSE_SIZE
            for body in self._robots
        ]
        self._rare_start = (len(self._frames) + len(self._robots)) * POSE_SIZE


def _as_slice(indices: Sequence[int]) -> slice | NDArray[np.intp]:
    """The indices, as a slice if they are consecutive, which is faster."""
    first = indices[0] if indices else 0
    if list(indices) == list(range(first, first + len(indices))):
        return slice(first, first + len(indices))
    return np.array(indices, np.intp)


def _has_joints(entity: Entity) -> bool:
    return entity.kind is not EntityKind.HAND
