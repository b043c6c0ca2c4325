"""Which model types are installed: the entry points of the group ``hetwin.models``."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Model

ENTRY_POINTS = "hetwin.models"


def model_types() -> dict[str, str]:
    """Type names and where their classes are (MODULE:CLASS), sorted by name."""
    return {p.name: p.value for p in sorted(entry_points(group=ENTRY_POINTS))}


def model_class(type_name: str) -> type[Model]:
    """The class of a model type.

    Args:
        type_name: a name that `model_types` lists, or MODULE:CLASS.

    Raises:
        BadInput: if there is none, or it is not a model.
    """
    place = type_name if ":" in type_name else model_types().get(type_name)
    if place is None:
        raise BadInput(
            "unknown model type",
            found=type_name,
            expected="one of " + ", ".join(model_types()) + ", or MODULE:CLASS",
        )
    module_name, _, class_name = place.partition(":")
    try:
        found = getattr(import_module(module_name), class_name)
    except Exception as error:  # a module of anyone's may raise anything while it is imported
        raise BadInput(
            f"the model cannot be imported: {type(error).__name__}: {error}",
            found=place,
            expected="MODULE:CLASS of an installed class derived from hetwin's Model",
        ) from error
    if not (isinstance(found, type) and issubclass(found, Model)):
        raise BadInput(
            "this is not a model",
            found=place,
            expected="a class derived from hetwin_core.ensemble.model.Model",
        )
    return found
