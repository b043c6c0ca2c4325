"""The parameters of the main model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.parameters import Parameters, ResolvedPath, parameter
from hetwin_core.ensemble.scenario.schema import EntityNotes, Hand, Robot, SceneEntry
from hetwin_core.ensemble.scene.watch import DEFAULT_WATCH_RATE
from hetwin_core.ensemble.validation import AboveZero, Finite, Text, Whole

MAX_RATE = 1e6


class NamedHand(Hand):
    """A hand of the scenario, with its name."""

    name: Text


def _short(given: object) -> object:
    return {"urdf": given} if isinstance(given, str) else given


class Settings(Parameters):
    """All parameters of the main model; those that a scenario has keys for are checked as the scenario's are."""

    world: ResolvedPath | None = parameter("SDFormat world", None)
    robot: Annotated[Robot, BeforeValidator(_short)] | None = parameter(
        "URDF file, or mapping with urdf and more", None
    )
    hands: tuple[NamedHand, ...] = parameter("hands of the robot", ())
    entities: dict[str, EntityNotes] = parameter("entity -> {tags}", {})
    engine: str = parameter("auto, or an engine's name", "auto")
    options: dict[str, Any] = parameter("the engine's own settings", {})
    source: Any = parameter("recording that moves the joints", None)
    scene: dict[str, SceneEntry] = parameter("entity -> {pose}, or {model, pose} to add one", {})
    rate: Annotated[AboveZero, Field(le=MAX_RATE)] = parameter("steps per simulated second", 400.0)
    substeps: Annotated[Whole, Field(gt=0)] = parameter("parts of a step", 1)
    proximity_range: AboveZero = parameter("pairs closer than this are reported", 0.02, "m")
    proximity_objects: tuple[str, ...] | None = parameter(
        "objects whose proximity is reported", None
    )
    watch_rate: Annotated[Finite, Field(ge=0)] = parameter(
        "reports about the robot per simulated second; 0 for none", DEFAULT_WATCH_RATE, "Hz"
    )
    contact_time: AboveZero | None = parameter("time constant of contacts", None, "s")

    @property
    def tags(self) -> dict[str, tuple[str, ...]]:
        """The tags of entities."""
        return {name: tuple(notes.tags) for name, notes in self.entities.items()}


def read_settings(parameters: Mapping[str, Any]) -> Settings:
    """Check what the conductor resolved.

    Raises:
        BadInput: naming the parameter that cannot be used.
    """
    settings = Settings.read(parameters)
    if settings.world is None and settings.robot is None:
        raise BadInput("there is neither a world nor a robot", expected="world, robot, or both")
    return settings
