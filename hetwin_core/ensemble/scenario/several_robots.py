"""What must hold where a scenario has several robots: each has its own source, and each hand says whose it is."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import OneOfSeveral
from hetwin_core.ensemble.scenario.source import LiveSpec, SourceEntry


def check_robots(
    robots: Mapping[str, OneOfSeveral],
    hands: Mapping[str, str | None],
    *,
    has_robot: bool,
    has_source: bool,
) -> None:
    """Check robots, their sources and hands against each other.

    Args:
        robots: several, by name.
        hands: hand -> the robot whose it is, as far as it says so.
        has_robot: whether there is a robot beside them.
        has_source: whether there is a source beside theirs.

    Raises:
        BadInput: if there is a robot beside several, a source for all of them, one for two of them, or a hand of none.
    """
    if not robots:
        for name, robot in hands.items():
            if robot is not None:
                raise BadInput(
                    "there is only one robot, or none",
                    where=f"hands.{name}.robot",
                    found=robot,
                    expected="no robot here, or robots: with several of them",
                )
        return
    if has_robot:
        raise BadInput(
            "there is one robot beside several",
            where="robot",
            expected=f"it among the robots: {', '.join(robots)}",
        )
    if has_source:
        raise BadInput(
            "of several robots each has a source of its own",
            where="source",
            expected=f"robots.{next(iter(robots))}.source",
        )
    _check_sources(robots)
    _check_hands(hands, robots)


def _check_sources(robots: Mapping[str, OneOfSeveral]) -> None:
    owners: dict[str, str] = {}
    for name, robot in robots.items():
        if robot.source is None:
            continue
        key = _key(robot.source, robot.namespace or name)
        if key in owners:
            raise BadInput(
                "two robots have one source",
                where=f"robots.{name}.source",
                found=f"that of {owners[key]}",
                expected="a recording, or live topics, of its own",
            )
        owners[key] = name
    live = {name: _is_live(robot.source) for name, robot in robots.items() if robot.source}
    if len(set(live.values())) > 1:
        name = next(name for name, is_live in live.items() if is_live)
        raise BadInput(
            "one robot is recorded and another one is live",
            where=f"robots.{name}.source",
            found="live",
            expected="recordings of all robots, or none",
        )


def _key(source: SourceEntry, namespace: str) -> str:
    """What is the same for two sources that are one; `namespace` is the robot's."""
    if isinstance(source, str):
        return f"{source} {namespace}" if source == "live" else source
    own = f" {namespace}" if isinstance(source, LiveSpec) and not source.live else ""
    return source.model_dump_json() + own


def _is_live(source: SourceEntry) -> bool:
    if isinstance(source, str):
        return source.partition(":")[0] == "live"
    return isinstance(source, LiveSpec)


def _check_hands(hands: Mapping[str, str | None], robots: Mapping[str, OneOfSeveral]) -> None:
    for name, robot in hands.items():
        if robot is None:
            raise BadInput(
                "the hand does not say which robot it is of",
                where=f"hands.{name}",
                expected=f"robot: one of {', '.join(robots)}",
            )
        if robot not in robots:
            raise BadInput(
                "there is no such robot",
                where=f"hands.{name}.robot",
                found=robot,
                expected=one_of(robot, robots),
            )
