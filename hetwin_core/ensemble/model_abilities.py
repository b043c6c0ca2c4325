"""Abilities of a model besides stepping, each a protocol, over every transport.

For each method there is a function that calls it, or does the default for models without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, runtime_checkable

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.installed import packages_in
from hetwin_core.ensemble.model import Model
from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Value


@runtime_checkable
class Responsible(Protocol):
    """Takes responsibilities and releases them."""

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Become responsible for an attribute, with its value.

        Raises:
            Refused: if the model cannot; its state is then unchanged.
        """

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Stop being responsible for an attribute, and return its value at `scene.time_ns`, poses in the world frame.

        Raises:
            Refused: if the model is not responsible for it, or keeps it.
        """


@runtime_checkable
class Commanded(Protocol):
    """Has commands, which triggers call."""

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command.

        Raises:
            Refused: if the model has no such command.
        """


@runtime_checkable
class Placeable(Protocol):
    """Continues from another value of its own attribute; other models release and retake the attribute."""

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Continue from another value of an attribute that the model is responsible for.

        Raises:
            Refused: if the model cannot; it then continues from its own value.
        """


@runtime_checkable
class Adjustable(Protocol):
    """Continues with other values of its parameters, as predictions draw them."""

    def change(self, parameters: Mapping[str, Json]) -> None:
        """Continue with other values of some parameters; a call without any lets the model prepare for changes.

        Raises:
            Refused: if the model cannot change one of them in a run; none has changed then.
        """


@runtime_checkable
class Comparing(Protocol):
    """Compares quantities with some of its parameters, so that these can be learned from episodes.

    A class attribute `watching` may hold values of parameters with which the model observes without changing the
    quantities.

    Attributes:
        thresholds: names of these parameters.
    """

    thresholds: ClassVar[tuple[str, ...]]

    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return the quantity compared with each of `thresholds` now; the model acts if none exceeds its threshold.

        Returns:
            Parameter -> quantity, in the parameter's unit; None if it would not act now with any thresholds.
        """


@runtime_checkable
class SavesItself(Protocol):
    """Has state outside its attributes, such as in a library."""

    def save(self) -> Mapping[str, Plain]:
        """Return everything that the model has computed or learned since `start`; called between two steps.

        Returns:
            Data without objects: JSON values and numpy arrays.

        Raises:
            Refused: if the state cannot be saved; the text names the part.
        """

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Continue from a saved state; called after `start`, with the parameters and the scene of the saved model.

        The next step equals that of the saved model, to the bit.

        Raises:
            Refused: if it is not a state of this model.
        """


def take(model: Model, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
    """Make a model responsible; see `Responsible.take`."""
    if not isinstance(model, Responsible):
        raise Refused(f"{type(model).__name__} cannot be responsible for {entity}.{attribute}")
    model.take(entity, attribute, value, scene)


def release(model: Model, entity: str, attribute: str, scene: Snapshot) -> Value:
    """End a model's responsibility; see `Responsible.release`."""
    if not isinstance(model, Responsible):
        raise Refused(f"{type(model).__name__} is not responsible for {entity}.{attribute}")
    return model.release(entity, attribute, scene)


def place(model: Model, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
    """Let a model continue from another value; see `Placeable.place`."""
    if isinstance(model, Placeable):
        model.place(entity, attribute, value, scene)
    else:
        take_anew(model, entity, attribute, value, scene)


def take_anew(model: Model, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
    """Let a model release an attribute and take it with another value, or with its own one after a refusal."""
    former_value = release(model, entity, attribute, scene)
    try:
        take(model, entity, attribute, value, scene)
    except Refused:
        take(model, entity, attribute, former_value, scene)
        raise


def change(model: Model, parameters: Mapping[str, Json]) -> None:
    """Let a model continue with other parameters; see `Adjustable.change`."""
    if isinstance(model, Adjustable):
        model.change(parameters)
    elif parameters:
        names = ", ".join(parameters)
        raise Refused(f"{type(model).__name__} cannot change {names} in a run")


def command(model: Model, name: str, arguments: Mapping[str, Json]) -> None:
    """Let a model carry out a command; see `Commanded.command`."""
    if not isinstance(model, Commanded):
        raise Refused(f"{type(model).__name__} has no command {name!r}")
    model.command(name, arguments)


def learnable_parameters(cls: type[Model]) -> tuple[str, ...]:
    """The parameters of a model that can be learned; see `Comparing.thresholds`."""
    return tuple(getattr(cls, "thresholds", ()))


def compares(model: Model, scene: Snapshot) -> Mapping[str, float] | None:
    """Return the values that a model compares with its thresholds; see `Comparing.compares`."""
    return model.compares(scene) if isinstance(model, Comparing) else None


def save(model: Model) -> Mapping[str, Plain]:
    """Return a model's state; see `SavesItself.save`. The default is its attributes and all that they reference."""
    return model.save() if isinstance(model, SavesItself) else record_attributes(model)


def record_attributes(model: Model) -> Mapping[str, Plain]:
    """Return a model's attributes and everything reachable from them.

    Supported are numbers, texts, collections, arrays, random generators, and instances of classes written in
    Python.

    Raises:
        Refused: if something else is among them; it is named.
    """
    saved = record(model, name=type(model).__name__)
    assert isinstance(saved, dict)
    return saved


def restore(model: Model, saved: Mapping[str, Plain], scene: Snapshot) -> None:
    """Let a started model continue from a saved state; see `SavesItself.restore`."""
    if isinstance(model, SavesItself):
        model.restore(saved, scene)
    else:
        rebuild_attributes(model, saved, scene)


def rebuild_attributes(model: Model, saved: Mapping[str, Plain], scene: Snapshot) -> None:
    """Inverse of `record_attributes`.

    Raises:
        Refused: if it is not a state of this model.
    """
    name, package = type(model).__name__, type(model).__module__.partition(".")[0]
    packages = {package, *packages_in("hetwin.models")}
    if rebuild(dict(saved), model, packages, name, [scene.layout]) is not model:
        raise StateError(f"this is not the state of a {name}")
