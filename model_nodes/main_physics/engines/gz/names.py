"""Names in Gazebo, where ``::`` separates the names of nested models and must be part of none."""

from __future__ import annotations

_SEPARATOR = "::"


def top_name(name: str) -> str:
    """Return the name in Gazebo of a model of the world."""
    return _allowed(name.replace(_SEPARATOR, "."))


def split_name(name: str) -> tuple[tuple[str, ...], str]:
    """Split the name of a link or a joint of a model.

    Returns:
        the nested models in which it is, the outermost first, and its own name.
    """
    *models, own = name.split(_SEPARATOR)
    return tuple(models), _allowed(own)


def path_of(name: str, inside: tuple[str, ...] = ()) -> str:
    """Return the name by which a joint refers to a link.

    Args:
        name: of the link, from the outermost model on.
        inside: the nested models in which the joint is.
    """
    models, own = split_name(name)
    return _SEPARATOR.join((*models[len(inside) :], own))


def _allowed(name: str) -> str:
    """Return a name that SDFormat does not reserve."""
    reserved = name.startswith("__") and name.endswith("__")
    return f"hetwin{name.rstrip('_')}" if reserved else name
