"""Checks that a server's world holds what a scenario's world describes, by name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import dist

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.gz.bindings import gazebo
from model_nodes.main_physics.engines.gz.server.components import pose_of, vector_of
from model_nodes.main_physics.engines.gz.server.state import Tree, WorldState
from model_nodes.main_physics.world.description import Body, World

_WHERE = "options.server"
_ELSEWHERE = 1e-3
"""A static body this far from where the scenario has it is reported [m]."""
_PHYSICS = b"gz::sim::systems::Physics"


def step_of(state: WorldState) -> int:
    """How long the world's steps are [ns].

    Raises:
        BadInput: if the world is not simulated.
    """
    if _PHYSICS not in (state.get(state.world, "SystemPluginInfo") or _PHYSICS):
        raise BadInput(
            "the world is not simulated",
            where=_WHERE,
            expected="a world with the plugin gz::sim::systems::Physics",
        )
    kind = gazebo().message("physics_pb2", "Physics")
    physics = kind.FromString(state.need(state.world, "Physics"))
    return round(float(physics.max_step_size) * 1e9)


def steps_in(period_ns: int, step_ns: int) -> int:
    """Into how many of the world's steps a period is divided.

    Raises:
        BadInput: if it cannot be.
    """
    if period_ns % step_ns:
        whole = max(1, round(period_ns / step_ns))
        near = f"{1e9 / (whole * step_ns):g}"
        raise BadInput(
            "the steps of the server's world do not divide a step of the main model",
            where=_WHERE,
            found=f"max_step_size {step_ns * 1e-9:g} s, for steps of {period_ns * 1e-9:g} s",
            expected=f"<max_step_size>{period_ns * 1e-9:g}</max_step_size> in that world,"
            f" or rate: {near} in the scenario",
        )
    return period_ns // step_ns


def missing(world: World, tree: Tree) -> list[Body]:
    """The bodies of the scenario that the server's world does not hold."""
    return [body for body in world.bodies if tree.model(body.name) is None]


def check_models(world: World, state: WorldState, tree: Tree, own: Collection[str]) -> list[str]:
    """Compare the bodies with the models of the same names; returns notes.

    Args:
        world: the scenario's.
        state: of the server's world.
        tree: its names.
        own: models that hetwin has created itself.

    Raises:
        BadInput: if a model is missing, or is of another kind.
    """
    lacking = ", ".join(body.name for body in missing(world, tree))
    if lacking:
        raise BadInput(
            "the server's world lacks models of the scenario",
            where=_WHERE,
            found=f"missing: {lacking}; there: {', '.join(sorted(tree.models)) or 'none'}",
            expected="the same names in both, or options: {create: true} to have hetwin create them",
        )
    for body in world.bodies:
        if body.name not in own:
            _check(body, state, tree)
    theirs = [body for body in world.bodies if body.name not in own]
    return [note for body in theirs for note in _notes(body, state, tree)] + _gravity(world, state)


def _check(body: Body, state: WorldState, tree: Tree) -> None:
    model = found(body, tree)
    _check_joints(body, model, tree)
    root = body.links[0].name
    if not body.static and tree.find(model, root, "Link") is None:
        raise BadInput(
            f"the model {body.name} of the server's world lacks the link {root}",
            where=_WHERE,
            found=f"there: {', '.join(tree.names(model, 'Link'))}",
            expected="the root link of the scenario's model, by name",
        )
    fixed = state.get(model, "Static") == b"1"
    if fixed is not (body.static and body.rigid):
        raise BadInput(
            f"the model {body.name} is {'' if fixed else 'not '}static in the server's world",
            where=_WHERE,
            expected=f"as in the scenario, where it is {'not' if fixed else 'static'}",
        )
    if not body.static and model not in tree.models.values():
        raise BadInput(
            f"the object {body.name} is nested in another model of the server's world; Gazebo cannot place it",
            where=_WHERE,
            expected="a model of its own",
        )


def _check_joints(body: Body, model: int, tree: Tree) -> None:
    joints = (*body.moving_joints, *body.ball_joints)
    lacking = ", ".join(j.name for j in joints if tree.find(model, j.name, "Joint") is None)
    if lacking:
        raise BadInput(
            f"the model {body.name} of the server's world lacks joints",
            where=_WHERE,
            found=f"missing: {lacking}; there: {', '.join(tree.names(model, 'Joint')) or 'none'}",
            expected="the joints of the scenario's model, by name",
        )


def found(body: Body, tree: Tree) -> int:
    """The model of a body, which is there."""
    model = tree.model(body.name)
    assert model is not None
    return model


def _notes(body: Body, state: WorldState, tree: Tree) -> Iterator[str]:
    model = found(body, tree)
    link = tree.find(model, body.links[0].name, "Link")
    if body.static and link is not None and model in tree.models.values():
        # A URDF's link that is named world is none of Gazebo's.
        at = (pose_of(state.need(model, "Pose")) * pose_of(state.need(link, "Pose"))).pos()
        off = dist((at.x(), at.y(), at.z()), body.pose[:3])
        if off > _ELSEWHERE:
            yield (
                f"{body.name} stands {off:.3g} m from where the scenario has it; distances are"
                " measured as in the scenario"
            )
    if body.static and not body.rigid:
        joints = tree.children(model, "Joint").values()
        if not any(state.get(joint, "ParentLinkName") == b"world" for joint in joints):
            yield f"{body.name} is not fixed to the server's world, as it is in the scenario"


def _gravity(world: World, state: WorldState) -> list[str]:
    vector = vector_of(state.need(state.world, "Gravity"))
    theirs = (vector.x(), vector.y(), vector.z())
    if dist(theirs, world.gravity) < _ELSEWHERE:
        return []
    return [f"gravity is {theirs} in the server's world, {world.gravity} in the scenario's"]
