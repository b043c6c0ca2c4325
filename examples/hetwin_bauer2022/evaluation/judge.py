"""Replays an episode with an approach, and derives the twin's verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_bauer2022.evaluation.approaches import (
    RULE,
    RULES,
    Contacts,
    reports_success,
    scenario_name,
    task_of,
)
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.handover_watch import HandoverWatch
from hetwin_bauer2022.evaluation.rules import ObservedEpisode
from hetwin_suite.model import EventKind
from hetwin_suite.runs import (
    HetwinError,
    RunListener,
    RunLog,
    RunOptions,
    RunSummary,
    Scenario,
    event_from_summary,
    event_line,
    event_words,
    failure_row_words,
    load_scenario,
    seconds,
    session,
)

_DEADLINE_S = 3600.0
"""Deadline of a model's call [s], long enough that no verdict depends on the machine's load."""
MAY_MISS_GRASP = ("single", "single_tuned", "force")
"""Approaches that may fail to grasp; for failed executions the paper reports n/a for them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of an approach on an episode.

    Attributes:
        episode: folder of the episode.
        approach: name of the approach.
        success: the verdict; None if the run failed.
        truth: the true outcome.
        cause: the true cause of a failure.
        margin: signed distance from the boundary [m], if known.
        why: reason for the verdict: the handling events, or the error.
        real_time_factor: real time factor of the run; NaN for the rules.
        wall_time: wall time including the start of the run [s].
        not_applicable: whether the paper would report n/a: the approach cannot grasp the object that the robot really
            held, so that its verdict of failure is meaningless.
        hand_backs: number of poses handed back to the main model.
        unequal: number of hand-backs whose pose did not equal the released one to the bit.
        gain: maximum speed within half a second after a hand-back, minus the released speed and the effect of gravity
            [m/s]; below 0 if the object only slowed down, NaN without hand-backs.
    """

    episode: str
    scenario: str
    approach: str
    success: bool | None
    truth: bool
    cause: str
    margin: float | None
    why: str
    real_time_factor: float
    wall_time: float
    not_applicable: bool = False
    hand_backs: int = 0
    unequal: int = 0
    gain: float = np.nan

    @property
    def right(self) -> bool:
        """Whether the verdict equals the truth."""
        return self.success is self.truth


def judge(
    episode: LabelledEpisode,
    approach: str,
    log: Path | None = None,
    contacts: Contacts = Contacts.MANIPULATION,
    engine: str | None = None,
) -> Verdict:
    """Replay an episode; with `log`, write the run to that folder.

    Args:
        episode: the episode to replay.
        approach: one of `APPROACHES`.
        log: folder for the run's log.
        contacts: contact settings of the physics engine.
        engine: physics engine of the main model; None: the scenario's.
    """
    start = time.monotonic()
    task = task_of(episode.scenario)
    grasped = True
    watch = HandoverWatch()
    if approach in RULES:
        success, why = _verdict_of_rule(episode, approach)
        factor = np.nan
    else:
        try:
            physics = (contacts, engine)
            summary = _replay(episode, scenario_name(task, approach), physics, watch, log)
        except HetwinError as error:
            success, why, factor = None, str(error), np.nan
        else:
            failed = summary.ended == "failed"
            success = None if failed else reports_success(task, summary.state)
            why, factor = _description(summary), summary.real_time_factor
            grasped = any(event["name"] == "grasped" for event in summary.events)
    return Verdict(
        str(episode.folder),
        episode.scenario,
        approach,
        success,
        episode.success,
        episode.cause,
        episode.margin,
        why,
        float(factor),
        time.monotonic() - start,
        not grasped and episode.held and not episode.success and approach in MAY_MISS_GRASP,
        len(watch.hand_backs),
        watch.unequal,
        watch.greatest_gain if watch.hand_backs else np.nan,
    )


def _verdict_of_rule(episode: LabelledEpisode, approach: str) -> tuple[bool | None, str]:
    try:
        observed = ObservedEpisode(episode)
        return observed.stay_blocked() if approach == RULE else observed.kinematic()
    except HetwinError as error:
        return None, str(error)


def _replay(
    episode: LabelledEpisode,
    scenario: str,
    physics: tuple[Contacts, str | None],
    watch: HandoverWatch,
    log: Path | None,
) -> RunSummary:
    contacts, engine = physics
    loaded = scenario_of_episode(load_scenario(scenario), episode)
    if contacts is not Contacts.MANIPULATION:
        parameters = loaded.main.parameters
        parameters["options"] = {**parameters.get("options", {}), "contacts": contacts.value}
    options = RunOptions(source=str(episode.recording), scene=episode.scene, engine=engine)
    listeners: list[RunListener] = [watch]
    if log is not None:
        listeners.append(RunLog(log))
    return session(loaded, options=options, listeners=listeners, deadline_s=_DEADLINE_S).run()


def scenario_of_episode(scenario: Scenario, episode: LabelledEpisode) -> Scenario:
    """Return the scenario with the world and the robot of the episode."""
    return scenario.with_files(episode.world, episode.robot)


def _description(summary: RunSummary) -> str:
    if summary.error is not None:
        return failure_row_words(summary.error)
    events = [
        f"{event_words(event)} {seconds(event.time_ns)}"
        for event in map(event_from_summary, summary.events)
        if event.kind is EventKind.MODEL and event_line(event)
    ]
    return ", ".join(events) or "no event was observed"
