"""The input of a run, and its reports at the start and at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.parts import Parts
from hetwin_core.ensemble.conductor.reporting.concerns import run_concerns, verdict_of
from hetwin_core.ensemble.conductor.reporting.coverage import (
    coverage_of,
    ended_early,
    known_state,
    unseen,
)
from hetwin_core.ensemble.conductor.reporting.listener import (
    RunStart,
    RunSummary,
    error_row,
    handover_row,
    robot_rows,
)
from hetwin_core.ensemble.conductor.start.lifecycle import PreparedRun
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.shared_keys import merged_scene
from hetwin_core.ensemble.conductor.start.sources import (
    LIVE,
    is_live,
    planned_steps,
    source_specs,
    source_words,
)
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Json, event_to_summary, plain
from hetwin_core.ensemble.resources import Kind, file_digest
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.schema import SceneEntry
from hetwin_core.ensemble.scenario.source import SourceKind
from hetwin_core.ensemble.scene.snapshot import Snapshot

_DISTRIBUTION = "hetwin-suite"
_FILES = (SourceKind.RECORDING, SourceKind.TRAJECTORY)


def run_inputs(scenario: Scenario, options: RunOptions, prepared: PreparedRun) -> dict[str, Json]:
    """Return the input of a run, the same over every transport.

    Returns:
        ``scenario``: its content, merged with the scenarios that it extends and the variant, without defaults;
        ``variant``: its name, None without one; ``scene``: initial poses and added objects by entity, merged from
        scenario, episode and start; ``source`` by robot; ``seed``, ``rate``, ``duration`` [s] and ``engine``;
        ``files``: digests by their roles (``world``, ``robot``, ``source``, ``models.NAME`` ...), see `file_digest`;
        ``version`` of hetwin.
    """
    content = scenario.file.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"variants"}
    )
    given = {
        "scenario": content,
        "variant": scenario.variant,
        "scene": merged_scene(scenario, options),
        "source": source_specs(scenario, options),
        "seed": prepared.seed,
        "rate": scenario.clock.rate,
        "duration": options.duration,
        "engine": prepared.engine,
        "files": dict(file_digests(scenario, options)),
        "version": _version(),
    }
    return dict(plain(given))


def file_digests(scenario: Scenario, options: RunOptions) -> Iterator[tuple[str, str]]:
    """Yield the digests of a run's files that exist, by their roles; see `run_inputs`."""
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
    for name, entry in merged_scene(scenario, options).items():
        if (path := SceneEntry.model_validate(entry).file) is not None:
            yield f"scene.{name}", scenario.path_of(path)
    yield from _source_files(scenario, options)
    for plan in scenario.models:
        if plan.folder is not None:  # its code is in no package, so no version identifies it
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


@cache
def _version() -> str:
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return ""


RECORDING = "recording"
"""How a run ends when its recording or its duration is over."""
EARLY_TOLERANCE_NS = 200_000_000
"""Tolerance of a recording's duration: it has ended early if it is shorter than requested by more than this [ns]."""


def run_start(scenario: Scenario, options: RunOptions, prepared: PreparedRun) -> RunStart:
    """Facts about a run before its first step."""
    duration = prepared.duration_ns
    if options.duration is not None:
        requested_ns = round(options.duration * 1e9)
        duration = requested_ns if duration is None else min(requested_ns, duration)
    return RunStart(
        scenario=scenario.name,
        scenario_file=str(scenario.path),
        source=_source(scenario, options),
        seed=prepared.seed,
        rate=scenario.clock.rate,
        duration_ns=duration,
        layout=prepared.scene.layout,
        models=prepared.records,
        robot_descriptions=prepared.robot_descriptions,
        shown=prepared.shown,
        warnings=prepared.warnings,
        snapshot=prepared.scene.kept_snapshot(),
        given=run_inputs(scenario, options, prepared),
        able=_capable_models(scenario, prepared),
        buttons=scenario.buttons,
    )


def _capable_models(scenario: Scenario, prepared: PreparedRun) -> dict[str, tuple[str, ...]]:
    """Names of the models that can be responsible, by the name of each attribute of the scene."""
    names = sorted({slot.attribute.name for slot in prepared.scene.layout.slots})
    return {n: tuple(plan.name for plan in scenario.models if plan.provides(n)) for n in names}


def _source(scenario: Scenario, options: RunOptions) -> str:
    """The source in words; with several robots, one source per robot, after the robot's name."""
    specs = source_specs(scenario, options)
    named = {robot: source_words(spec) for robot, spec in specs.items()}
    return ", ".join(f"{name}: {text}" if name else text for name, text in named.items())


def end_of_source(scenario: Scenario, options: RunOptions) -> str:
    """The regular end of a run: ``live`` if it follows a live robot, else ``recording``."""
    return LIVE if is_live(scenario, options) else RECORDING


def run_summary(
    scenario: Scenario,
    options: RunOptions,
    prepared: PreparedRun,
    parts: Parts,
    initial: Snapshot,
    ended: str,
    error: RunFailed | None,
    wall_s: float,
    begun_ns: int = 0,
) -> RunSummary:
    """Return the summary of a run that started with the scene `initial`.

    `wall_s` is its wall time [s] without pauses, `begun_ns` the simulated time at which it was continued, if it was
    saved before.
    """
    simulated = prepared.scene.time_ns / 1e9
    events, end_ns = parts.events.events, prepared.scene.time_ns
    concerns = run_concerns(events, parts.failures.rows, end_ns)
    coverage = coverage_of(events, concerns, begun_ns, end_ns)
    requested_ns = round((options.duration or 0.0) * 1e9)
    if ended == RECORDING and end_ns + EARLY_TOLERANCE_NS < requested_ns:
        coverage = ended_early(coverage, end_ns, requested_ns)
    state = parts.publisher.predicates.state(prepared.scene.snapshot().values)
    is_regular = ended != "stopped" or parts.effects.stopped_by is not None
    lag, asynchronous = parts.publisher.lag, parts.scheduler.asynchronous
    return RunSummary(
        scenario=scenario.name,
        ended=ended,
        error=error_row(error),
        simulated_time=simulated,
        wall_time=wall_s,
        real_time_factor=(simulated - begun_ns / 1e9) / wall_s if wall_s > 0 else 0.0,
        digest=parts.digest.hexdigest(),
        deterministic=prepared.reproducible
        and not (asynchronous or parts.outside.any_events or lag.is_live),
        transport=options.transport,
        engine=prepared.engine,
        shown=prepared.shown,
        processes=tuple({"model": r.name, "pid": r.pid} for r in prepared.records if r.pid),
        events=tuple(event_to_summary(e) for e in parts.events.events),
        handovers=tuple(handover_row(h) for h in parts.handovers.done),
        state={**known_state(state, coverage, end_ns)},
        counters=_counters(parts),
        live=lag.summary(),
        warnings=prepared.warnings,
        failures=tuple(parts.failures.rows),
        concerns=tuple(concern.row() for concern in concerns),
        coverage=tuple(covered.row() for covered in coverage),
        verdict=verdict_of(
            (concern.severity for concern in concerns),
            unseen=unseen(coverage),
            ended=ended if error is not None or not is_regular else "",
        ).value,
        robots=tuple(robot_rows(initial, prepared.scene.snapshot())),
    )


def _counters(parts: Parts) -> dict[str, int]:
    scheduler = parts.scheduler
    missed = {f"missed steps of {p.plan.name}": p.missed_steps for p in scheduler.asynchronous}
    return {
        "dropped answers": parts.outputs.dropped.total(),
        "refusals": parts.handovers.refused,
        **missed,
        **{f"steps left out by {name}": n for name, n in scheduler.missed.items()},
    }
