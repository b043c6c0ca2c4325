"""Names that the shell completes; nothing that takes long is imported for them."""

from __future__ import annotations

from collections.abc import Iterable

from typer import Context

from hetwin_core.ensemble.installed import installed
from hetwin_core.ensemble.resources import names_of

ENGINES = ("auto", "gz", "mujoco")


def scenarios(incomplete: str) -> list[str]:
    """Names of hetwin's own scenarios; where none fits, the shell completes files."""
    return beginning(incomplete, names_of("scenarios", ".yaml"))


def variants(context: Context, incomplete: str) -> list[str]:
    """Names of the variants of the scenario that the command names before."""
    from hetwin_core.ensemble.errors import BadInput
    from hetwin_core.ensemble.scenario.scenario import find_scenario
    from hetwin_core.ensemble.scenario.strict_yaml import VARIANTS, load_with_base

    # incomplete text is not parsed
    words = [word for word in context.args if not word.startswith("-")]
    named = context.params.get("scenario") or next(iter(words), None)
    try:
        document = load_with_base(find_scenario(str(named)))
    except BadInput:
        return []
    known = document.data.get(VARIANTS) if isinstance(document.data, dict) else None
    return beginning(incomplete, known if isinstance(known, dict) else ())


def model_types(incomplete: str) -> list[str]:
    """Names of the installed model types."""
    return beginning(incomplete, sorted(p.name for p in installed("hetwin.models")))


def engines(incomplete: str) -> list[str]:
    """Names of the physics engines."""
    return beginning(incomplete, ENGINES)


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Those of some names with which a word may go on."""
    return [name for name in names if name.startswith(incomplete)]
