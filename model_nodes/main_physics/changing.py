"""What may change in a run of the main model: how bodies differ from their files, and how hands press."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.validation import AboveZero, Strict, check
from model_nodes.main_physics.changed_bodies import BodyChanges
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.settings import Settings

_AS_IN_ITS_FILE = BodyChanges()
OF_BODIES = {"bodies", "grips"}
"""Those of the parameters that may change that are saved with a run."""


class Changeable(Strict):
    """The parameters that may change, as `Settings` has them."""

    bodies: dict[str, BodyChanges] | None = None
    grips: dict[str, AboveZero] | None = None
    source: Any = None


def with_changes(settings: Settings, parameters: Mapping[str, Any]) -> Settings:
    """Return the settings with other values of some parameters.

    Raises:
        BadInput: if one of them cannot change in a run, or has a value that cannot be used.
    """
    others = sorted(set(parameters) - set(Changeable.model_fields))
    if others:
        raise BadInput(
            "this parameter cannot change in a run",
            where=others[0],
            found=parameters[others[0]],
            expected=" or ".join(Changeable.model_fields),
        )
    changes = check(Changeable, dict(parameters))
    return settings.model_copy(update={name: getattr(changes, name) for name in parameters})


def change_bodies(
    engine: Engine, before: Mapping[str, BodyChanges], after: Mapping[str, BodyChanges]
) -> None:
    """Make the engine's bodies differ from their files as they should from now on.

    Args:
        engine: with bodies that differ from their files as `before` says.
        before: what differs now.
        after: what is to differ; what is not named is to be as in its file.

    Raises:
        Unsupported: if the engine cannot do this.
    """
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, _AS_IN_ITS_FILE), after.get(name, _AS_IN_ITS_FILE)
        if old == new:
            continue
        for key in ("friction", "bounce"):
            if getattr(old, key) is not None and getattr(new, key) is None:
                raise Unsupported(f"the {key} of {name} in its file is not known any more")
        engine.change_body(
            name,
            mass=new.mass / old.mass,
            friction=1.0 if new.friction is not None else new.friction_factor / old.friction_factor,
            coefficient=new.friction,
            bounce=new.bounce,
        )
