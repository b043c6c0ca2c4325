"""A world loaded in Gazebo, in this process and in lock-step."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from hetwin_gazebo.bindings import gazebo, partition_in_environment, world_mark_topic
from hetwin_gazebo.contacts import Contact, ContactTopic
from hetwin_gazebo.options import GazeboOptions
from hetwin_gazebo.parts import Lump, ball_names, merge_fixed_lumps
from hetwin_gazebo.proxies.proxy import (
    PARKING_DISTANCE,
    Picture,
    Proxy,
    mass_frame,
    parking_pose,
)
from hetwin_gazebo.proxies.selection import ProxyKind, robot_number
from hetwin_gazebo.sdf_parts import split_name, top_name
from hetwin_gazebo.world_sdf import SdfWriter
from hetwin_suite.engine import TERMINATING, Body, World, joint_name
from hetwin_suite.model import Floats
from hetwin_suite.runs import HetwinError

SIGACTION_BYTES = 256
"""Upper bound of the size of C's `struct sigaction` on any platform [bytes]."""


@contextmanager
def preserved_signal_handlers() -> Iterator[None]:
    """Restore the signal handlers at the end; a signal that arrives in between is delivered afterwards.

    Gazebo's server replaces the handlers of SIGINT and SIGTERM by its own, which end the server without notice to this
    process: the run would fail instead of stopping. This works in any thread, whereas `signal.signal` works only in
    the main thread. Threads that Gazebo starts inherit the mask, so that signals never interrupt them.
    """
    c = ctypes.CDLL(None)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATING)
    handlers = {number: ctypes.create_string_buffer(SIGACTION_BYTES) for number in TERMINATING}
    try:
        for number, action in handlers.items():
            c.sigaction(int(number), None, action)
        yield
    finally:
        for number, action in handlers.items():
            c.sigaction(int(number), action, None)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


_simulation_numbers = itertools.count()
Command = Callable[[Any], None]


class GazeboFailed(HetwinError):
    """Gazebo could not load the world or did not step."""


def model_name(body: Body, kind: ProxyKind) -> str:
    """Return the name of the proxy in Gazebo of an object without a picture; the plain one has the object's name."""
    name = top_name(body.name)
    return name if kind is ProxyKind.PLAIN else f"{name}~{kind.value}"


def _empty_message_type() -> Any:
    return gazebo().message("empty_pb2", "Empty")


_USER_TAGS = ("plugin", "sensor")


def _has_user_elements(body: Body, parts: Mapping[str, Lump]) -> bool:
    extras = (*body.extras, *(extra for lump in parts.values() for extra in lump.extras))
    return any(extra.tag in _USER_TAGS for extra in extras)


class Simulation:
    """Gazebo with a world, and handles of everything that moves in it.

    A proxy is a model that stands for an object in Gazebo's physics; an object has one for each `ProxyKind` in use. A
    picture is a model that only displays an object.

    Attributes:
        proxies: (object, kind) -> its model.
        bases: robot with a free or moving base -> its model.
        pictures_of: objects that are displayed by a picture, not by their proxies.
        pictures: object -> its picture, available after the start of the first step.
        joints: joints in the engine's order.
        balls: ball joints in the order of `balls.Balls`.
        frame_of: Gazebo's id of a collision -> name of its frame.
    """

    def __init__(
        self,
        world: World,
        parts: Mapping[str, Mapping[str, Lump]],
        poses: Mapping[str, Floats],
        kinds: set[tuple[str, ProxyKind]],
        pictures: frozenset[str],
        joints: tuple[str, ...],
        step_ns: int,
        options: GazeboOptions,
        partition: str,
    ) -> None:
        self._gz, self._partition = gazebo(), partition
        self._world, self._parts, self._kinds = world, parts, sorted(kinds)
        self._joint_names = joints
        self.pictures_of = self._displayable(pictures) if options.visible else frozenset()
        self.pictures: dict[str, Picture] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="hetwin_gz_")
        self._initial_poses: dict[tuple[str, ProxyKind], Floats] = {}
        self._picture_poses: dict[str, Floats] = {}
        number = next(_simulation_numbers)
        topic = f"/hetwin/{os.getpid()}/{number}/contacts"
        writer = SdfWriter(
            top_name(world.name),
            world.gravity,
            step_ns * 1e-9,
            options,
            Path(self._folder.name),
            topic,
        )
        self._write(writer, poses)
        writer.add_users(world.extras, options)
        file = Path(self._folder.name, "world.sdf")
        file.write_text(writer.text(), "utf-8")
        self.proxies: dict[tuple[str, ProxyKind], Proxy] = {}
        self.bases: dict[str, Proxy] = {}
        self.joints: list[Any] = []
        self.balls: list[Any] = []
        self.frame_of: dict[int, str] = {}
        self._robot_collisions: set[int] = set()
        self._step_ns, self._steps = step_ns, 0
        self._by_mass_frame = options.physics == "bullet-featherstone"
        self._callback = _StepCallback(self._bind)
        with preserved_signal_handlers(), partition_in_environment(partition):
            self._contacts = ContactTopic(self._gz, topic)
            self._node = self._gz.transport.Node()
            # Kept alive: its topic marks the world as one of this process.
            self._world_publisher = self._node.advertise(
                world_mark_topic(top_name(world.name)), _empty_message_type()
            )
            self._fixture = self._gz.sim.TestFixture(str(file))
            self._fixture.on_pre_update(self._callback.pre_update)
            self._fixture.finalize()
            self._server = self._fixture.server()

    def _write(self, writer: SdfWriter, poses: Mapping[str, Floats]) -> None:
        objects = [body for body in self._world.bodies if not body.static]
        for body in self._world.bodies:
            if body.static or body.robot:
                parts, pose = self._parts[body.name], poses.get(body.name, body.pose)
                name, number = top_name(body.name), robot_number(body, self._world.bodies)
                writer.add(body, parts, name=name, pose=pose, index=number, displayed=True)
                continue
            if body.name in self.pictures_of:
                (lump,) = merge_fixed_lumps(body, self._parts[body.name]).values()
                writer.add_picture(top_name(body.name), lump, poses[body.name])
                self._picture_poses[body.name] = poses[body.name]
            for kind in ProxyKind:
                if (body.name, kind) not in self._kinds:
                    continue
                pose = poses[body.name]
                if kind is not ProxyKind.PLAIN:
                    pose = parking_pose(
                        PARKING_DISTANCE + 20.0 * len(self._initial_poses), PARKING_DISTANCE
                    )
                self._initial_poses[body.name, kind] = pose
                index = objects.index(body)
                writer.add(
                    body,
                    self._parts_of(body, kind),
                    name=self._model_name(body, kind),
                    pose=pose,
                    kind=kind,
                    index=index,
                    displayed=body.name not in self.pictures_of,
                )

    def _displayable(self, objects: frozenset[str]) -> frozenset[str]:
        """Return the objects that may have a picture.

        The plain proxy of an object with sensors or plugins of the user must keep the object's name.
        """
        with_user_elements = {
            b.name for b in self._world.bodies if _has_user_elements(b, self._parts[b.name])
        }
        return objects - with_user_elements

    def _model_name(self, body: Body, kind: ProxyKind) -> str:
        """Return the name of a proxy in Gazebo; the object's name goes to its picture, or else to the plain proxy."""
        if body.name in self.pictures_of:
            return f"{top_name(body.name)}~{kind.value}"
        return model_name(body, kind)

    def _bind(self, ecm: Any) -> None:
        sim = self._gz.sim
        world = sim.World(sim.world_entity(ecm))
        joints: dict[str, Any] = {}
        for body in self._world.bodies:
            kinds: list[ProxyKind | None] = [k for k in ProxyKind if (body.name, k) in self._kinds]
            for kind in kinds or [None]:
                name = top_name(body.name) if kind is None else self._model_name(body, kind)
                model = self._model(world, ecm, name)
                self._bind_frames(ecm, self._parts_of(body, kind), model, is_robot=body.robot)
                if kind is not None:
                    pose = self._initial_poses[body.name, kind]
                    if kind is ProxyKind.PLAIN:
                        pose = parking_pose(
                            PARKING_DISTANCE, PARKING_DISTANCE + 20.0 * len(self.proxies)
                        )
                    root = body.links[0].name
                    link = self._link(ecm, model, root)
                    inertial = self._parts[body.name][root].total_inertial
                    mass = mass_frame(inertial) if self._by_mass_frame else None
                    proxy = Proxy(self._gz, ecm, model, link, pose, mass)
                    self.proxies[body.name, kind] = proxy
                if body.robot and not body.static:
                    self.bases[body.name] = self._base(ecm, body, model)
                if kind in (None, ProxyKind.PLAIN):
                    joints.update(self._bind_joints(ecm, body, model))
            if body.name in self.pictures_of:
                model, pose = (
                    self._model(world, ecm, top_name(body.name)),
                    self._picture_poses[body.name],
                )
                link = self._link(ecm, model, body.links[0].name)
                proxy = Proxy(self._gz, ecm, model, link, pose)
                self.pictures[body.name] = Picture(proxy, pose)
        self.joints = [joints[name] for name in self._joint_names]
        self.balls = [joints[name] for name in ball_names(self._world)]

    def _base(self, ecm: Any, body: Body, model: Any) -> Proxy:
        root = body.links[0].name
        return Proxy(
            self._gz,
            ecm,
            model,
            self._link(ecm, model, root),
            parking_pose(PARKING_DISTANCE, PARKING_DISTANCE),
        )

    def _parts_of(self, body: Body, kind: ProxyKind | None) -> Mapping[str, Lump]:
        """Return the lumps of one of a body's proxies; only the plain one has the user's elements."""
        parts = self._parts[body.name]
        return parts if kind in (None, ProxyKind.PLAIN) else merge_fixed_lumps(body, parts)

    def _model(self, world: Any, ecm: Any, name: str) -> Any:
        entity = world.model_by_name(ecm, name)
        if entity in (0, None):
            raise GazeboFailed(f"Gazebo could not load the model {name}")
        return self._gz.sim.Model(entity)

    def _scope(self, ecm: Any, model: Any, names: tuple[str, ...]) -> Any:
        """Return a nested model."""
        for name in names:
            inner = [self._gz.sim.Model(entity) for entity in model.models(ecm)]
            model = next(found for found in inner if found.name(ecm) == name)
        return model

    def _link(self, ecm: Any, model: Any, name: str) -> Any:
        models, last = split_name(name)
        return self._gz.sim.Link(self._scope(ecm, model, models).link_by_name(ecm, last))

    def _bind_frames(
        self, ecm: Any, parts: Mapping[str, Lump], model: Any, *, is_robot: bool
    ) -> None:
        for lump in parts.values():
            link = self._link(ecm, model, lump.root)
            for name, frame in lump.collisions.items():
                collision = int(link.collision_by_name(ecm, name))
                self.frame_of[collision] = frame
                if is_robot:
                    self._robot_collisions.add(collision)

    def _bind_joints(self, ecm: Any, body: Body, model: Any) -> Iterator[tuple[str, Any]]:
        for joint in (*body.moving_joints, *body.ball_joints):
            models, last = split_name(joint.name)
            scope = self._scope(ecm, model, models)
            handle = self._gz.sim.Joint(scope.joint_by_name(ecm, last))
            handle.enable_position_check(ecm)
            handle.enable_velocity_check(ecm)
            yield joint_name(body, joint), handle

    def step(self, command: Command) -> Any:
        """Advance by one of Gazebo's steps, and return the entity component manager with the state.

        `command` is called within the step, before physics.

        Raises:
            GazeboFailed: if Gazebo does not step.
        """
        return self.run(command, 1)

    def run(self, command: Command, steps: int) -> Any:
        """Advance by a number of Gazebo's steps; see `step`."""
        # Some of Gazebo's systems create their nodes in the first step.
        with nullcontext() if self._steps else partition_in_environment(self._partition):
            done = self._callback.run(self._server, command, steps)
        if not done:
            raise GazeboFailed("Gazebo did not step; its messages above may say why")
        self._steps += steps
        self._contacts.unsubscribe_if_idle(self._steps * self._step_ns)
        return self._callback.ecm

    def contacts(self) -> list[Contact]:
        """Return the last received contacts if they are recent; empty on the first call."""
        return self._contacts.latest(self._steps * self._step_ns)

    def new_contacts(self) -> list[tuple[int, list[Contact]]]:
        """Return the robots' contacts since the last call; empty if that was too long ago; see `LockStep`."""
        now = self._steps * self._step_ns
        unread = self._contacts.unread(now, self._robot_collisions)
        return [(now - stamp, found) for stamp, found in unread]

    def close(self) -> None:
        """Shut Gazebo down."""
        self._contacts.close()
        self._callback.forget()
        self._server = self._fixture = self._world_publisher = self._node = None
        self.proxies.clear()
        self.bases.clear()
        self.pictures.clear()
        self.joints.clear()
        self.balls.clear()
        self._folder.cleanup()


class _StepCallback:
    """The callback that Gazebo calls in each step.

    Gazebo would swallow an exception raised in here and stop stepping silently; so it is stored and raised later.
    """

    def __init__(self, bind: Command) -> None:
        self._bind: Command | None = bind
        self._command: Command | None = None
        self._error: Exception | None = None
        self._called = False
        self.ecm: Any = None

    def pre_update(self, info: Any, ecm: Any) -> None:
        """Bind the handles in the first step; apply the step's commands."""
        self._called = True
        try:
            if self._bind is not None and self.ecm is None:
                self.ecm = ecm
                self._bind(ecm)
            if self._command is not None and self._error is None:
                self._command(ecm)
        except Exception as error:
            self._error = error

    def run(self, server: Any, command: Command, steps: int) -> bool:
        """Run a number of steps, and raise the first exception that occurred in them, if any."""
        self._command, self._called = command, False
        done = bool(server.run(True, steps, False))
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return done and self._called

    def forget(self) -> None:
        """Drop all references to Gazebo."""
        self._bind = self._command = self.ecm = None
