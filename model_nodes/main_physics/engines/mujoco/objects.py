"""Operations on the objects of a simulation: motion by other models, collisions, fidelity, pushes, welds."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import cross
from hetwin_core.ensemble.scene.values import Fidelity, Floats, Value
from model_nodes.main_physics.engines.engine import Unsupported
from model_nodes.main_physics.engines.mujoco.options import (
    make_bouncing,
    make_heavier,
    make_rougher,
)
from model_nodes.main_physics.engines.mujoco.simulation import Simulation
from model_nodes.main_physics.engines.mujoco.tables import FreeBody
from model_nodes.main_physics.world.description import Body, Vector, frame_name


class Objects:
    """Acts on the objects of a simulation.

    Attributes:
        released: name -> period and pose at which physics released an object to another model.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = one = simulation
        self._origins, self._centres = one.data.xpos, one.data.xipos
        self._wrenches = one.data.xfrc_applied
        self.released: dict[str, tuple[int, Floats]] = {}

    def _free(self, name: str) -> FreeBody:
        free = self._simulation.tables.free.get(name)
        if free is None:
            raise Unsupported(
                f"in MuJoCo other models can move only free bodies; {name} is not one"
            )
        return free

    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic; see `kinematic_bodies`."""
        one = self._simulation
        if one.kinematic.follows(name, value):
            return
        free = self._free(name)
        if not free.rigid:
            raise Unsupported(f"{name} has joints; only rigid objects can follow another model")
        one.refresh()
        before = self._frame(free)
        one.fidelities.hold_high(name, True)
        if one.kinematic.set(free, value):
            self.released[name] = (one.periods, before)
            one.depenetration.end(free)
            one.attachments.detach(free)
            for body in free.members:
                one.collisions.set_kinematic(body, True)
            one.dirty = True

    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to physics; see `depenetration`."""
        one, free = self._simulation, self._free(name)
        one.refresh()
        one.fidelities.hold_high(name, True)  # MuJoCo does not update an object of lower fidelity
        when, pose = self.released.pop(name, (-1, value.data))
        untouched = when == one.periods and np.array_equal(pose, value.data)
        if not untouched:
            one.attachments.detach(free)
            one.kinematic.set(free, value)
            one.kinematic.place(value.time_ns)
        one.kinematic.release(name)
        for body in free.members:
            one.collisions.set_kinematic(body, False)
        one.dirty = True
        if not untouched:
            self._part(free)  # the object may penetrate others at this pose
        one.fidelities.hold_high(name, False)

    def _part(self, free: FreeBody) -> None:
        """Start to resolve the penetrations of an object."""
        one = self._simulation
        one.refresh()
        one.depenetration.monitor(free, one.seconds)
        one.dirty = True

    def _frame(self, free: FreeBody) -> Floats:
        one = self._simulation
        return np.array(one.reader.sensed[one.tables.body_frames[free.body]])

    def set_collision(self, name: str, on: bool) -> None:
        """Enable or disable all collisions of an object; see `depenetration`."""
        one, free = self._simulation, self._free(name)
        was_on = one.collisions.is_on(free.body)
        if not on:
            one.depenetration.end(free)
        for body in free.members:
            one.collisions.switch(body, on)
        one.dirty = True
        held = name in one.kinematic or name in one.attachments.bodies
        if on and not was_on and not held:
            self._part(free)

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Set the fidelity of objects and links; see `fidelities`."""
        one, names = self._simulation, list(names)
        links = [name for name in names if name in one.link_fidelities]
        names = [self._free(name).name for name in names if name not in one.link_fidelities]
        if one.dirty:
            one.refresh()  # MuJoCo does not update sleeping bodies
        one.fidelity_changed |= one.fidelities.set(names, level)
        one.dirty |= one.link_fidelities.set(links, level)

    def fidelity(self, name: str) -> Fidelity:
        """The current fidelity of an object or a link."""
        one = self._simulation
        if name in one.link_fidelities:
            return one.link_fidelities.level(name)
        return one.fidelities.level(self._free(name).name)

    def run_belt(self, frame: str, velocity: Vector, turn: Vector) -> None:
        """Set the surface velocity of all geoms of a body."""
        one, model = self._simulation, self._simulation.model
        try:
            geoms = list(one.tables.geoms[one.tables.body_of(frame)])
        except KeyError:
            raise Unsupported(f"there is no {frame} whose surface could move") from None
        model.geom_surfacevel[geoms] = (*velocity, *turn)
        model.flg_surfacevel = bool(model.geom_surfacevel.any())
        one.dirty = True

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a wrench, transformed to the centre of mass, where MuJoCo expects it."""
        body = self._free(name).body
        fx, fy, fz, tx, ty, tz = wrench.tolist()
        (ox, oy, oz), (x, y, z) = self._origins[body].tolist(), self._centres[body].tolist()
        mx, my, mz = cross((x - ox, y - oy, z - oz), (fx, fy, fz))
        self._wrenches[body] = (fx, fy, fz, tx - mx, ty - my, tz - mz)

    def attach(self, name: str, to: str) -> None:
        """Attach an object to a frame by a weld."""
        one, free = self._simulation, self._free(name)
        one.refresh()
        try:
            other = one.tables.body_of(to)
        except KeyError:
            raise Unsupported(f"there is no {to} to attach {name} to") from None
        self.detach(name)
        one.fidelities.hold_high(name, True)
        one.attachments.attach(free, other)
        one.dirty = True

    def detach(self, name: str) -> None:
        """Deactivate the weld of an attached object."""
        one, free = self._simulation, self._free(name)
        if one.attachments.detach(free):
            self._part(free)
            one.fidelities.hold_high(name, False)

    def place_standing(self, name: str, pose: Floats) -> int:
        """Move the root of a static body; returns the root's id."""
        one = self._simulation
        body = one.builder.body(name)
        if body is None or not body.static or body.robot:
            raise Unsupported(f"{name} is not a body of the world that stands")
        root = self._root(body)
        one.refresh()
        one.builder.move(body, pose)
        one.model.body_pos[root], one.model.body_quat[root] = pose[:3], pose[3:7]
        self._see_still()
        one.dirty = True
        return root

    def stand_elsewhere(self, before: Floats) -> list[tuple[int, Floats]]:
        """Update the builder's world for static bodies whose pose has changed since `before` (nbody, 7).

        Returns:
            The root of each such body, and its current pose (7,).
        """
        one = self._simulation
        now = standing(one.model)
        moved: list[tuple[int, Floats]] = []
        if np.array_equal(now, before):
            return moved
        for body in one.builder.world.bodies:
            root = self._root(body)
            if not np.array_equal(now[root], before[root]):
                one.builder.move(body, now[root])
                moved.append((root, now[root]))
        self._see_still()
        return moved

    def _root(self, body: Body) -> int:
        return self._simulation.tables.body_of(frame_name(body, body.links[0].name))

    def _see_still(self) -> None:
        one = self._simulation
        mj.mj_kinematics(one.model, one.data)
        one.still = one.reader.still()

    def change(
        self,
        name: str,
        mass: float,
        friction: float,
        coefficient: float | None,
        bounce: float | None,
    ) -> None:
        """Change mass, friction or restitution of a body; see `options`."""
        one, tables = self._simulation, self._simulation.tables
        body = one.builder.body(name)
        if body is None:
            raise Unsupported(f"there is no body {name}")
        bodies = [tables.body_of(frame_name(body, link.name)) for link in body.links]
        if mass != 1.0:
            free = self._free(name)
            if not free.rigid:
                raise Unsupported(f"{name} has joints; only rigid objects can become heavier")
            make_heavier(one.model, free, mass)
            one.kinematic.make_heavier(free, mass)
        geoms = [geom for each in bodies for geom in tables.geoms[each]]
        make_rougher(one.model, geoms, friction, coefficient)
        if bounce is not None:
            make_bouncing(one.model, geoms, bounce, one.builder.contact_time)
        one.dirty = True


def standing(model: mj.MjModel) -> Floats:
    """Return the pose of each body in its parent, (nbody, 7)."""
    return np.hstack((model.body_pos, model.body_quat))
