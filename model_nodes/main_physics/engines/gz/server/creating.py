"""Writes the models that a server's world gets from hetwin: proxies of its objects, and models it lacks.

A proxy must not collide with robots, or with what is fixed, and its bitmask can avoid them only if theirs leave a bit
free; see `collision_masks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.names import top_name
from model_nodes.main_physics.engines.gz.options import GazeboOptions
from model_nodes.main_physics.engines.gz.parts import Lump, in_one
from model_nodes.main_physics.engines.gz.proxies.collision_masks import (
    FREE,
    ProxyKind,
    mask,
    robot_number,
)
from model_nodes.main_physics.engines.gz.server.matching import found
from model_nodes.main_physics.engines.gz.server.state import Tree, WorldState
from model_nodes.main_physics.engines.gz.simulation import model_name
from model_nodes.main_physics.engines.gz.world_sdf import SdfWriter
from model_nodes.main_physics.world.description import Body, World


class Creator:
    """Writes models as SDFormat.

    Args:
        world: the scenario's.
        parts: of its bodies.
        folder: for meshes.
        name: of the server's world.
    """

    def __init__(
        self, world: World, parts: Mapping[str, Mapping[str, Lump]], folder: Path, name: str
    ) -> None:
        self._world, self._parts, self._folder, self._name = world, parts, folder, name
        self._objects = [body for body in world.bodies if not body.static]

    def body(self, body: Body, pose: Iterable[float]) -> str:
        """A model that the server's world lacks, as hetwin would load it."""
        kind = None if body.static else ProxyKind.PLAIN
        return self._written(body, top_name(body.name), pose, kind, None)

    def proxy(self, body: Body, kind: ProxyKind, home: Floats, bits: int) -> str:
        """A proxy with this bitmask."""
        return self._written(body, model_name(body, kind), home, kind, bits)

    def _written(
        self,
        body: Body,
        name: str,
        pose: Iterable[float],
        kind: ProxyKind | None,
        bits: int | None,
    ) -> str:
        own = self._folder / f"{len(list(self._folder.iterdir()))}"
        own.mkdir()
        writer = SdfWriter(self._name, self._world.gravity, 1e-3, GazeboOptions(), own, "/unused")
        index = robot_number(body, self._world.bodies)
        if body in self._objects:
            index = self._objects.index(body)
        parts = self._parts[body.name]
        if kind not in (None, ProxyKind.PLAIN):
            parts = in_one(body, parts)
        writer.add(body, parts, name=name, pose=pose, kind=kind, index=index, displayed=True)
        sdf = ET.fromstring(writer.text())
        model = sdf.find("world/model")
        assert model is not None
        for link in model.findall("link"):
            for sensor in link.findall(
                "sensor[@name='hetwin_touch']"
            ):  # contacts are read from the state
                link.remove(sensor)
        if bits is not None:
            for element in model.iter("collide_bitmask"):
                element.text = str(bits)
        root = ET.Element("sdf", {"version": sdf.get("version", "1.9")})
        root.append(model)
        return ET.tostring(root, "unicode")


def bits_of(kind: ProxyKind, index: int, robots: int, fixed: int) -> int:
    """The bitmask of a proxy among the masks of a server's robots and of its fixed models.

    One with prescribed motion avoids both, or else everything; one that passes through robots may be unable to.
    """
    if kind is ProxyKind.KINEMATIC:
        return mask(kind, index) & ~(robots | fixed)
    if kind is ProxyKind.PASSING:
        return FREE & ~robots or FREE
    return mask(kind, index)


def masks(bodies: Iterable[Body], state: WorldState, tree: Tree) -> int:
    """All bits with which the models of these bodies collide."""
    all_bits = 0
    for body in bodies:
        for bits in _bitmasks((state.get(found(body, tree), "ModelSdf") or b"").decode()):
            all_bits |= bits
    return all_bits


def _bitmasks(sdf: str) -> Iterator[int]:
    if not sdf:
        yield FREE
        return
    for collision in ET.fromstring(sdf).iter("collision"):
        told = collision.findtext("surface/contact/collide_bitmask")
        yield FREE if told is None else int(told, 0) & FREE
