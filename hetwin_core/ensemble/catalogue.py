"""The installed model types: the entry points of the group ``hetwin.models``."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import MODELS, Group, install_command, package_of
from hetwin_core.ensemble.model import Model
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario_modules import untrusted_module_error

TYPES = Group("hetwin.models", "model type", "MODULE:CLASS of a class derived from Model")


def model_types() -> dict[str, str]:
    """Type names and the locations of their classes (MODULE:CLASS), sorted by name."""
    return {name: point.value for name, point in TYPES.points().items()}


def model_class(type_name: str) -> type[Model]:
    """The class of a model type.

    Args:
        type_name: a name that `model_types` lists, or MODULE:CLASS.

    Raises:
        BadInput: if there is no such type, or the class is not a model.
    """
    point = None if ":" in type_name else _entry_point(type_name)
    location = type_name if point is None else point.value
    module_name, _, class_name = location.partition(":")
    try:
        found = getattr(import_module(module_name), class_name)
    except ModuleNotFoundError as error:
        raise untrusted_module_error(error.name or "") or _missing_module_error(
            error, location, point
        ) from error
    except Exception as error:  # a third party's module may raise anything while it is imported
        raise _import_error(error, location) from error
    if not (isinstance(found, type) and issubclass(found, Model)):
        raise BadInput(
            "this is not a model",
            found=location,
            expected="a class derived from hetwin_suite.model.Model",
        )
    return found


def declare_model(cls: type[Model]) -> type[Model]:
    """Return a model's class after it has declared itself.

    Raises:
        BadInput: if its declaration fails.
    """
    try:
        cls.declare()
    except Exception as error:  # a third party's model may raise anything
        raise BadInput(
            f"the model cannot be declared: {type(error).__name__}: {error}",
            found=cls.__name__,
            expected="a model that passes hetwin model check",
        ) from error
    return cls


def _entry_point(name: str) -> EntryPoint:
    """The entry point of an installed model type.

    Raises:
        BadInput: if there is none.
    """
    found = TYPES.point(name)
    if found is None:
        known = one_of(name, model_types(), "MODULE:CLASS")
        raise BadInput(
            "unknown model type",
            found=name,
            expected=install_command(MODELS[name]) if name in MODELS else known,
        )
    return found


def _missing_module_error(
    error: ModuleNotFoundError, location: str, point: EntryPoint | None
) -> BadInput:
    """Return the error about a missing module: the model's own, or one that it imports."""
    if point is not None and _is_module_or_parent(error, point.module):
        package = package_of(point)
        return BadInput(
            f"the model type {point.name} is installed under a module that does not exist",
            found=location,
            expected=f"the entry points of the current version: reinstall {package}",
        )
    return _import_error(error, location)


def _is_module_or_parent(error: ModuleNotFoundError, module_name: str) -> bool:
    """Whether the missing module is this one, or a package that contains it."""
    return f"{module_name}.".startswith(f"{error.name}.")


def _import_error(error: Exception, location: str) -> BadInput:
    return BadInput(
        f"the model cannot be imported: {type(error).__name__}: {error}",
        found=location,
        expected="MODULE:CLASS of a class derived from hetwin_suite.model.Model, installed or beside the scenario",
    )
