"""The parameters of the main model, and bodies that differ from their files: mass, friction, restitution."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.parameters import File, Parameters, parameter
from hetwin_core.ensemble.scenario.robot import Robot, RobotsEntry
from hetwin_core.ensemble.scenario.schema import EntityNotes, Hand, SceneEntry
from hetwin_core.ensemble.scene.watch import DEFAULT_WATCH_RATE
from hetwin_core.ensemble.validation import AboveZero, Finite, Strict, Text, Whole
from model_nodes.main_physics.world.description import (
    DEFAULT_FRICTION,
    Body,
    Geometry,
    Inertial,
    Link,
)

NotNegative = Annotated[Finite, Field(ge=0)]


class BodyChanges(Strict):
    """Differences of a body from its file.

    Attributes:
        mass: factor on its mass and its inertia.
        friction_factor: factor on the friction coefficients of its surfaces.
        friction: friction coefficient of all its surfaces.
        bounce: coefficient of restitution against a rigid surface.
    """

    mass: AboveZero = 1.0
    friction_factor: NotNegative = 1.0
    friction: NotNegative | None = None
    bounce: Annotated[Finite, Field(ge=0, lt=1)] | None = None


def changed_bodies(bodies: Sequence[Body], changes: dict[str, BodyChanges]) -> list[Body]:
    """Return the bodies with their differences applied.

    Raises:
        BadInput: if there is no body of one of the names.
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
    return [_apply_changes(b, changes[b.name]) if b.name in changes else b for b in bodies]


def check_bounces(changes: dict[str, BodyChanges], engine: str, *, bounces: bool) -> None:
    """Check that the engine supports the bodies' restitution.

    Raises:
        BadInput: if a body has a `bounce` that the engine does not support.
    """
    bouncing: Iterable[str] = (name for name, c in changes.items() if c.bounce is not None)
    name = next(iter(bouncing), None)
    if name is not None and not bounces:
        raise BadInput(
            f"{engine} cannot make a body bounce",
            where=f"bodies.{name}.bounce",
            found=changes[name].bounce,
            expected="engine mujoco, or no bounce",
        )


def _apply_changes(body: Body, changes: BodyChanges) -> Body:
    return replace(body, links=tuple(_changed_link(link, changes) for link in body.links))


def _changed_link(link: Link, changes: BodyChanges) -> Link:
    inertial = link.inertial
    if inertial is not None:
        inertial = _heavier(inertial, changes.mass)
    geometries = tuple(_changed_geometry(geometry, changes) for geometry in link.geometries)
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


MAX_RATE = 1e6


class NamedHand(Hand):
    """A hand of the scenario, with its name."""

    name: Text


def _expand_urdf(given: object) -> object:
    return {"urdf": given} if isinstance(given, str) else given


class Settings(Parameters):
    """All parameters of the main model; those with a key in scenarios are checked in the same way."""

    world: File | None = parameter(
        "SDFormat, MJCF or USD file of the world (the scenario's `world`)", None
    )
    robot: Annotated[Robot, BeforeValidator(_expand_urdf)] | None = parameter(
        "URDF, xacro, MJCF or USD file, or mapping with urdf and more (the scenario's `robot`)",
        None,
    )
    robots: RobotsEntry = parameter(
        "several robots by name, instead of robot (the scenario's `robots`)", {}
    )
    hands: tuple[NamedHand, ...] = parameter("hands of the robot (the scenario's `hands`)", ())
    packages: dict[str, Text] = parameter(
        "name of a package:// -> its folder (the scenario's `packages`)", {}
    )
    entities: dict[str, EntityNotes] = parameter("entity -> {tags} (the scenario's `entities`)", {})
    engine: str = parameter("physics engine: auto, gz or mujoco", "auto")
    options: dict[str, Any] = parameter("options of the engine itself", {})
    source: Any = parameter(
        "recording or live robot that moves the joints (the scenario's `source`)", None
    )
    scene: dict[str, SceneEntry] = parameter(
        "entity -> {pose}, or {model, pose} to add one (the scenario's `scene`)", {}
    )
    rate: Annotated[AboveZero, Field(le=MAX_RATE)] = parameter(
        "steps per simulated second (the scenario's `rate`)", 400.0, "1/s"
    )
    substeps: Annotated[Whole, Field(gt=0)] = parameter("physics steps in one step of the model", 1)
    proximity_range: AboveZero = parameter(
        "distance below which pairs of bodies are reported", 0.02, "m"
    )
    clearance_range: AboveZero = parameter(
        "links of robots closer to something than this are reported to observers of the robot",
        0.005,
        "m",
    )
    proximity_objects: tuple[str, ...] | None = parameter(
        "objects whose proximity is reported; default: all, if there are few", None
    )
    contact_time: AboveZero | None = parameter(
        "time constant of contacts; default: the engine's", None, "s"
    )
    handed_over: tuple[tuple[str, str], ...] = parameter(
        "(entity or pattern, attribute) that other models may take over (from the scenario's triggers)",
        (),
    )
    finger_margin: Annotated[Finite, Field(ge=0)] = parameter(
        "distance by which the joints of hands close further than recorded", 0.0, "rad or m"
    )
    finger_stiffness: AboveZero | None = parameter(
        "push the joints of hands by their recorded efforts, with a spring of this stiffness to the recorded positions;"
        " default: they move exactly as recorded",
        None,
        "Nm/rad or N/m",
    )
    bodies: dict[str, BodyChanges] = parameter(
        "body -> {mass, friction_factor: factors; friction: coefficient; bounce: 0 to 1}, if it differs from its file",
        {},
    )
    grips: dict[str, AboveZero] = parameter(
        "hand -> factor on the recorded efforts of its fingers, with finger_stiffness", {}
    )
    watch_rate: Annotated[Finite, Field(ge=0)] = parameter(
        "reports about the robot per simulated second; 0 for none", DEFAULT_WATCH_RATE, "Hz"
    )

    @property
    def tags(self) -> dict[str, tuple[str, ...]]:
        """The tags of entities."""
        return {name: notes.words for name, notes in self.entities.items()}

    @property
    def functions(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The functional attributes of entities, each with its parameters."""
        found = {name: dict(notes.attributes.given()) for name, notes in self.entities.items()}
        return {name: given for name, given in found.items() if given}

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Read the parameters as the conductor has resolved them.

        Raises:
            BadInput: with the name of the invalid parameter.
        """
        settings = super().read(given)
        if settings.world is None and settings.robot is None and not settings.robots:
            raise BadInput("there is neither a world nor a robot", expected="world, robot, or both")
        return settings
