"""Checkpoints: the saved state of a run between two steps, the check that it belongs to the same run, and its file."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.parts import Parts
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.limits import read_bytes, unpacked
from hetwin_core.ensemble.saving.plain import Plain, StateError, from_text, to_text
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.validation import check

SOURCE, NEEDS_SOURCE = "source", "needs_source"
"""Keys in a main model's state: the state of its source, and why no other process can continue with that source."""
_PARTS = (
    *("digest", "beliefs", "events", "scheduler", "outputs", "handovers", "policy", "failures"),
    *("effects", "triggers", "outside", "publisher"),
)
_INVALID_STATE_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a run between two steps.

    Attributes:
        scenario: path of the scenario's file.
        options: options of the run's start.
        given: all inputs of the run, see `report.run_inputs`.
        step: number of the last complete step.
        time_ns: simulated time of that step [ns].
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
    def new_source_reason(self) -> str | None:
        """Reason why another process needs another source to continue; None if it does not."""
        return next((reason for reason, _ in self._unusable_sources()), None)

    @property
    def unsaved_source_reason(self) -> str | None:
        """Reason why even the process that saved the run cannot return to its source; None if it can."""
        return next((reason for reason, is_saved in self._unusable_sources() if not is_saved), None)

    def _unusable_sources(self) -> Iterator[tuple[str, bool]]:
        """Yield why another process needs another source, and whether the saving process can return to its source."""
        for saved in self.models.values():
            state = saved.get("state")
            if isinstance(state, dict) and NEEDS_SOURCE in state:
                yield str(state[NEEDS_SOURCE]), SOURCE in state

    def with_options(self, **changes: Any) -> Checkpoint:
        """Return this checkpoint with other options, such as another source or an end [s].

        A new source starts at the checkpoint's time, with the joints at their current positions.
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


def take_checkpoint(
    scenario: Scenario,
    options: RunOptions,
    given: Mapping[str, Any],
    ports: Sequence[ModelPort],
    parts: Parts,
    scene: Scene,
    step: int,
    *,
    same_process: bool = False,
) -> Checkpoint:
    """Save a run between two steps; see `Conductor.checkpoint`, and `restore_checkpoint` for `same_process`.

    Raises:
        Refused: if a model, or something in the run, cannot be saved.
        RunFailed: if a model fails.
    """
    given_up = parts.handovers.last_given_up
    if given_up is not None:
        raise Refused(f"a run cannot be saved without all its models: {given_up}")
    models = {port.plan.name: port.save() for port in ports}
    conductor = {name: getattr(parts, name).save() for name in _saved_parts(same_process)}
    conductor["predicates"] = parts.publisher.predicates.save()
    conductor["scene"] = scene.save()
    return Checkpoint(
        scenario=str(scenario.path.absolute()),
        options=_with_absolute_paths(options),
        given=given,
        step=step,
        time_ns=scene.time_ns,
        conductor=conductor,
        models=models,
    )


def restore_checkpoint(
    checkpoint: Checkpoint,
    ports: Sequence[ModelPort],
    parts: Parts,
    scene: Scene,
    *,
    same_process: bool = False,
) -> None:
    """Restore the state of started models, of the parts of a run and of its scene.

    Args:
        checkpoint: a checkpoint of this run.
        ports, parts, scene: models, parts and scene of the run.
        same_process: whether this process has saved them; it can return to its source, and restores the events itself.

    Raises:
        Refused: if the checkpoint has other models or needs a source.
        StateError: if a saved state is missing or invalid.
        RunFailed: if a model fails.
    """
    if checkpoint.new_source_reason is not None and not same_process:
        raise Refused(f"{checkpoint.new_source_reason}; it can only continue with another source")
    names = [port.plan.name for port in ports]
    if set(names) != checkpoint.models.keys():
        raise Refused(
            f"the checkpoint has the models {', '.join(checkpoint.models)}, this run {', '.join(names)}"
        )
    saved = checkpoint.conductor
    missing = {*_saved_parts(same_process), "predicates", "scene"} - saved.keys()
    if missing:
        raise StateError(f"the checkpoint has no {sorted(missing)[0]}")
    with _naming_part("scene"):
        scene.restore(saved["scene"])
    if scene.time_ns != checkpoint.time_ns:
        raise StateError(f"its scene is at {scene.time_ns} ns, not at {checkpoint.time_ns} ns")
    for port in ports:
        with _naming_part(port.plan.name):
            port.restore(checkpoint.models[port.plan.name], scene.snapshot())
    for name in _saved_parts(same_process):
        with _naming_part(name):
            getattr(parts, name).restore(saved[name])
    with _naming_part("predicates"):
        parts.publisher.predicates.restore(saved["predicates"])


def _saved_parts(same_process: bool) -> tuple[str, ...]:
    return tuple(name for name in _PARTS if not (same_process and name == "events"))


@contextmanager
def _naming_part(name: str) -> Iterator[None]:
    """Name the part whose saved state is invalid; an untrusted file may contain anything.

    Raises:
        StateError: if the state is invalid.
    """
    try:
        yield
    except _INVALID_STATE_ERRORS as error:
        raise StateError(f"invalid state of {name}: {type(error).__name__}: {error}") from error


def _with_absolute_paths(options: RunOptions) -> RunOptions:
    """The options with absolute paths, which are also valid in another working directory."""
    source = options.source
    if source is not None and not source.lstrip().startswith("{") and Path(source).exists():
        source = str(Path(source).absolute())
    packages = {name: str(Path(folder).absolute()) for name, folder in options.packages.items()}
    return replace(options, source=source, packages=packages)


_MAY_DIFFER = ("duration", "source")
"""Options that may differ: the end, and the source."""
_INPUT_NAMES = {
    "version": "hetwin",
    "engine": "the engine",
    "scenario": "the scenario",
    "files": "a file",
    "scene": "the initial scene",
}


def check_same(saved: Mapping[str, Any], current: Mapping[str, Any], *, new_source: bool) -> None:
    """Check that a run has the input of a saved one.

    Args:
        saved, current: see `report.run_inputs`.
        new_source: whether the run continues with another source.

    Raises:
        BadInput: if an input differs; the first such key is named.
    """
    for key in ("version", "engine", *saved):
        if key in _MAY_DIFFER:
            continue
        saved_input, current_input = saved.get(key), current.get(key)
        if key == "files" and new_source:
            saved_input = _without_sources(saved_input)
            current_input = _without_sources(current_input)
        if saved_input != current_input:
            raise _difference_error(key, saved_input, current_input)


def _without_sources(files: Any) -> dict[str, Any]:
    return {name: digest for name, digest in (files or {}).items() if not name.startswith("source")}


def _difference_error(key: str, saved: Any, current: Any) -> BadInput:
    where = key
    while isinstance(saved, Mapping) and isinstance(current, Mapping):
        names = [*saved, *(name for name in current if name not in saved)]
        name = next(name for name in names if saved.get(name) != current.get(name))
        where, saved, current = f"{where}.{name}", saved.get(name), current.get(name)
    return BadInput(
        f"the checkpoint belongs to another run: {_INPUT_NAMES.get(key, key)} has changed since",
        where=where,
        found=current,
        expected=f"{saved!r}, as it was when the checkpoint was taken",
    )


FORMAT, VERSION = "hetwin checkpoint", 4
_ZIP, _ZIP_FORMATS = b"PK", f"{FORMAT} 1 or 2, a ZIP archive"
"""First bytes of files of older versions, and the name of their formats."""
_GZIP = 31
"""The window bits that select the gzip format in zlib."""
_EXPECTED = "a file written by hetwin run --checkpoint"
_READ_ERRORS = (
    *(zlib.error, EOFError, ValueError, KeyError, TypeError, IndexError),
    *(OSError, RecursionError, AttributeError),
)


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint; the file appears only when it is complete.

    Raises:
        OSError: if it cannot be written.
    """
    content = {field.name: getattr(checkpoint, field.name) for field in fields(Checkpoint)}
    content["options"] = asdict(checkpoint.options)
    head = {"format": FORMAT, "format_version": VERSION}
    text = to_text(head | content)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(gzip.compress(text.encode(), mtime=0))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; no code that the file names is executed.

    Raises:
        BadInput: if there is no such file, it is damaged, or has another format.
    """
    try:
        content = from_text(_unpack(path))
        _check_format(f"{content.get('format')} {content.get('format_version')}", path)
        return _parse_checkpoint(content)
    except BadInput as error:
        raise error.at(error.where, path) from None
    except FileNotFoundError:
        raise BadInput("there is no such checkpoint", file=path, expected=_EXPECTED) from None
    except _READ_ERRORS as error:
        text = f"the checkpoint cannot be read ({type(error).__name__}: {error})"
        raise BadInput(text, file=path, expected=f"{_EXPECTED}, undamaged") from error


def _unpack(path: Path) -> bytes:
    packed = read_bytes(path)
    if packed.startswith(_ZIP):
        _check_format(_ZIP_FORMATS, path)
    return unpacked(partial(zlib.decompressobj, _GZIP), packed)


def _check_format(found: str, path: Path) -> None:
    expected = f"{FORMAT} {VERSION}"
    if found != expected:
        raise BadInput(
            "unsupported format", file=path, where="format", found=found, expected=expected
        )


def _parse_checkpoint(content: Mapping[str, Any]) -> Checkpoint:
    known = {field.name for field in fields(RunOptions)}
    unknown = sorted(content["options"].keys() - known)
    if unknown:
        raise ValueError(f"there is no option {unknown[0]!r}")
    options = check(RunOptions, content["options"], "options")
    for key, kind in (("scenario", str), ("given", dict), ("step", int), ("time_ns", int)):
        if type(content[key]) is not kind:
            raise TypeError(f"{key} is {type(content[key]).__name__}; expected {kind.__name__}")
    for key in ("conductor", "models"):
        if not all(isinstance(part, dict | list) for part in content[key].values()):
            raise TypeError(f"{key} contains an invalid state")
    saved = {field.name: content[field.name] for field in fields(Checkpoint)}
    return Checkpoint(**{**saved, "options": options})
