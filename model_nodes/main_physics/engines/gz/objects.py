"""What is asked of the objects between steps: who leads them, what they hang on, how faithful they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.poses import cross, relative_to
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from model_nodes.main_physics.engines.engine import Remark, Unsupported
from model_nodes.main_physics.engines.gz.clock import Clock
from model_nodes.main_physics.engines.gz.depenetration import Parting
from model_nodes.main_physics.engines.gz.link_levels import LinkLevels
from model_nodes.main_physics.engines.gz.parts import Load
from model_nodes.main_physics.engines.gz.proxies.selection import Roles
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.mujoco.tables import Sort
from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.names import frame_name
from model_nodes.main_physics.world.transforms import pose_of


@dataclass(frozen=True, slots=True)
class _Saved:
    led: object
    roles: object
    links: object
    parting: object
    attached: frozenset[str]
    pushes: dict[str, Floats]
    loads: dict[str, Load]


class Objects:
    """The bodies that move freely, and the links of robots as far as their fidelity goes.

    Attributes:
        roles: which twin stands for each object.
        links: the levels of robots' links.
        placed: (13,) pose and twist that an object is put at before the next step.
        outdated: Gazebo must be loaded anew, since parts of bodies are others now.
    """

    def __init__(self, world: World, shadow: Shadow, clock: Clock) -> None:
        self._shadow, self._clock = shadow, clock
        self._bodies = {body.name: body for body in world.bodies if not body.static}
        self._owner = {frame_name(b, k.name): b for b in world.bodies for k in b.links}
        self.roles = Roles(shadow.tables.free)
        self.links = LinkLevels(world, shadow.tables.joints, shadow.velocities)
        self.placed: dict[str, Floats] = {}
        self.outdated = False
        self._parting = Parting(shadow)
        self._attached: set[str] = set()
        self._pushes: dict[str, Floats] = {}
        self._released: dict[str, tuple[int, Floats]] = {}
        self._remarks: list[Remark] = []

    def _free(self, name: str) -> Body:
        body = self._bodies.get(name)
        if body is None or body.robot:
            raise Unsupported(f"Gazebo moves only free bodies from outside; {name} is none")
        return body

    def _rigid(self, name: str) -> Body:
        body = self._free(name)
        if body.moving_joints:
            raise Unsupported(
                f"{name} has joints; in Gazebo only rigid objects can be led or attached,"
                " or change their collisions or fidelity"
            )
        return body

    @property
    def told(self) -> tuple[str, ...]:
        """The objects that are where they are told: led ones, and those of less than high fidelity."""
        return (*self._shadow.led.values, *self.roles.frozen)

    def mute(self) -> frozenset[str]:
        """Frames whose forms are left out when Gazebo is loaded."""
        return self.links.mute | (self.roles.off & self._shadow.loads.keys())

    def choose(self) -> list[str]:
        """Find each object's form; answers those that change theirs."""
        shadow = self._shadow
        swapped, lacking = self.roles.choose(shadow.led.values, self._parting.passing, shadow.loads)
        self.outdated |= lacking
        return swapped

    def follow(self, name: str, value: Value) -> None:
        """Lead an object, by a twin with a velocity servo."""
        self._rigid(name)
        self._unload(name)
        self._attached.discard(name)
        self._lead(name, value)

    def _lead(self, name: str, value: Value) -> None:
        before = self._shadow.frame(name)
        if self._shadow.lead(name, value):
            self._released[name] = (self._clock.periods, before)
            self.roles.frozen.pop(name, None)
            self._parting.end(name)

    def hand_back(self, name: str, value: Value) -> None:
        """Let an object go; see `parting`."""
        self._rigid(name)
        self._unload(name)
        self._attached.discard(name)
        when, pose = self._released.pop(name, (-1, value.data))
        untouched = when == self._clock.periods and np.array_equal(pose, value.data)
        shadow = self._shadow
        if not untouched:
            self.roles.frozen.pop(name, None)
            shadow.lead(name, value)
            shadow.place_led(value.time_ns)
            self._put(name, shadow.frame(name))
        shadow.led.free(name)
        self._freeze(name)
        if not untouched:
            self._part(name)

    def _part(self, name: str) -> None:
        if name not in self.roles.off and name not in self.roles.frozen:
            self._parting.begin(name, self._clock.seconds)

    def part(self) -> None:
        """Move objects out of what they were handed back into; after each step."""
        if not self._parting.any:
            return
        for name, shift in self._parting.look(self._clock.seconds, self._clock.period).items():
            pose = self._shadow.poses[name].copy()
            pose[:3] += shift
            self._put(name, pose)

    def _put(self, name: str, pose: Floats) -> None:
        self._shadow.set_objects({name: pose})
        self.placed[name] = pose
        self._shadow.jump(self._clock.seconds)

    def set_collision(self, name: str, on: bool) -> None:
        """Swap an object for a twin that touches nothing, or back."""
        self._rigid(name)
        (self.roles.off.discard if on else self.roles.off.add)(name)
        self.outdated |= name in self._shadow.loads

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Hold objects where they are: medium ones as heavy twins, low ones touching nothing."""
        chosen = list(names)
        links = [name for name in chosen if name in self.links]
        objects = [self._rigid(name).name for name in chosen if name not in self.links]
        for name in objects:
            self.roles.levels[name] = level
            self._freeze(name)
        self.outdated |= self.links.set(links, level)

    def fidelity(self, name: str) -> Fidelity:
        """In how much detail an object or link is simulated; what is led or attached is always high."""
        if name in self.links:
            return self.links.level(name)
        self._free(name)
        held = name in self._shadow.led or name in self._shadow.loads
        return Fidelity.HIGH if held else self.roles.level(name)

    def _freeze(self, name: str) -> None:
        """Keep pose and twist of an object whose fidelity is low, or give them back."""
        high, frozen = self.fidelity(name) is Fidelity.HIGH, self.roles.frozen
        if high and name in frozen:
            self._put(name, frozen.pop(name))
        elif not high and name not in frozen:
            pose = self._shadow.poses[name]
            frozen[name] = pose
            self._put(name, np.concatenate([pose[:7], np.zeros(6)]))

    def push(self, name: str, wrench: Floats) -> None:
        """Let a force act in each step, as long as physics moves the object."""
        self._free(name)
        if name in self._shadow.loads:
            self._check_bearer(name, self._shadow.loads[name].to)
        if wrench.any():
            self._pushes[name] = np.array(wrench)
        else:
            self._pushes.pop(name, None)

    def wrenches(self) -> dict[str, Floats]:
        """Object -> (6,) force [N] and torque about its origin [Nm] that act now, along the world's axes.

        What acts on a load acts on what it is a part of.
        """
        found: dict[str, Floats] = {}
        for name, wrench in self._pushes.items():
            load = self._shadow.loads.get(name)
            on = name if load is None else self._owner[load.to].name
            if on != name:
                arm = self._shadow.poses[name][:3] - self._shadow.poses[on][:3]
                turn = cross(arm.tolist(), wrench[:3].tolist())
                wrench = wrench + np.array((0.0, 0.0, 0.0, *turn))
            found[on] = found[on] + wrench if on in found else wrench
        return found

    def attach(self, name: str, to: str) -> None:
        """Fix an object to a frame, where it is.

        Gazebo's joints between models are made by topics, one step late. An object on something that moves freely
        becomes a part of it. One on a robot, or on what stands, is led: a frame that is moved from outside anyway
        gives the same motion.
        """
        self._rigid(name)
        if to not in self._shadow.tables.frames:
            raise Unsupported(f"there is no {to} to attach {name} to")
        tables = self._shadow.tables
        moves_freely = tables.sorts[tables.body_of(to)] is Sort.FREE
        if moves_freely:
            self._check_load(name, to)
        self.detach(name)
        shadow = self._shadow
        here = relative_to(shadow.frame_of_any(to), shadow.poses[name])
        here[7:] = 0.0
        if moves_freely:
            if name in shadow.led:
                shadow.led.free(name)
            shadow.loads[name] = Load(to, pose_of(here))
            self.roles.frozen.pop(name, None)
            self._parting.end(name)
            self.outdated = True
        else:
            self._attached.add(name)
            self._lead(name, Value(here, self._clock.ns(), to))

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
            self._check_bearer(name, to)

    def _check_bearer(self, name: str, to: str) -> None:
        owner = self._owner[to]
        if owner.static or owner.moving_joints:
            raise Unsupported(
                f"Gazebo lets no force act on {name} while it is attached to {to}, a part of"
                f" {owner.name}, which has joints"
            )

    def detach(self, name: str) -> None:
        """Let go of what it hangs on."""
        self._rigid(name)
        if name in self._attached:
            pose = self._shadow.poses[name]
            self.hand_back(name, Value(pose, self._clock.ns(), WORLD))
        elif self._unload(name):
            self._freeze(name)
            self._part(name)

    def _unload(self, name: str) -> bool:
        if self._shadow.loads.pop(name, None) is None:
            return False
        self.placed[name] = self._shadow.poses[name]
        self.outdated = True
        return True

    def take_remarks(self) -> list[Remark]:
        """What was done about overlaps."""
        return self._parting.take_remarks()

    def save(self) -> object:
        """What `restore` needs; where the objects are is not in it."""
        return _Saved(
            self._shadow.led.save(),
            self.roles.save(),
            self.links.save(),
            self._parting.save(),
            frozenset(self._attached),
            dict(self._pushes),
            dict(self._shadow.loads),
        )

    def restore(self, state: object) -> None:
        """Go back to what `save` gave."""
        assert isinstance(state, _Saved)
        shadow = self._shadow
        off = self.roles.off
        shadow.led.restore(state.led)
        self.roles.restore(state.roles)
        self._parting.restore(state.parting)
        self.outdated |= self.links.restore(state.links)
        self.outdated |= (
            state.loads != shadow.loads
            or self.roles.off & state.loads.keys() != off & state.loads.keys()
        )
        shadow.loads = dict(state.loads)
        self._attached, self._pushes = set(state.attached), dict(state.pushes)
        self._released.clear()

    def keep_from(self, before: Objects) -> None:
        """Take over what was asked before, of what is still there.

        The shadow has taken over its positions already.
        """
        shadow, frames = self._shadow, self._shadow.tables.frames
        for name, value in before._shadow.led.values.items():
            if name in shadow.poses and (value.parent == WORLD or value.parent in frames):
                shadow.lead(name, value)
        self.roles.keep_from(before.roles)
        self.links.keep_from(before.links)
        shadow.loads = {
            name: load
            for name, load in before._shadow.loads.items()
            if name in shadow.poses and load.to in frames
        }
        self._attached = {name for name in before._attached if name in shadow.led}
        self._pushes = {n: wrench for n, wrench in before._pushes.items() if n in shadow.poses}
        shadow.jump(self._clock.seconds)
        for name in before._parting.names:
            if name in shadow.poses:
                self._parting.begin(name, self._clock.seconds)
        self._parting.take_remarks()
