"""Checks that a server's world matches a scenario's world, and writes models that it lacks.

A proxy must not collide with robots or with fixed bodies. Its bitmask can exclude them only if their bitmasks leave a
bit free; see `collision_masks`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from math import dist
from pathlib import Path
from xml.etree import ElementTree as ET

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo.options import GazeboOptions
from hetwin_gazebo.parts import Lump, merge_fixed_lumps
from hetwin_gazebo.proxies.selection import (
    FREE,
    ProxyKind,
    mask,
    robot_number,
)
from hetwin_gazebo.sdf_parts import top_name
from hetwin_gazebo.server.state import EntityTree, WorldState, decode_pose, decode_vector
from hetwin_gazebo.simulation import model_name
from hetwin_gazebo.world_sdf import SdfWriter
from hetwin_suite.engine import Body, World
from hetwin_suite.model import BadInput, Floats

_OPTION = "options.server"
_POSITION_TOLERANCE = 1e-3
"""Maximum distance of a static body from its pose in the scenario; larger ones are reported [m]."""
_PHYSICS = b"gz::sim::systems::Physics"


def step_duration_ns(state: WorldState) -> int:
    """Return the duration of the world's steps [ns].

    Raises:
        BadInput: if the world is not simulated.
    """
    if _PHYSICS not in (state.get(state.world, "SystemPluginInfo") or _PHYSICS):
        raise BadInput(
            "the world is not simulated",
            where=_OPTION,
            expected="a world with the plugin gz::sim::systems::Physics",
        )
    kind = gazebo().message("physics_pb2", "Physics")
    physics = kind.FromString(state.require(state.world, "Physics"))
    return round(float(physics.max_step_size) * 1e9)


def steps_per_period(period_ns: int, step_ns: int) -> int:
    """Return the number of the world's steps in a period.

    Raises:
        BadInput: if the steps do not divide the period.
    """
    if period_ns % step_ns:
        count = max(1, round(period_ns / step_ns))
        rate = f"{1e9 / (count * step_ns):g}"
        raise BadInput(
            "the steps of the server's world do not divide a step of the main model",
            where=_OPTION,
            found=f"max_step_size {step_ns * 1e-9:g} s, for steps of {period_ns * 1e-9:g} s",
            expected=f"<max_step_size>{period_ns * 1e-9:g}</max_step_size> in that world,"
            f" or rate: {rate} in the scenario",
        )
    return period_ns // step_ns


def missing_bodies(world: World, tree: EntityTree) -> list[Body]:
    """Return the bodies of the scenario that the server's world lacks."""
    return [body for body in world.bodies if tree.model(body.name) is None]


def check_models(
    world: World, state: WorldState, tree: EntityTree, created: Collection[str]
) -> list[str]:
    """Compare the bodies with the models of the same names, and return notes on differences.

    Args:
        world: world of the scenario.
        state: state of the server's world.
        tree: names in the server's world.
        created: models that hetwin has created.

    Raises:
        BadInput: if a model is missing or incompatible.
    """
    missing = ", ".join(body.name for body in missing_bodies(world, tree))
    if missing:
        raise BadInput(
            "the server's world lacks models of the scenario",
            where=_OPTION,
            found=f"missing: {missing}; there: {', '.join(sorted(tree.models)) or 'none'}",
            expected="the same names in both, or options: {create: true} to have hetwin create them",
        )
    for body in world.bodies:
        if body.name not in created:
            _check(body, state, tree)
    existing = [body for body in world.bodies if body.name not in created]
    return [note for body in existing for note in _notes(body, state, tree)] + _gravity(
        world, state
    )


def _check(body: Body, state: WorldState, tree: EntityTree) -> None:
    model = model_of(body, tree)
    _check_joints(body, model, tree)
    root = body.links[0].name
    if not body.static and tree.find(model, root, "Link") is None:
        raise BadInput(
            f"the model {body.name} of the server's world lacks the link {root}",
            where=_OPTION,
            found=f"there: {', '.join(tree.names(model, 'Link'))}",
            expected="the root link of the scenario's model, by name",
        )
    is_static = state.get(model, "Static") == b"1"
    if is_static is not (body.static and body.rigid):
        raise BadInput(
            f"the model {body.name} is {'' if is_static else 'not '}static in the server's world",
            where=_OPTION,
            expected=f"as in the scenario, where it is {'not' if is_static else 'static'}",
        )
    if not body.static and model not in tree.models.values():
        raise BadInput(
            f"the object {body.name} is nested in another model of the server's world; Gazebo cannot place it",
            where=_OPTION,
            expected="a model at the top level of the world",
        )


def _check_joints(body: Body, model: int, tree: EntityTree) -> None:
    joints = (*body.moving_joints, *body.ball_joints)
    missing = ", ".join(j.name for j in joints if tree.find(model, j.name, "Joint") is None)
    if missing:
        raise BadInput(
            f"the model {body.name} of the server's world lacks joints",
            where=_OPTION,
            found=f"missing: {missing}; there: {', '.join(tree.names(model, 'Joint')) or 'none'}",
            expected="the joints of the scenario's model, by name",
        )


def model_of(body: Body, tree: EntityTree) -> int:
    """Return the model of a body that exists."""
    model = tree.model(body.name)
    assert model is not None
    return model


def _notes(body: Body, state: WorldState, tree: EntityTree) -> Iterator[str]:
    model = model_of(body, tree)
    link = tree.find(model, body.links[0].name, "Link")
    if body.static and link is not None and model in tree.models.values():
        # A URDF's link named world is not in Gazebo.
        position = (
            decode_pose(state.require(model, "Pose")) * decode_pose(state.require(link, "Pose"))
        ).pos()
        distance = dist((position.x(), position.y(), position.z()), body.pose[:3])
        if distance > _POSITION_TOLERANCE:
            yield (
                f"{body.name} stands {distance:.3g} m from where the scenario has it; distances are"
                " measured as in the scenario"
            )
    if body.static and not body.rigid:
        joints = tree.children(model, "Joint").values()
        if not any(state.get(joint, "ParentLinkName") == b"world" for joint in joints):
            yield f"{body.name} is not fixed to the server's world, as it is in the scenario"


def _gravity(world: World, state: WorldState) -> list[str]:
    vector = decode_vector(state.require(state.world, "Gravity"))
    gravity = (vector.x(), vector.y(), vector.z())
    if dist(gravity, world.gravity) < _POSITION_TOLERANCE:
        return []
    return [f"gravity is {gravity} in the server's world, {world.gravity} in the scenario's"]


class ModelWriter:
    """Writes models as SDFormat.

    Args:
        world: world of the scenario.
        parts: parts of its bodies.
        folder: folder for meshes.
        name: name of the server's world.
    """

    def __init__(
        self, world: World, parts: Mapping[str, Mapping[str, Lump]], folder: Path, name: str
    ) -> None:
        self._world, self._parts, self._folder, self._name = world, parts, folder, name
        self._objects = [body for body in world.bodies if not body.static]

    def body(self, body: Body, pose: Iterable[float]) -> str:
        """Return the model of a body, as hetwin would load it."""
        kind = None if body.static else ProxyKind.PLAIN
        return self._model_sdf(body, top_name(body.name), pose, kind, None)

    def proxy(self, body: Body, kind: ProxyKind, home: Floats, bits: int) -> str:
        """Return the model of a proxy with this bitmask."""
        return self._model_sdf(body, model_name(body, kind), home, kind, bits)

    def _model_sdf(
        self,
        body: Body,
        name: str,
        pose: Iterable[float],
        kind: ProxyKind | None,
        bits: int | None,
    ) -> str:
        folder = self._folder / f"{len(list(self._folder.iterdir()))}"
        folder.mkdir()
        writer = SdfWriter(
            self._name, self._world.gravity, 1e-3, GazeboOptions(), folder, "/unused"
        )
        index = robot_number(body, self._world.bodies)
        if body in self._objects:
            index = self._objects.index(body)
        parts = self._parts[body.name]
        if kind not in (None, ProxyKind.PLAIN):
            parts = merge_fixed_lumps(body, parts)
        writer.add(body, parts, name=name, pose=pose, kind=kind, index=index, displayed=True)
        sdf = ET.fromstring(writer.text())
        model = sdf.find("world/model")
        assert model is not None
        for link in model.findall("link"):
            # Contacts are read from the state, without sensors.
            for sensor in link.findall("sensor[@name='hetwin_touch']"):
                link.remove(sensor)
        if bits is not None:
            for element in model.iter("collide_bitmask"):
                element.text = str(bits)
        root = ET.Element("sdf", {"version": sdf.get("version", "1.9")})
        root.append(model)
        return ET.tostring(root, "unicode")


def proxy_bitmask(kind: ProxyKind, index: int, robot_bits: int, fixed_bits: int) -> int:
    """Return the bitmask of a proxy, given the masks of a server's robots and fixed models.

    A proxy with prescribed motion avoids both, or everything if no bit is free; one that passes through robots may be
    unable to avoid them.
    """
    if kind is ProxyKind.KINEMATIC:
        return mask(kind, index) & ~(robot_bits | fixed_bits)
    if kind is ProxyKind.PASSING:
        return FREE & ~robot_bits or FREE
    return mask(kind, index)


def united_bitmask(bodies: Iterable[Body], state: WorldState, tree: EntityTree) -> int:
    """Return the union of the collision bits of these bodies' models."""
    all_bits = 0
    for body in bodies:
        for bits in _bitmasks((state.get(model_of(body, tree), "ModelSdf") or b"").decode()):
            all_bits |= bits
    return all_bits


def _bitmasks(sdf: str) -> Iterator[int]:
    if not sdf:
        yield FREE
        return
    for collision in ET.fromstring(sdf).iter("collision"):
        text = collision.findtext("surface/contact/collide_bitmask")
        yield FREE if text is None else int(text, 0) & FREE
