"""The scenario's world in a Gazebo server of another process, and the engine's differences there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo.contacts import Contact, without_duplicates
from hetwin_gazebo.options import GazeboOptions, Physics
from hetwin_gazebo.parts import Lump, ball_names, merge_fixed_lumps
from hetwin_gazebo.proxies.proxy import (
    PARKING_DISTANCE,
    Picture,
    Proxy,
    mass_frame,
    parking_pose,
)
from hetwin_gazebo.proxies.selection import ProxyKind
from hetwin_gazebo.sdf_parts import top_name
from hetwin_gazebo.server.connection import (
    Exchange,
    ServerJoint,
    ServerLink,
    ServerLost,
    ServerModel,
)
from hetwin_gazebo.server.matching import (
    ModelWriter,
    check_models,
    missing_bodies,
    model_of,
    proxy_bitmask,
    steps_per_period,
    united_bitmask,
)
from hetwin_gazebo.server.state import EntityTree
from hetwin_gazebo.server.world import CONTACTS, ServerWorld
from hetwin_gazebo.simulation import model_name
from hetwin_suite.engine import Body, JointKind, Remark, Unsupported, World, frame_name, joint_name
from hetwin_suite.model import Fidelity, Floats

_MAX_STORED_STEPS = 1024
"""Number of steps whose contacts are stored."""
_MAX_LAG = 1e-3
"""Maximum deviation of a joint from its commanded motion in one step; larger ones are reported [rad or m]."""


class ServerProxy(Proxy):
    """An object's model in a server; poses are set before a step starts, see `Exchange.take`."""

    parking_steps = 2000

    def settle(self, ecm: Any) -> None:
        """Do nothing: Gazebo has executed the pose command twice before the step."""
        self._placed = False

    @property
    def is_parked(self) -> bool:
        """Whether the proxy is parked away from the scene."""
        return self._steps_parked > 0


class ServerSimulation:
    """Handles of everything that moves in a server's world; replaces `simulation.Simulation`.

    Attributes:
        proxies: (object, kind) -> its model.
        joints: joints in the engine's order.
        balls: ball joints in the order of `balls.ball_names`.
        frame_of: Gazebo's id of a collision -> name of its frame.
        notes: differences from the scenario.
        bases: empty, since bases are fixed.
        pictures_of, pictures: empty, since other programs see the world's own models and each proxy.
    """

    def __init__(
        self,
        server: ServerWorld,
        world: World,
        parts: Mapping[str, Mapping[str, Lump]],
        poses: Mapping[str, Floats],
        kinds: set[tuple[str, ProxyKind]],
        joints: tuple[str, ...],
    ) -> None:
        self._server, self._world, self._parts = server, world, parts
        self.proxies: dict[tuple[str, ProxyKind], Proxy] = {}
        self.bases: dict[str, Proxy] = {}
        self.pictures_of: frozenset[str] = frozenset()
        self.pictures: dict[str, Picture] = {}
        self.frame_of: dict[int, str] = {}
        self.notes: list[str] = []
        self._positions: dict[str, float] = {}
        self._lagging: set[str] = set()
        self._creator = ModelWriter(world, parts, server.folder, server.name)
        server.unsubscribe()
        self._complete(poses)
        self._add_proxies(kinds)
        self._exchange = Exchange(server.state)
        bound = self._bind(sorted(kinds))
        self.joints = [bound[name] for name in joints]
        self.balls = [bound[name] for name in ball_names(world)]
        server.order(self._exchange.take()[1])
        server.subscribe()
        self._exchange.state = server.state
        self._steps, self._stored_contacts = 0, deque[tuple[int, list[Contact]]](maxlen=0)

    def _complete(self, poses: Mapping[str, Floats]) -> None:
        server, tree = self._server, self._server.tree()
        if server.create_missing:
            missing = missing_bodies(self._world, tree)
            server.create(
                {b.name: self._creator.body(b, poses.get(b.name, b.pose)) for b in missing}
            )
            self.notes += [f"{b.name}: created in the server's world" for b in missing]
        self.notes += check_models(self._world, server.state, server.tree(), server.created)

    def _add_proxies(self, kinds: set[tuple[str, ProxyKind]]) -> None:
        server, tree = self._server, self._server.tree()
        objects = [body for body in self._world.bodies if not body.static]
        fixed = [body for body in self._world.bodies if body.static and not body.robot]
        robot_bits = united_bitmask((b for b in self._world.bodies if b.robot), server.state, tree)
        fixed_bits = united_bitmask(fixed, server.state, tree)
        models: dict[str, str] = {}
        for index, body in enumerate(objects):
            for kind in ProxyKind:
                name = model_name(body, kind)
                if (body.name, kind) not in kinds or name in tree.models:
                    continue
                bits = proxy_bitmask(kind, index, robot_bits, fixed_bits)
                if kind is ProxyKind.KINEMATIC and not bits:
                    server.remark(_no_contact_remark(body.name))
                pose = parking_pose(
                    PARKING_DISTANCE + 20.0 * (len(server.created) + len(models)), PARKING_DISTANCE
                )
                models[name] = self._creator.proxy(body, kind, pose, bits)
        server.create(models)

    def _bind(self, kinds: list[tuple[str, ProxyKind]]) -> dict[str, ServerJoint]:
        tree, ecm = self._server.tree(), self._exchange
        joints: dict[str, ServerJoint] = {}
        for body in self._world.bodies:
            proxy_kinds: list[ProxyKind | None] = [
                kind for name, kind in kinds if name == body.name
            ]
            for kind in proxy_kinds or [None]:
                is_plain = kind in (None, ProxyKind.PLAIN)
                model = (
                    model_of(body, tree)
                    if is_plain
                    else tree.models[model_name(body, kind or ProxyKind.PLAIN)]
                )
                touchable = kind is not None and kind is not ProxyKind.GHOST
                self._bind_collisions(body, model, tree, touchable=touchable)
                if kind is not None:
                    link = tree.find(model, body.links[0].name, "Link")
                    assert link is not None
                    home = parking_pose(
                        PARKING_DISTANCE, PARKING_DISTANCE + 20.0 * len(self.proxies)
                    )
                    inertial = self._parts[body.name][body.links[0].name].total_inertial
                    by_mass = self._server.physics == "bullet-featherstone" and body.rigid
                    self.proxies[body.name, kind] = ServerProxy(
                        gazebo(),
                        ecm,
                        ServerModel(model, link),
                        ServerLink(link, model),
                        home,
                        mass_frame(inertial) if by_mass else None,
                    )
                if is_plain:
                    joints.update(self._bind_joints(body, model, tree))
        return joints

    def _bind_collisions(
        self, body: Body, model: int, tree: EntityTree, *, touchable: bool
    ) -> None:
        empty_report = gazebo().message("contacts_pb2", "Contacts")()
        empty_report.header.stamp.sec = 1  # a component without content is not set
        state, parts = self._server.state, merge_fixed_lumps(body, self._parts[body.name])
        for link in body.links:
            entity = tree.find(model, link.name, "Link")
            if entity is None:  # merged into another one by a fixed joint
                continue
            frames = parts[link.name].collisions if link.name in parts else {}
            for name, collision in tree.children(entity, "Collision").items():
                self.frame_of[collision] = frames.get(name, frame_name(body, link.name))
                if touchable and state.get(collision, CONTACTS) is None:
                    self._server.reporting_collisions.add(collision)
                    self._exchange.orders[collision, CONTACTS] = empty_report.SerializeToString()

    def _bind_joints(
        self, body: Body, model: int, tree: EntityTree
    ) -> Iterator[tuple[str, ServerJoint]]:
        for joint in (*body.moving_joints, *body.ball_joints):
            name, entity = joint_name(body, joint), tree.find(model, joint.name, "Joint")
            assert entity is not None
            handle = ServerJoint(entity, name)
            axes = 3 if joint.kind is JointKind.BALL else 1
            handle.enable_position_check(self._exchange, axes)
            handle.enable_velocity_check(self._exchange, axes)
            yield name, handle

    def step(self, command: Callable[[Any], None]) -> Exchange:
        """Advance by one of Gazebo's steps, and return the exchange with the state.

        `command` is called before the step.

        Raises:
            ServerLost: if the server does not step.
        """
        exchange, server = self._exchange, self._server
        for joint in self.joints:
            joint.commanded_velocity = None
        command(exchange)
        placing, moving = exchange.take()
        if placing:
            server.order(placing)
        server.step(moving)
        exchange.state = server.state
        try:
            self._report_lagging(placed=bool(placing))
        except KeyError as error:
            raise self._model_lost(error) from error
        self._steps += 1
        if len(self._stored_contacts) == _MAX_STORED_STEPS:  # no longer read
            self._stored_contacts = deque(maxlen=0)
        elif self._stored_contacts.maxlen:
            self._stored_contacts.append((self._steps, self.contacts()))
        return exchange

    def _report_lagging(self, *, placed: bool) -> None:
        seconds = self._server.step_ns * 1e-9
        for joint in self.joints:
            position = joint.position(self._exchange)[0]
            previous = self._positions.get(joint.name)
            self._positions[joint.name] = position
            if (
                placed
                or previous is None
                or joint.commanded_velocity is None
                or joint.name in self._lagging
            ):
                continue
            if (error := abs(position - previous - joint.commanded_velocity * seconds)) > _MAX_LAG:
                self._lagging.add(joint.name)
                self._server.remark(
                    f"the joint {joint.name} does not follow its command in the server: error of {error:.3g} rad or m"
                    " after one step; its effort is limited, it is blocked, or another controller moves it"
                )

    def _model_lost(self, error: KeyError) -> ServerLost:
        return ServerLost(
            f"the Gazebo server of the world {self._server.name} no longer reports {error} of a model;"
            " another program has removed the model"
        )

    def contacts(self) -> list[Contact]:
        """The contacts of the last step."""
        state, messages = self._exchange.state, []
        kind = gazebo().message("contacts_pb2", "Contacts")
        for collision in self.frame_of:
            data = state.get(collision, CONTACTS)
            if data:
                messages.append(kind.FromString(data))
        return list(without_duplicates(messages))

    def new_contacts(self) -> list[tuple[int, list[Contact]]]:
        """Return the contacts of the steps since the last call, with a limited number of steps; see `LockStep`."""
        stored, self._stored_contacts = self._stored_contacts, deque(maxlen=_MAX_STORED_STEPS)
        return [
            ((self._steps - step) * self._server.step_ns, contacts) for step, contacts in stored
        ]

    def close(self) -> None:
        """Put the server's own objects at the poses of their proxies."""
        active = {name: proxy for (name, _), proxy in self.proxies.items() if not _is_parked(proxy)}
        for (name, kind), proxy in self.proxies.items():
            if kind is ProxyKind.PLAIN and _is_parked(proxy) and name in active:
                proxy.place(self._exchange, active[name].last_state)
        placing, _ = self._exchange.take()
        if placing:
            with suppress(ServerLost):  # a server that has ended needs no cleanup
                self._server.order(placing)
        self.proxies.clear()


def _is_parked(proxy: Proxy) -> bool:
    return isinstance(proxy, ServerProxy) and proxy.is_parked


def _no_contact_remark(name: str) -> str:
    return (
        f"{name} has no contacts while another model moves it, since robots and fixed models of the server's world"
        " collide with everything; give their collisions the <collide_bitmask> 0x0001 and 0x0002"
    )


class ServerPart:
    """A server's world, and the operations that it does not support.

    Args:
        options: options with the world's name.

    Attributes:
        notes: differences from the scenario.

    Raises:
        BadInput: if the world cannot be used.
    """

    def __init__(self, options: GazeboOptions) -> None:
        assert options.server is not None
        self._world = ServerWorld(options.server, options.partition, create_missing=options.create)
        where = f"the world {options.server} of the Gazebo in the partition {self._world.partition}"
        self.notes = [f"{where} is paused, stepped with the twin, and left paused"]

    @property
    def description(self) -> str:
        """The world, for the log."""
        return f"server {self._world.name} in partition {self._world.partition}"

    @property
    def shown(self) -> tuple[str, str]:
        """Partition and name of the world."""
        return self._world.partition, self._world.name

    @property
    def physics(self) -> Physics:
        """The physics engine of the server."""
        return self._world.physics

    def steps(self, period: float) -> int:
        """Return the number of the world's steps in a period [s].

        Raises:
            BadInput: if the period is not a multiple of them.
        """
        return steps_per_period(round(period * 1e9), self._world.step_ns)

    def simulation(
        self,
        world: World,
        parts: Mapping[str, Mapping[str, Lump]],
        poses: Mapping[str, Floats],
        kinds: set[tuple[str, ProxyKind]],
        joints: tuple[str, ...],
    ) -> ServerSimulation:
        """Bind the scenario's bodies to the server's world; missing proxies are created."""
        simulation = ServerSimulation(self._world, world, parts, poses, kinds, joints)
        self.notes += simulation.notes
        return simulation

    def check_attach(self, world: World, name: str, to: str) -> None:
        """Check that an object can be attached without a new model.

        Raises:
            Unsupported: if the object would become part of a free body.
        """
        free = (b for b in world.bodies if not b.robot and not (b.static and b.rigid))
        if any(to == frame_name(body, link.name) for body in free for link in body.links):
            raise Unsupported(
                f"{name} cannot be attached to {to}, a free body, in a running Gazebo, since it would have to"
                " become a part of that model"
            )

    def check_fidelity(self, world: World, names: Iterable[str], level: Fidelity) -> None:
        """Check that a fidelity can be set without a new model.

        Raises:
            Unsupported: if links of robots would lose their collisions.
        """
        links = {frame_name(b, link.name) for b in world.bodies if b.robot for link in b.links}
        if level is Fidelity.LOW and (colliding := links & set(names)):
            raise Unsupported(
                f"links of robots cannot lose their collisions in a running Gazebo: {', '.join(sorted(colliding))}"
            )

    def check_add(self, name: str) -> None:
        """Check that hetwin may create models in the server's world.

        Raises:
            Unsupported: unless the option `create` is set.
        """
        if not self._world.create_missing:
            raise self.unsupported(f"add {name} to")

    def check_remove(self, body: Body) -> None:
        """Check that hetwin has created a body.

        Raises:
            Unsupported: if it is one of the server's own.
        """
        if top_name(body.name) not in self._world.created:
            raise self.unsupported(f"remove {body.name} from")

    def remove(self, body: Body) -> None:
        """Remove a body, with its proxies.

        Raises:
            Unsupported: if sensors of the world make that impossible.
        """
        names = {top_name(body.name), *(model_name(body, kind) for kind in ProxyKind)}
        if not self._world.remove(names):
            raise self.unsupported(f"remove {body.name}, whose contacts sensors may use, from")

    def unsupported(self, action: str) -> Unsupported:
        """Return the error for an operation that needs another world."""
        return Unsupported(
            f"the twin cannot {action} the world {self._world.name} of a running Gazebo"
        )

    def take_remarks(self) -> list[Remark]:
        """Return remarks about the server's own actions."""
        return self._world.take_remarks()

    def end(self) -> None:
        """Remove the models that were created in the server's world."""
        self._world.end()
