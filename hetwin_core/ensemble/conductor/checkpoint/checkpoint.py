"""What is saved of a run between two steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.parts import Parts
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort

SOURCE, NEEDS_SOURCE = "source", "needs_source"
"""Keys of a main model's state: where its source is, or why no other process can go on with it."""
_PARTS = (
    *("digest", "beliefs", "events", "scheduler", "outputs", "handovers", "policy", "failures"),
    *("effects", "triggers", "outside", "publisher"),
)
_SENSELESS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run between two steps.

    Attributes:
        scenario: path of the scenario's file.
        options: what the start of the run said beyond it.
        given: all that decides how the run goes, see `given.run_given`.
        step: the last complete step.
        time_ns: its simulated time [ns].
        conductor: state of each part of the conductor, by its name.
        models: state of each model, by its name.
    """

    scenario: str
    options: RunOptions
    given: Mapping[str, Any]
    step: int
    time_ns: int
    conductor: Mapping[str, Plain]
    models: Mapping[str, Mapping[str, Plain]]

    @property
    def needs_source(self) -> str | None:
        """Why no other process can go on with the source of the run; None if one can."""
        return next((reason for reason, _ in self._needing()), None)

    @property
    def lacks_source(self) -> str | None:
        """Why not even the process that saved it can come back to it; None if it can."""
        return next((reason for reason, is_saved in self._needing() if not is_saved), None)

    def _needing(self) -> Iterator[tuple[str, bool]]:
        """Why other processes need a source, and whether it is saved for this one."""
        for saved in self.models.values():
            state = saved.get("state")
            if isinstance(state, dict) and NEEDS_SOURCE in state:
                yield str(state[NEEDS_SOURCE]), SOURCE in state

    def with_options(self, **changes: Any) -> Checkpoint:
        """Return the same with other options, such as another source or an end [s].

        A source that is named here begins at the checkpoint, with the joints where they are.
        """
        options = replace(self.options, **changes)
        if "source" not in changes:
            return replace(self, options=options)
        models = {name: _without_source(saved) for name, saved in self.models.items()}
        given = {key: value for key, value in self.given.items() if key != SOURCE}
        return replace(self, options=options, given=given, models=models)


def _without_source(saved: Mapping[str, Plain]) -> Mapping[str, Plain]:
    state = saved["state"]
    assert isinstance(state, dict)
    kept = {key: value for key, value in state.items() if key not in (SOURCE, NEEDS_SOURCE)}
    return {**saved, "state": kept}


def take(
    scenario: Scenario,
    options: RunOptions,
    given: Mapping[str, Any],
    ports: Sequence[ModelPort],
    parts: Parts,
    scene: Scene,
    step: int,
) -> Checkpoint:
    """Save a run between two steps; see `Conductor.checkpoint`.

    Raises:
        Refused: if a model, or something in the run, cannot be saved.
        RunFailed: if a model fails.
    """
    gone = parts.handovers.any_given_up
    if gone is not None:
        raise Refused(f"a run cannot be saved without all its models: {gone}")
    models = {port.plan.name: port.save() for port in ports}
    conductor = {name: getattr(parts, name).save() for name in _PARTS}
    conductor["predicates"] = parts.publisher.predicates.save()
    conductor["scene"] = scene.save()
    return Checkpoint(
        scenario=str(scenario.path.absolute()),
        options=_found_again(options),
        given=given,
        step=step,
        time_ns=scene.time_ns,
        conductor=conductor,
        models=models,
    )


def put_back(
    checkpoint: Checkpoint,
    ports: Sequence[ModelPort],
    parts: Parts,
    scene: Scene,
    *,
    here: bool = False,
) -> None:
    """Bring started models, the parts of a run and its scene to where they were.

    Args:
        checkpoint: of this run.
        ports, parts, scene: of the run.
        here: whether they are those that were saved, which have the source that other processes do not.

    Raises:
        Refused: if they were others.
        RunFailed: if a model fails.
    """
    if checkpoint.needs_source is not None and not here:
        raise Refused(f"{checkpoint.needs_source}; it goes on with another source only")
    names = [port.plan.name for port in ports]
    if set(names) != checkpoint.models.keys():
        raise Refused(
            f"it has the models {', '.join(checkpoint.models)}; here are {', '.join(names)}"
        )
    saved = checkpoint.conductor
    missing = {*_PARTS, "predicates", "scene"} - saved.keys()
    if missing:
        raise Unsaveable(f"it has no {sorted(missing)[0]}")
    with _understood("scene"):
        scene.restore(saved["scene"])
    if scene.time_ns != checkpoint.time_ns:
        raise Unsaveable(f"its scene is of {scene.time_ns} ns, and not of {checkpoint.time_ns}")
    for port in ports:
        with _understood(port.plan.name):
            port.restore(checkpoint.models[port.plan.name], scene.snapshot())
    for name in _PARTS:
        with _understood(name):
            getattr(parts, name).restore(saved[name])
    with _understood("predicates"):
        parts.publisher.predicates.restore(saved["predicates"])


@contextmanager
def _understood(name: str) -> Iterator[None]:
    """Say of which part a state is that makes no sense; a file of anyone's may hold anything.

    Raises:
        Unsaveable: if it makes none.
    """
    try:
        yield
    except _SENSELESS as error:
        raise Unsaveable(f"this is no state of {name}: {type(error).__name__}: {error}") from error


def _found_again(options: RunOptions) -> RunOptions:
    """The options with paths that mean the same in another folder."""
    source = options.source
    if source is not None and not source.lstrip().startswith("{") and Path(source).exists():
        source = str(Path(source).absolute())
    packages = {name: str(Path(folder).absolute()) for name, folder in options.packages.items()}
    return replace(options, source=source, packages=packages)
