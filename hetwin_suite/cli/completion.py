"""Names that the shell completes; nothing that takes long is imported for them."""

from __future__ import annotations

from collections.abc import Iterable

from typer import Context

from hetwin_core.ensemble.installed import installed
from hetwin_core.ensemble.resources import names_of
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES

ENGINES = ("auto", "gz", "mujoco")


def scenarios(incomplete: str) -> list[str]:
    """Names of hetwin's own scenarios; where none fits, the shell completes files."""
    return _beginning(incomplete, names_of("scenarios", ".yaml"))


def variants(context: Context, incomplete: str) -> list[str]:
    """Names of the variants of the scenario that the command names before."""
    from hetwin_core.ensemble.errors import BadInput
    from hetwin_core.ensemble.scenario.extends import load_with_base
    from hetwin_core.ensemble.scenario.scenario import find_scenario
    from hetwin_core.ensemble.scenario.variants import KEY

    # what is not complete is not parsed
    words = [word for word in context.args if not word.startswith("-")]
    named = context.params.get("scenario") or next(iter(words), None)
    try:
        document = load_with_base(find_scenario(str(named)))
    except BadInput:
        return []
    known = document.data.get(KEY) if isinstance(document.data, dict) else None
    return _beginning(incomplete, known if isinstance(known, dict) else ())


def model_types(incomplete: str) -> list[str]:
    """Names of the installed model types."""
    return _beginning(incomplete, sorted(p.name for p in installed("hetwin.models")))


def mismatches(incomplete: str) -> list[str]:
    """Names of the installed axes of mismatch, with the sign that a level follows."""
    names = sorted(p.name for p in installed("hetwin.mismatches"))
    return _beginning(incomplete, [f"{name}=" for name in names])


def libraries(incomplete: str) -> list[str]:
    """Names of hetwin's own libraries of strategies."""
    return _beginning(incomplete, names_of("scenarios/libraries", ".yaml"))


def engines(incomplete: str) -> list[str]:
    """Names of the physics engines."""
    return _beginning(incomplete, ENGINES)


def approaches(incomplete: str) -> list[str]:
    """Approaches of an evaluation; of several, separated by commas, the last one is completed."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _beginning(last, APPROACHES)]


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
