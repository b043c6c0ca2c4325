"""The requested states of the objects between steps: kinematic or free, attachments, collisions, fidelity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hetwin_gazebo.depenetration import Depenetration
from hetwin_gazebo.link_levels import LinkLevels
from hetwin_gazebo.lockstep import Clock
from hetwin_gazebo.parts import Load
from hetwin_gazebo.proxies.selection import (
    ProxyKind,
    ProxySelection,
    mask,
    masks,
    robot_number,
)
from hetwin_gazebo.shadow import Shadow
from hetwin_suite.engine import Body, BodyKind, Remark, Unsupported, World, frame_name, pose_of
from hetwin_suite.model import WORLD, Fidelity, Floats, Value, cross, relative_to


@dataclass(frozen=True, slots=True)
class _Saved:
    kinematic: object
    selection: object
    links: object
    depenetration: object
    attached: frozenset[str]
    pushes: dict[str, Floats]
    loads: dict[str, Load]


class Objects:
    """The free bodies, and the fidelity of the links of robots.

    Attributes:
        selection: selects the proxy of each object.
        links: fidelities of robots' links.
        indices: indices of the objects, in the order of the shadow's.
        placed: object -> (13,) pose and twist to set before the next step.
        outdated: whether Gazebo must reload the world, since the parts of bodies have changed.
    """

    def __init__(self, world: World, shadow: Shadow, clock: Clock) -> None:
        self._shadow, self._clock = shadow, clock
        self._bodies = {body.name: body for body in world.bodies if not body.static}
        self._owner = {frame_name(b, k.name): b for b in world.bodies for k in b.links}
        self._masks: dict[str, int] = {}
        for body in world.bodies:
            if body.robot or body.static:
                self._masks |= masks(body, robot_number(body, world.bodies))
        self.selection = ProxySelection(shadow.tables.free)
        self.links = LinkLevels(world, shadow.tables.joints, shadow.velocities)
        self.indices = {name: i for i, name in enumerate(shadow.tables.free)}
        self.placed: dict[str, Floats] = {}
        self.outdated = False
        self._depenetration = Depenetration(shadow)
        self._attached: set[str] = set()
        self._pushes: dict[str, Floats] = {}
        self._taken_over: dict[str, tuple[int, Floats]] = {}
        self._remarks: list[Remark] = []

    def _require_free_body(self, name: str) -> Body:
        body = self._bodies.get(name)
        if body is None or body.robot:
            raise Unsupported(
                f"in Gazebo other models can move only free bodies; {name} is not one"
            )
        return body

    def _require_rigid_body(self, name: str) -> Body:
        body = self._require_free_body(name)
        if not body.rigid:
            raise Unsupported(
                f"{name} has joints; in Gazebo only rigid objects can be kinematic or attached,"
                " or change their collisions or fidelity"
            )
        return body

    @property
    def prescribed(self) -> tuple[str, ...]:
        """Names of the objects with prescribed motion: kinematic ones, and those below high fidelity."""
        return (*self._shadow.kinematic.values, *self.selection.frozen)

    def names_with_pictures(self) -> frozenset[str]:
        """Names of the objects that a model other than their proxies shows to other programs; see `Picture`."""
        return frozenset(self.selection.swapped | self._shadow.loads.keys())

    def collisionless(self) -> frozenset[str]:
        """Frames without collision geometries when Gazebo is loaded."""
        return self.links.collisionless | (self.selection.off & self._shadow.loads.keys())

    def carriers(self) -> dict[str, str]:
        """Return attached object -> body that it is a part of, which need not be an object."""
        return {name: self._owner[load.to].name for name, load in self._shadow.loads.items()}

    def free_object_index(self, frame: int) -> int | None:
        """Return the index of the free object that contains a frame; None if there is none."""
        body = self._owner[self._shadow.tables.frames[frame]]
        load = self._shadow.loads.get(body.name)
        name = body.name if load is None else self._owner[load.to].name
        is_free = self.selection.active.get(name) not in (None, ProxyKind.KINEMATIC)
        return self.indices[name] if is_free else None

    def collide(self, frame: int, other: int) -> bool:
        """Whether two frames may collide in Gazebo; two frames of the same body never do."""
        frames = self._shadow.tables.frames
        return bool(self._collision_mask(frames[frame]) & self._collision_mask(frames[other]))

    def _collision_mask(self, frame: str) -> int:
        body, load = self._owner[frame], self._shadow.loads.get(self._owner[frame].name)
        if frame in self.collisionless():
            return 0
        if load is not None:
            body = self._owner[load.to]
        if body.robot or body.static:
            return self._masks[frame]
        kind = self.selection.active[body.name]
        return 0 if kind is None else mask(kind, list(self._bodies).index(body.name))

    def choose(self) -> list[str]:
        """Select each object's proxy, and return the objects whose proxy changes."""
        shadow = self._shadow
        swapped, missing = self.selection.choose(
            shadow.kinematic.values, self._depenetration.passing, shadow.loads
        )
        self.outdated |= missing
        return swapped

    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic, by a proxy with a velocity servo."""
        self._require_rigid_body(name)
        self._unload(name)
        self._attached.discard(name)
        self._make_kinematic(name, value)

    def _make_kinematic(self, name: str, value: Value) -> None:
        pose = self._shadow.frame(name)
        if self._shadow.set_kinematic(name, value):
            self._taken_over[name] = (self._clock.periods, pose)
            self.selection.frozen.pop(name, None)
            self._depenetration.end(name)

    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to physics; see `depenetration`."""
        self._require_rigid_body(name)
        self._unload(name)
        self._attached.discard(name)
        period, pose = self._taken_over.pop(name, (-1, value.data))
        is_unchanged = period == self._clock.periods and np.array_equal(pose, value.data)
        shadow = self._shadow
        if not is_unchanged:
            self.selection.frozen.pop(name, None)
            shadow.set_kinematic(name, value)
            shadow.place_kinematic(value.time_ns)
            self._put(name, shadow.frame(name))
        shadow.kinematic.release(name)
        self._freeze(name)
        if not is_unchanged:
            self._begin_depenetration(name)

    def _begin_depenetration(self, name: str) -> None:
        if name not in self.selection.off and name not in self.selection.frozen:
            self._depenetration.monitor(name, self._clock.seconds)

    @property
    def settled(self) -> bool:
        """Whether no object is being moved out of bodies that it penetrates."""
        return not self._depenetration.any

    @property
    def are_plain(self) -> bool:
        """Whether objects are settled, and none is pushed or attached to another."""
        return self.settled and not (self._pushes or self._shadow.loads)

    def depenetrate(self) -> None:
        """Move objects that were handed back out of the bodies that they penetrate; called after each step."""
        if self._depenetration.any:
            clock = self._clock
            for name, pose in self._depenetration.corrected_poses(
                clock.seconds, clock.period
            ).items():
                self._put(name, pose)

    def shift(self, shifts: Mapping[str, Floats]) -> None:
        """Displace objects before the next step, without changing their velocities."""
        for name, shift in shifts.items():
            pose = self._shadow.poses[name].copy()
            pose[:3] += shift
            self._put(name, pose)

    def _put(self, name: str, pose: Floats) -> None:
        self.put({name: pose})

    def put(self, poses: Mapping[str, Floats]) -> None:
        """Set (13,) poses and twists of objects."""
        self._shadow.set_objects(poses)
        self.placed.update(poses)
        self._shadow.jump(self._clock.seconds)

    def set_collision(self, name: str, on: bool) -> None:
        """Swap an object for a proxy without collisions, or back."""
        self._require_rigid_body(name)
        (self.selection.off.discard if on else self.selection.off.add)(name)
        self.outdated |= name in self._shadow.loads

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Hold objects in place: medium ones as heavy proxies, low ones without collisions."""
        chosen = list(names)
        links = [name for name in chosen if name in self.links]
        objects = [self._require_rigid_body(name).name for name in chosen if name not in self.links]
        for name in objects:
            self.selection.levels[name] = level
            self._freeze(name)
        self.outdated |= self.links.set(links, level)

    def fidelity(self, name: str) -> Fidelity:
        """Return the fidelity of an object or link; kinematic and attached objects are always high."""
        if name in self.links:
            return self.links.level(name)
        self._require_free_body(name)
        held = name in self._shadow.kinematic or name in self._shadow.loads
        return Fidelity.HIGH if held else self.selection.level(name)

    def _freeze(self, name: str) -> None:
        """Store pose and twist of an object that leaves high fidelity, or restore them when it returns."""
        high, frozen = self.fidelity(name) is Fidelity.HIGH, self.selection.frozen
        if high and name in frozen:
            self._put(name, frozen.pop(name))
        elif not high and name not in frozen:
            pose = self._shadow.poses[name]
            frozen[name] = pose
            self._put(name, np.concatenate([pose[:7], np.zeros(6)]))

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a wrench in each step while physics moves the object."""
        self._require_free_body(name)
        if name in self._shadow.loads:
            self._check_carrier(name, self._shadow.loads[name].to)
        if wrench.any():
            self._pushes[name] = np.array(wrench)
        else:
            self._pushes.pop(name, None)

    def wrenches(self) -> dict[str, Floats]:
        """Return object -> (6,) current force [N] and torque about its origin [Nm], in the world's axes.

        A wrench on an attached object is transferred to the body that it is a part of.
        """
        result: dict[str, Floats] = {}
        for name, wrench in self._pushes.items():
            load = self._shadow.loads.get(name)
            carrier = name if load is None else self._owner[load.to].name
            if carrier != name:
                arm = self._shadow.poses[name][:3] - self._shadow.poses[carrier][:3]
                torque = cross(arm.tolist(), wrench[:3].tolist())
                wrench = wrench + np.array((0.0, 0.0, 0.0, *torque))
            result[carrier] = result[carrier] + wrench if carrier in result else wrench
        return result

    def attach(self, name: str, to: str) -> None:
        """Attach an object to a frame at its current relative pose.

        Gazebo creates joints between models through a topic, one step late. An object attached to a free body therefore
        becomes a part of it. An object attached to a robot or a static body becomes kinematic instead; its motion is
        the same, since forces do not move these frames.
        """
        self._require_rigid_body(name)
        if to not in self._shadow.tables.frames:
            raise Unsupported(f"{name} cannot be attached to {to}: there is no such frame")
        tables = self._shadow.tables
        moves_freely = tables.body_kinds[tables.body_of(to)] is BodyKind.FREE
        if moves_freely:
            self._check_load(name, to)
        self.detach(name)
        shadow = self._shadow
        relative_pose = relative_to(shadow.frame_of_any(to), shadow.poses[name])
        relative_pose[7:] = 0.0
        if moves_freely:
            if name in shadow.kinematic:
                shadow.kinematic.release(name)
            shadow.loads[name] = Load(to, pose_of(relative_pose))
            self.selection.frozen.pop(name, None)
            self._depenetration.end(name)
            self.outdated = True
        else:
            self._attached.add(name)
            self._make_kinematic(name, Value(relative_pose, self._clock.ns(), to))

    def _check_load(self, name: str, to: str) -> None:
        owner, loads = self._owner[to], self._shadow.loads
        if owner.name == name:
            raise Unsupported(f"{name} cannot be attached to itself")
        if owner.name in loads:
            raise Unsupported(
                f"{owner.name} is attached itself; attach {name} to {loads[owner.name].to}"
            )
        if any(self._owner[load.to].name == name for load in loads.values()):
            raise Unsupported(f"{name} cannot be attached to {to}: something is attached to it")
        if name in self._pushes:
            self._check_carrier(name, to)

    def _check_carrier(self, name: str, to: str) -> None:
        owner = self._owner[to]
        if owner.static or not owner.rigid:
            raise Unsupported(
                f"Gazebo can apply no force to {name} while it is attached to {to}, a part of"
                f" {owner.name}, which has joints"
            )

    def detach(self, name: str) -> None:
        """Detach an object."""
        self._require_rigid_body(name)
        if name in self._attached:
            pose = self._shadow.poses[name]
            self.hand_back(name, Value(pose, self._clock.ns(), WORLD))
        elif self._unload(name):
            self._freeze(name)
            self._begin_depenetration(name)

    def _unload(self, name: str) -> bool:
        if self._shadow.loads.pop(name, None) is None:
            return False
        self.placed[name] = self._shadow.poses[name]
        self.outdated = True
        return True

    def take_remarks(self) -> list[Remark]:
        """Return the remarks about penetrations."""
        return self._depenetration.take_remarks()

    def save(self) -> object:
        """Return the state for `restore`, without the poses of the objects."""
        return _Saved(
            self._shadow.kinematic.save(),
            self.selection.save(),
            self.links.save(),
            self._depenetration.save(),
            frozenset(self._attached),
            dict(self._pushes),
            dict(self._shadow.loads),
        )

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, _Saved)
        shadow = self._shadow
        previous_off = self.selection.off
        shadow.kinematic.restore(state.kinematic)
        self.selection.restore(state.selection)
        self._depenetration.restore(state.depenetration)
        self.outdated |= self.links.restore(state.links)
        self.outdated |= (
            state.loads != shadow.loads
            or self.selection.off & state.loads.keys() != previous_off & state.loads.keys()
        )
        shadow.loads = dict(state.loads)
        self._attached, self._pushes = set(state.attached), dict(state.pushes)
        self._taken_over.clear()

    def copy_from(self, previous: Objects) -> None:
        """Copy the requested states of all bodies that still exist.

        The shadow must have copied its positions before.
        """
        shadow, frames = self._shadow, self._shadow.tables.frames
        for name, value in previous._shadow.kinematic.values.items():
            if name in shadow.poses and (value.parent == WORLD or value.parent in frames):
                shadow.set_kinematic(name, value)
        self.selection.copy_from(previous.selection)
        self.links.copy_from(previous.links)
        shadow.loads = {
            name: load
            for name, load in previous._shadow.loads.items()
            if name in shadow.poses and load.to in frames
        }
        self._attached = {name for name in previous._attached if name in shadow.kinematic}
        self._pushes = {n: wrench for n, wrench in previous._pushes.items() if n in shadow.poses}
        shadow.jump(self._clock.seconds)
        for name in previous._depenetration.names:
            if name in shadow.poses:
                self._depenetration.monitor(name, self._clock.seconds)
        self._depenetration.take_remarks()
