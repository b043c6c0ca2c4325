"""Bodies that differ from their files: heavier, rougher, bouncing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.validation import AboveZero, Finite, Strict
from model_nodes.main_physics.world.description import (
    DEFAULT_FRICTION,
    Body,
    Geometry,
    Inertial,
    Link,
)

NotNegative = Annotated[Finite, Field(ge=0)]


class BodyChanges(Strict):
    """How a body differs from its file.

    Attributes:
        mass: factor of its mass, and of its inertia.
        friction_factor: factor of the coefficients of its surfaces.
        friction: the coefficient of all its surfaces.
        bounce: share of the speed that is left when it has struck something hard.
    """

    mass: AboveZero = 1.0
    friction_factor: NotNegative = 1.0
    friction: NotNegative | None = None
    bounce: Annotated[Finite, Field(ge=0, lt=1)] | None = None


def changed_bodies(bodies: Sequence[Body], changes: dict[str, BodyChanges]) -> list[Body]:
    """Return the bodies as they differ from their files.

    Raises:
        BadInput: if there is no body of a name.
    """
    names = [body.name for body in bodies]
    for name in changes:
        if name not in names:
            raise BadInput(
                "the world has no such body",
                where=f"bodies.{name}",
                found=name,
                expected=one_of(name, names),
            )
    return [_changed(b, changes[b.name]) if b.name in changes else b for b in bodies]


def check_bounces(changes: dict[str, BodyChanges], engine: str, *, bounces: bool) -> None:
    """See that the engine can do what is asked of it.

    Raises:
        BadInput: if a body is to bounce, and the engine cannot make it.
    """
    asked: Iterable[str] = (name for name, of in changes.items() if of.bounce is not None)
    name = next(iter(asked), None)
    if name is not None and not bounces:
        raise BadInput(
            f"{engine} cannot make a body bounce",
            where=f"bodies.{name}.bounce",
            found=changes[name].bounce,
            expected="engine mujoco, or no bounce",
        )


def _changed(body: Body, changes: BodyChanges) -> Body:
    return replace(body, links=tuple(_changed_link(link, changes) for link in body.links))


def _changed_link(link: Link, changes: BodyChanges) -> Link:
    inertial = link.inertial
    if inertial is not None:
        inertial = _heavier(inertial, changes.mass)
    geometries = tuple(_changed_geometry(one, changes) for one in link.geometries)
    return replace(link, inertial=inertial, geometries=geometries)


def _heavier(inertial: Inertial, factor: float) -> Inertial:
    a, b, c, d, e, f = (factor * moment for moment in inertial.inertia)
    return replace(inertial, mass=factor * inertial.mass, inertia=(a, b, c, d, e, f))


def _changed_geometry(geometry: Geometry, changes: BodyChanges) -> Geometry:
    friction = geometry.friction
    if changes.friction is not None:
        friction = changes.friction
    elif changes.friction_factor != 1.0:
        friction = (DEFAULT_FRICTION if friction is None else friction) * changes.friction_factor
    density = geometry.density * changes.mass
    return replace(geometry, friction=friction, density=density, bounce=changes.bounce)
