"""What a run was given: all that decides how it goes, as its log keeps it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.start.lifecycle import Ready
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.shared_keys import laid_scene
from hetwin_core.ensemble.conductor.start.sources import planned_steps, source_specs
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.file_digest import file_digest
from hetwin_core.ensemble.known_files import Kind
from hetwin_core.ensemble.plain_json import plain
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.source import SourceKind

_DISTRIBUTION = "hetwin-suite"
_FILES = (SourceKind.RECORDING, SourceKind.TRAJECTORY)


def run_given(scenario: Scenario, options: RunOptions, ready: Ready) -> dict[str, Json]:
    """Return what a run was given, the same over every transport.

    Returns:
        ``scenario``: its content with what it extends and the variant laid over it, without what says its defaults;
        ``variant``: its name, None without one; ``scene``: initial poses and
        added objects by entity, those of scenario, episode and start laid over each other; ``source`` by robot;
        ``seed``, ``rate``, ``duration`` [s] and ``engine``; ``files``: digests by what they are (``world``,
        ``robot``, ``source``, ``models.NAME`` ...), see `file_digest`; ``version`` of hetwin.
    """
    content = scenario.file.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"variants"}
    )
    given = {
        "scenario": content,
        "variant": scenario.variant,
        "scene": laid_scene(scenario, options),
        "source": source_specs(scenario, options),
        "seed": ready.seed,
        "rate": scenario.clock.rate,
        "duration": options.duration,
        "engine": ready.engine,
        "files": dict(_digests(scenario, options)),
        "version": _version(),
    }
    return dict(plain(given))


def _digests(scenario: Scenario, options: RunOptions) -> Iterator[tuple[str, str]]:
    """Yield digests of the files that exist, by what they are."""
    for name, path in _files(scenario, options):
        if path is not None and path.exists():
            yield name, file_digest(path)


def _files(scenario: Scenario, options: RunOptions) -> Iterator[tuple[str, Path | None]]:
    file = scenario.file
    if file.world is not None:
        yield "world", Path(scenario.described(file.world, Kind.WORLD, "world"))
    if file.robot is not None:
        urdf = file.robot if isinstance(file.robot, str) else file.robot.urdf
        yield "robot", Path(scenario.described(urdf, Kind.ROBOT, "robot"))
    for name, robot in file.robots.items():
        where = f"robots.{name}"
        yield where, Path(scenario.described(robot.urdf, Kind.ROBOT, where))
    for name, entry in laid_scene(scenario, options).items():
        if entry.get("model"):
            yield f"scene.{name}", scenario.path_of(entry["model"])
    yield from _source_files(scenario, options)
    for plan in scenario.models:
        if plan.folder is not None:  # its code belongs to no version of any package
            yield f"models.{plan.name}", _module_file(plan.cls)


def _source_files(scenario: Scenario, options: RunOptions) -> Iterator[tuple[str, Path]]:
    """Yield the files of sources: recordings, trajectories, and programs that lie beside the scenario."""
    for robot, spec in source_specs(scenario, options).items():
        name = f"source.{robot}" if robot else "source"
        for path in (spec[kind] for kind in _FILES if isinstance(spec.get(kind), str)):
            yield name, Path(path)
        for i, step in enumerate(planned_steps(spec)):
            for path in (step[kind] for kind in _FILES if isinstance(step.get(kind), str)):
                yield f"{name}.plan.{i}", Path(path)
        if SourceKind.PROGRAM in spec:
            module = spec[SourceKind.PROGRAM].partition(":")[0]
            yield name, Path(spec["folder"], *module.split(".")).with_suffix(".py")


def _module_file(cls: type[Any]) -> Path | None:
    name = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return None if name is None else Path(name)


def _version() -> str:
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return ""
