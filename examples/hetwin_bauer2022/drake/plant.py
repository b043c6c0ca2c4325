"""The real world of the two-hand robot in Drake."""

from __future__ import annotations

import logging
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    Box,
    CollisionFilterDeclaration,
    Cylinder,
    GeometrySet,
    HalfSpace,
    RoleAssign,
    SceneGraph,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    DiscreteContactApproximation,
    MultibodyPlant,
)
from pydrake.multibody.tree import (
    BodyIndex,
    ModelInstanceIndex,
    PdControllerGains,
    RigidBody,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.framework import Diagram, DiagramBuilder
from transforms3d.quaternions import qinverse, qmult, rotate_vector

from hetwin_bauer2022.drake.contact import (
    contact_dissipation,
    contact_properties,
    contact_stiffness,
    friction_in_pair,
)
from hetwin_bauer2022.mismatch import RealWorld, TrueValues
from hetwin_bauer2022.two_hands.joints import ALL, ARMS, FINGERS, drives
from hetwin_stand_ins.solids import Solid
from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput

STEP_S = 0.002
"""Step of physics and controller."""
_RIGID_STIFFNESS = 1e6
"""Stiffness of static bodies and finger tips [N/m], high enough that the other body's stiffness dominates."""
_COLLIDING_LINKS = ("right_hand", "right_arm_link_5", "right_arm_link_6")
_FINGER_PREFIX = "right_hand_finger"


@dataclass(frozen=True, slots=True)
class DrakeWorld:
    """A compiled world.

    Attributes:
        diagram: diagram of plant and geometry.
        plant: multibody dynamics.
        robot: the robot; its actuators are in the order of `ALL`.
        thing: name of the handled body.
    """

    diagram: Diagram
    plant: MultibodyPlant
    robot: ModelInstanceIndex
    thing: str


def build(robot: Path, solids: Sequence[Solid], real: RealWorld) -> DrakeWorld:
    """Build the real world; the counterpart of the stand-in's `build`.

    Args:
        robot: URDF of the robot, with its base at the origin.
        solids: solids from `read_solids`; one of them moves.
        real: true values, and the compliance of the right arm.

    Raises:
        BadInput: if the moving solids are not exactly one sphere.
    """
    builder = DiagramBuilder()
    plant, geometry = AddMultibodyPlantSceneGraph(builder, STEP_S)
    plant.set_contact_model(ContactModel.kPoint)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
    moving = [solid for solid in solids if solid.moves]
    if len(moving) != 1 or moving[0].kind != "sphere":
        found = ", ".join(f"{solid.model} ({solid.kind})" for solid in moving)
        raise BadInput("cannot build Drake's world", found=found, expected="one moving sphere")
    logging.getLogger("drake").setLevel(logging.ERROR)  # Drake warns of each joint's friction
    (instance,) = Parser(plant).AddModels(robot)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base_link"))
    _add_actuators(plant, robot, real.compliance.softness)
    for solid in solids:
        _add_solid(plant, solid, real.truths)
    _set_finger_contacts(plant, geometry, real.truths, moving[0].friction)
    plant.Finalize()
    _filter(plant, geometry, instance)
    return DrakeWorld(builder.Build(), plant, instance, moving[0].model)


def _add_actuators(plant: MultibodyPlant, robot: Path, softness: float) -> None:
    """Add drives: the fingers of the right hand get torques, all other joints springs to set points."""
    limits = {
        joint.get("name", ""): float(limit.get("effort", "inf"))
        for joint in ET.parse(robot).getroot().iter("joint")
        if (limit := joint.find("limit")) is not None
    }
    joint_drives = drives()
    for name, stiffness, damping, rotor in zip(
        ALL, joint_drives.stiffness, joint_drives.damping, joint_drives.rotor, strict=True
    ):
        actuator = plant.AddJointActuator(name, plant.GetJointByName(name), limits[name])
        actuator.set_default_rotor_inertia(rotor)
        if name in FINGERS["right"]:
            continue
        compliance = softness if name in ARMS["right"] else 1.0
        gains = PdControllerGains(p=stiffness / compliance, d=damping / sqrt(compliance))
        actuator.set_controller_gains(gains)


def _add_solid(plant: MultibodyPlant, solid: Solid, truths: TrueValues) -> None:
    """Add a shape at the true pose of its model."""
    origin = truths.poses.get(solid.model, solid.origin)
    rotation = qinverse(solid.origin[3:])
    position = rotate_vector(solid.position - solid.origin[:3], rotation)
    quaternion = qmult(rotation, solid.quaternion)
    name = f"{solid.model}_{solid.name}"
    if not solid.moves:
        pose = _transform(
            origin[:3] + rotate_vector(position, origin[3:]), qmult(origin[3:], quaternion)
        )
        material = contact_properties(_RIGID_STIFFNESS, 0.0, solid.friction)
        plant.RegisterCollisionGeometry(plant.world_body(), pose, _shape(solid), name, material)
        return
    mass = truths.masses.get(solid.model, solid.mass)
    inertia = SpatialInertia(mass, np.zeros(3), UnitInertia.SolidSphere(float(solid.size[0])))
    body = plant.AddRigidBody(solid.model, plant.AddModelInstance(solid.model), inertia)
    stiffness = contact_stiffness(truths.bounce[0])
    material = contact_properties(stiffness, contact_dissipation(truths.bounce[1]), solid.friction)
    plant.RegisterCollisionGeometry(
        body, _transform(position, quaternion), _shape(solid), name, material
    )


def _shape(solid: Solid) -> Shape:
    match solid.kind:
        case "box":
            return Box(*map(float, solid.size))
        case "cylinder":
            return Cylinder(*map(float, solid.size))
        case "sphere":
            return Sphere(float(solid.size[0]))
        case _:
            return HalfSpace()


def _transform(position: Floats, quaternion: Floats) -> RigidTransform:
    rotation = quaternion / np.linalg.norm(quaternion)
    return RigidTransform(quaternion=Quaternion(wxyz=rotation), p=position)


def _set_finger_contacts(
    plant: MultibodyPlant, geometry: SceneGraph, truths: TrueValues, other: float
) -> None:
    """Set the friction of the finger tips against the moving body."""
    material = contact_properties(
        _RIGID_STIFFNESS, 0.0, friction_in_pair(truths.finger_friction, other)
    )
    source = plant.get_source_id()
    assert source is not None
    for body in _bodies(plant, _FINGER_PREFIX):
        for shape in plant.GetCollisionGeometriesForBody(body):
            geometry.AssignRole(source, shape, material, RoleAssign.kReplace)


def _bodies(plant: MultibodyPlant, *beginnings: str) -> list[RigidBody]:
    bodies = (plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies()))
    return [body for body in bodies if body.name().startswith(beginnings)]


def _filter(plant: MultibodyPlant, geometry: SceneGraph, instance: ModelInstanceIndex) -> None:
    """Allow contacts only of the right hand and its forearm with objects, and among fingers, as in the stand-in."""
    links = [plant.get_body(index) for index in plant.GetBodyIndices(instance)]
    colliding = _bodies(plant, *_COLLIDING_LINKS)
    fingers = _bodies(plant, _FINGER_PREFIX)
    names = {body.name() for body in colliding}
    idle = [body for body in links if body.name() not in names]
    finger_names = {body.name() for body in fingers}
    rigid = [body for body in colliding if body.name() not in finger_names]

    def shapes(bodies: Sequence[RigidBody]) -> GeometrySet:
        return GeometrySet([g for b in bodies for g in plant.GetCollisionGeometriesForBody(b)])

    everything = [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]
    filters = geometry.collision_filter_manager()
    filters.Apply(
        CollisionFilterDeclaration()
        .ExcludeWithin(shapes([*rigid, *idle]))
        .ExcludeBetween(shapes(rigid), shapes(fingers))
        .ExcludeBetween(shapes(idle), shapes(everything))
    )
