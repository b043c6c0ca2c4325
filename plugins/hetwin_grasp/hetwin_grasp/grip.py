"""Decides which object a hand in a MuJoCo world holds (grasp monitor), and how that object moves (carrying model)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

import mujoco as mj
import numpy as np

from hetwin_grasp.hand import MujocoHand, body_name, joint_name, solid_geoms, subtree
from hetwin_suite.engine import CARRYING_GAIN, Nearest, nearest_points, rotation_vector
from hetwin_suite.harness import proximity_tables
from hetwin_suite.model import (
    HELD_OBJECT,
    HOLDING,
    POSE,
    AttributeSpec,
    BadInput,
    Entity,
    EntityKind,
    Event,
    Floats,
    GraspMonitor,
    Layout,
    Model,
    Responsible,
    RigidGrasp,
    Snapshot,
    Tick,
    Value,
    compose,
    extrapolate,
    finger_links,
)

REACH = 0.02
"""Distance from the hand within which objects are considered [m]."""
MONITOR = {
    "dwell": 0.01,
    "settle_time": 0.04,
    "overlap": 0.002,
    "release_opening": 0.08,
    "min_closing": 0.02,
}
"""Parameters of the grasp monitor. A carried object leaves the fingers only when they open, so short times suffice.
Longer ones fail: within 0.1 s, slippery cans squeeze out between flat fingers, or the fingers sink into the cans if
contacts are soft."""
SUCTION = 0.005
"""Maximum distance at which a suction cup takes an object [m]."""
_ROBOT = "hand_robot"


class Grip:
    """The object in a hand.

    Args:
        model, data: the MuJoCo world.
        hand: a hand of that model.
        objects: names or patterns of the free bodies that may be held.
        carried_by: the model that computes the pose of a held object, not yet initialized; None: a rigid grasp.
        listener: called with each event of the grasp monitor.

    Attributes:
        held: id of the held body; 0: none.
        suction_on: whether the suction of a hand without fingers is on.

    Raises:
        BadInput: if no object can be held, or the hand has a single finger and no palm.
    """

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        hand: MujocoHand,
        objects: Sequence[str],
        carried_by: Model | None,
        listener: Callable[[Event], None],
    ) -> None:
        self._model, self._data, self._hand, self._listener = model, data, hand, listener
        self._frame, self.suction_on = f"{hand.name} (grasp)", False
        bodies = _objects(model, hand, objects)
        self._layout, description = self._describe(bodies)
        self._body = {body_name(model, body): body for body in bodies}
        self._part_of = {part: body for body in bodies for part in subtree(model, body)}
        self._pairs = _pairs(model, hand.bodies, self._part_of)
        self._max_distance_squared = (model.geom_rbound[self._pairs].sum(axis=1) + REACH) ** 2
        self._qpos_addresses = model.jnt_qposadr[list(hand.joints)]
        self._monitor = GraspMonitor()
        if hand.joints:
            self._monitor.contribute({"hand": description, **MONITOR}, 0)
        self._carrier = carried_by or RigidGrasp()
        if not isinstance(self._carrier, Responsible):
            raise BadInput(
                "this model cannot carry objects",
                where="carried_by",
                found=type(self._carrier).__name__,
                expected="a model that takes responsibilities, such as rigid_grasp",
            )
        self._owner: Responsible = self._carrier
        overrides = {} if carried_by else {"velocity_window": 0.0}
        self._carrier.contribute({"hand": description, **overrides}, 0)
        self.restart()

    def restart(self) -> None:
        """Reset: the hand holds nothing."""
        self.held, self._value, self._updated_ns = 0, Value(np.zeros(0), 0), self._now()
        self._palm = np.zeros(7)
        scene = self._scene({})
        if self._hand.joints:
            self._monitor.start(scene)
        self._carrier.start(scene)

    def update(self) -> bool:
        """Update the held object; returns whether an object is held or within `REACH`."""
        near = self._nearest_pairs()
        if not near and not self.held:
            return False
        scene = self._scene(near)
        tick = Tick(scene.time_ns, scene.time_ns - self._updated_ns, scene)
        self._updated_ns = scene.time_ns
        for event in self._events(tick, near):
            held = self._body[str(event.arguments["object"])]
            if event.name == "grip_closed":
                self._take(held, scene)
            else:
                self._owner.release(self._name(), POSE.name, scene)
                self.held = 0
            self._listener(event)
        carried_to = self._carrier.step(tick)
        if self.held and carried_to is not None:
            self._value = carried_to.values.get((self._name(), POSE.name), self._value)
        return True

    def follow(self, step: float) -> tuple[Floats, Floats]:
        """Compute the velocity with which the held object follows the hand.

        Args:
            step: time since the last call [s]; 0: the hand has not moved.

        Returns:
            (6,) twist of the target pose, and (6,) the same plus a correction of the pose error [m/s, rad/s]; world
            frame.
        """
        data, palm = self._data, self._hand.bodies[0]
        palm_pose = np.append(data.xpos[palm], data.xquat[palm])
        motion = np.append(
            palm_pose[:3] - self._palm[:3], rotation_vector(self._palm[3:], palm_pose[3:])
        )
        self._palm, value = palm_pose, self._value
        hand = np.append(palm_pose, motion / step if step else np.zeros(6))
        if value.parent == self._frame:
            target = compose(hand, value.data)
        else:
            target = extrapolate(value.data, (self._now() - value.time_ns) * 1e-9)
        error = np.append(
            target[:3] - data.xpos[self.held], rotation_vector(data.xquat[self.held], target[3:7])
        )
        return target[7:], target[7:] + min(CARRYING_GAIN, 0.5 / step if step else 0.0) * error

    def pose(self, body: int) -> Floats:
        """(13,) pose and twist of a body in the world frame, as last computed by MuJoCo."""
        data, twist = self._data, np.zeros(6)
        mj.mj_objectVelocity(self._model, data, mj.mjtObj.mjOBJ_XBODY, body, twist, 0)
        return np.concatenate([data.xpos[body], data.xquat[body], twist[3:], twist[:3]])

    def _take(self, body: int, scene: Snapshot) -> None:
        self.held = body
        value = scene.value(self._name(), POSE.name)
        self._owner.take(self._name(), POSE.name, value, scene)
        self._value = value

    def _events(self, tick: Tick, near: dict[tuple[int, int], Nearest]) -> list[Event]:
        if self._hand.joints:
            events = self._monitor.step(tick).events
            return [event for event in events if "object" in event.arguments]
        if self.suction_on == bool(self.held):
            return []
        touched = [(found.distance, body) for (body, _), found in near.items()]
        distance, body = (0.0, self.held) if self.held else min(touched, default=(1.0, 0))
        if distance > SUCTION:
            return []
        name = "grip_closed" if self.suction_on else "grip_lost"
        arguments = {"hand": self._frame, "object": body_name(self._model, body)}
        return [Event(name, tick.time_ns, arguments=arguments)]

    def _nearest_pairs(self) -> dict[tuple[int, int], Nearest]:
        """(object, body of the hand) -> nearest points, for pairs closer than `REACH`."""
        model, data, positions = self._model, self._data, self._data.geom_xpos
        offsets = positions[self._pairs[:, 0]] - positions[self._pairs[:, 1]]
        close = np.einsum("ij,ij->i", offsets, offsets) < self._max_distance_squared
        found: dict[tuple[int, int], Nearest] = {}
        segment = np.zeros(6)
        for geom, other in self._pairs[close].tolist() if close.any() else ():
            body, part = int(model.geom_bodyid[geom]), int(model.geom_bodyid[other])
            distance = mj.mj_geomDistance(model, data, geom, other, REACH, segment)
            key = (self._part_of[part], body)
            if distance < (found[key].distance if key in found else REACH):
                found[key] = nearest_points(data, part, body, distance, segment.tolist())
        return found

    def _scene(self, near: dict[tuple[int, int], Nearest]) -> Snapshot:
        layout, values = self._layout, np.zeros(self._layout.size)
        if len(self._qpos_addresses):
            values[layout.range_of(_ROBOT, "joint_positions")] = self._data.qpos[
                self._qpos_addresses
            ]
        values[layout.range_of(self._frame, POSE.name)] = self.pose(self._hand.bodies[0])
        for body in {*(body for body, _ in near), self.held} - {0}:
            values[layout.range_of(body_name(self._model, body), POSE.name)] = self.pose(body)
        if self._hand.joints:
            values[layout.range_of(self._frame, HELD_OBJECT.name)] = -1.0
        rows = np.array([self._row(*key, found) for key, found in near.items()]).reshape(-1, 12)
        slots = len(layout.slots)
        owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
        return Snapshot(
            layout, ("mujoco",), self._now(), values, owners, parents, proximity_tables(rows)
        )

    def _row(self, body: int, link: int, near: Nearest) -> tuple[float, ...]:
        ids = (
            self._layout.entity_id(body_name(self._model, entity_id)) for entity_id in (body, link)
        )
        return (*ids, near.distance, *near.point, *near.normal, 0.0, 0.0, 0.0)

    def _describe(self, objects: Iterable[int]) -> tuple[Layout, dict[str, object]]:
        """Return the layout of the models' scene, and the hand as their parameter `hand`."""
        model, hand = self._model, self._hand
        joints = tuple(joint_name(model, joint) for joint in hand.joints)
        moving_joints = {
            int(model.jnt_bodyid[j]): joint_name(model, j) for j in reversed(hand.joints)
        }
        names = [body_name(model, body) for body in range(model.nbody)]
        parents = {body: names[model.body_parentid[body]] for body in hand.bodies[1:]}
        links = [
            Entity(
                names[body],
                EntityKind.LINK,
                owner=_ROBOT,
                parent=parents.get(body, ""),
                joint=moving_joints.get(body, ""),
            )
            for body in hand.bodies
        ]
        frame = Entity(self._frame, EntityKind.HAND, owner=_ROBOT, parent=hand.name, joints=joints)
        entities = [Entity(body_name(model, body), EntityKind.OBJECT) for body in objects]
        robot = Entity(_ROBOT, EntityKind.ROBOT, joints=joints)
        attributes = [(entity.name, POSE) for entity in (frame, *entities)]
        attributes += [(frame.name, HOLDING), (frame.name, HELD_OBJECT)]
        if joints:
            attributes.append((_ROBOT, AttributeSpec("joint_positions", len(joints))))
        description: dict[str, object] = {
            "name": frame.name,
            "robot": _ROBOT,
            "link": hand.name,
            "joints": list(joints),
            "finger_links": list(finger_links(links, frame)),
            "opened": list(hand.opened),
            "closed": list(hand.closed),
        }
        return Layout.build((robot, *links, frame, *entities), attributes), description

    def _name(self) -> str:
        return body_name(self._model, self.held)

    def _now(self) -> int:
        return round(float(self._data.time) * 1e9)


def _objects(model: mj.MjModel, hand: MujocoHand, patterns: Sequence[str]) -> list[int]:
    """The rigid bodies with a free joint that match the patterns."""
    free = model.jnt_bodyid[model.jnt_type == mj.mjtJoint.mjJNT_FREE.value].tolist()
    found = [body for body in free if any(fnmatchcase(body_name(model, body), p) for p in patterns)]
    rigid = [body for body in found if model.body_jntnum[list(subtree(model, body))].sum() == 1]
    rigid = [body for body in rigid if body != model.body_rootid[hand.bodies[0]]]
    if not rigid:
        raise BadInput(
            "no body matches that can be held",
            where="objects",
            found=list(patterns),
            expected="names or patterns of rigid bodies with a free joint",
        )
    return rigid


def _pairs(model: mj.MjModel, hand: Iterable[int], objects: Iterable[int]) -> np.ndarray:
    """(n, 2) ids of all pairs of an object's geom and a geom of the hand."""
    others = solid_geoms(model, objects).tolist()
    found = [(geom, other) for other in others for geom in solid_geoms(model, hand).tolist()]
    return np.array(found, np.intp).reshape(-1, 2)
