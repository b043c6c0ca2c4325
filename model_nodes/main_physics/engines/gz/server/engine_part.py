"""What the engine does otherwise where a running Gazebo computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Remark, Unsupported
from model_nodes.main_physics.engines.gz.options import GazeboOptions, Physics
from model_nodes.main_physics.engines.gz.parts import Lump
from model_nodes.main_physics.engines.gz.proxies.collision_masks import ProxyKind
from model_nodes.main_physics.engines.gz.server.matching import steps_in
from model_nodes.main_physics.engines.gz.server.simulation import ServerSimulation
from model_nodes.main_physics.engines.gz.server.world import ServerWorld
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.names import frame_name


class ServerPart:
    """A server's world, and what it cannot do.

    Args:
        options: with the world's name.

    Attributes:
        notes: what differs from the scenario.

    Raises:
        BadInput: if the world cannot be used.
    """

    def __init__(self, options: GazeboOptions) -> None:
        assert options.server is not None
        self._world = ServerWorld(options.server, options.partition, creates=options.create)
        where = f"the world {options.server} of the Gazebo in the partition {self._world.partition}"
        self.notes = [f"{where} is paused, stepped with the twin, and left paused"]

    @property
    def description(self) -> str:
        """The world, for the log."""
        return f"server {self._world.name} in partition {self._world.partition}"

    @property
    def shown(self) -> tuple[str, str]:
        """The partition and the name of the world."""
        return self._world.partition, self._world.name

    @property
    def physics(self) -> Physics:
        """The physics engine of the server."""
        return self._world.physics

    def steps(self, period: float) -> int:
        """Into how many of the world's steps a period [s] is divided.

        Raises:
            BadInput: if it cannot be.
        """
        return steps_in(round(period * 1e9), self._world.step_ns)

    def simulation(
        self,
        world: World,
        parts: Mapping[str, Mapping[str, Lump]],
        poses: Mapping[str, Floats],
        kinds: set[tuple[str, ProxyKind]],
        joints: tuple[str, ...],
    ) -> ServerSimulation:
        """Find the scenario's world in the server's; proxies that it lacks are created."""
        found = ServerSimulation(self._world, world, parts, poses, kinds, joints)
        self.notes += found.notes
        return found

    def check_attach(self, world: World, name: str, to: str) -> None:
        """Refuse what would need a new model.

        Raises:
            Unsupported: if the object would become a part of a free body.
        """
        free = (b for b in world.bodies if not b.robot and not (b.static and b.rigid))
        if any(to == frame_name(body, link.name) for body in free for link in body.links):
            raise Unsupported(
                f"{name} cannot be attached to {to}, which moves freely, in a running Gazebo: it would have to be"
                " a part of that model"
            )

    def check_fidelity(self, world: World, names: Iterable[str], level: Fidelity) -> None:
        """Refuse what would need a new model.

        Raises:
            Unsupported: if links of robots would lose their collisions.
        """
        links = {frame_name(b, link.name) for b in world.bodies if b.robot for link in b.links}
        if level is Fidelity.LOW and (chosen := links & set(names)):
            raise Unsupported(
                f"links of robots cannot lose their collisions in a running Gazebo: {', '.join(sorted(chosen))}"
            )

    def refuse(self, what: str) -> Unsupported:
        """The error for something that would need another world."""
        return Unsupported(
            f"the twin cannot {what} the world {self._world.name} of a running Gazebo"
        )

    def take_remarks(self) -> list[Remark]:
        """Return what the server did by itself."""
        return self._world.take_remarks()

    def end(self) -> None:
        """Remove what was created in the server's world."""
        self._world.end()
