"""The process beside the twin that answers questions about the future and publishes its predictions."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count, takewhile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

from hetwin_futures.announced import Announced, Awaited, Question, announced_of, end_of, plan_of
from hetwin_futures.forecast import Forecast
from hetwin_suite.model import Refused, Stepping
from hetwin_suite.runs import (
    LIVE,
    BetweenSteps,
    Conductor,
    HetwinError,
    RunOptions,
    Scenario,
    end_with_parent,
    load_scenario,
    merged_scene,
    source_specs,
)
from hetwin_suite.study import Draw, Moment, Root, RunAtMoment, RunResult, Study

READY_S = 30.0


def foreteller(
    scenario: Scenario, options: RunOptions, namespace: str
) -> Callable[[Question], None]:
    """Start the prediction process, and return a function that sends it a question without waiting.

    Returns once the process is ready, because its start would slow down a twin that already follows its robot. The
    process ends with this one.

    Args:
        scenario: scenario of the run.
        options: options of the run.
        namespace: namespace of the topic on which answers are published.
    """
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(
        target=serve,
        args=(
            theirs,
            scenario.path,
            scenario.variant,
            without_source(scenario, options),
            namespace,
        ),
        name="foreteller",
        daemon=True,
    )
    process.start()
    theirs.close()
    with suppress(EOFError, OSError):
        if ours.poll(READY_S):
            ours.recv_bytes()
    return _QuestionSender(ours).put


class _QuestionSender:
    """Sends the newest question whenever the prediction process is ready for one; older unsent questions are dropped.

    Sends in a thread: the process reads only between two predictions, and a question exceeds the buffer of a pipe.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._question: Question | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._send, name="to_foreteller", daemon=True).start()

    def put(self, question: Question) -> None:
        with self._changed:
            self._question = question
            self._changed.notify()

    def _send(self) -> None:
        with suppress(EOFError, OSError):  # the process has ended, and has logged the reason
            while True:
                self._pipe.recv_bytes()  # the process is ready for a question
                self._pipe.send(self._take())

    def _take(self) -> Question:
        with self._changed:
            self._changed.wait_for(lambda: self._question is not None)
            question, self._question = self._question, None
        assert question is not None
        return question


AFTER_S = 0.5
"""Time for which futures continue after the last announced motion [s]."""


def predict_beside(conductor: Conductor, scenario: Scenario, options: RunOptions) -> None:
    """Predict the outcome of the actions that a live robot announces, in a process of its own.

    Does nothing if the run follows no robot, if the scenario declares neither `uncertainty` nor `outcomes`, or if the
    state of its models cannot be saved between two steps.

    Args:
        conductor: conductor of the run, before its models are made ready.
        scenario: scenario of the run.
        options: options of the run.
    """
    namespace = _namespace(scenario, options)
    says = scenario.file.uncertainty or scenario.file.outcomes
    waited = all(plan.stepping is Stepping.SERVICE and not plan.beside for plan in scenario.models)
    if namespace is not None and says and waited:
        requests = PredictionRequests(conductor, foreteller(scenario, options, namespace))
        conductor.at_barriers(requests.look)


def _namespace(scenario: Scenario, options: RunOptions) -> str | None:
    """Return the namespace of the only robot; None if it is not live."""
    live = [spec[LIVE] for spec in source_specs(scenario, options).values() if LIVE in spec]
    return str(live[0] or "") if len(live) == 1 else None


class PredictionRequests:
    """Requests a prediction whenever the robot announces an action.

    Args:
        conductor: conductor of the run.
        send: takes each question, and returns at once.
    """

    def __init__(self, conductor: Conductor, send: Callable[[Question], None]) -> None:
        self._conductor, self._send = conductor, send
        self._known: list[Announced] = []
        self._refused = False

    def look(self, now: BetweenSteps) -> None:
        """Request a prediction if an action was announced since the last barrier."""
        now.rest()
        new = [action for event in now.events if (action := announced_of(event)) is not None]
        if not new:
            return
        self._known = [action for action in self._known if action.end_ns > now.time_ns] + new
        if not self._refused:
            self._ask(now)

    def _ask(self, now: BetweenSteps) -> None:
        time_ns = now.time_ns
        ahead = [action for action in self._known if action.start_ns > time_ns]
        if not ahead:
            return
        try:
            checkpoint = now.checkpoint()
        except Refused:
            self._refused = True  # a second request would fail as well
            return
        now_s = time.time() - (self._conductor.lag_s or 0.0)
        awaited = (
            Awaited(action.operation, action.arguments, now_s + (action.start_ns - time_ns) / 1e9)
            for action in ahead
        )
        starts = [action.start_ns for action in ahead]
        begin_ns, last_ns = min(starts), max(end_of(self._known), *starts)
        end_ns = last_ns + round(AFTER_S * 1e9)
        horizon_s = (end_ns - begin_ns) / 1e9
        source = plan_of(self._known, time_ns, end_ns)
        saved = checkpoint.with_options(source=None)
        self._send(Question(saved, source, tuple(awaited), begin_ns / 1e9, horizon_s))


Publish: TypeAlias = Callable[[dict[str, Any]], None]
"""Publishes an answer, given as JSON."""
MOST = 32
"""Largest number of futures of a moment. An answer is published after 1, 2, 4, ... futures."""
_ENDLESS_S = 1e6
"""A duration in s that no run reaches."""
_AHEAD_S = 0.06
"""Futures are stopped this long before the action begins, so that the last answer is published in time [s]."""


def without_source(scenario: Scenario, options: RunOptions) -> RunOptions:
    """Return the options of a study that is prepared before the robot's actions are known.

    Args:
        scenario: scenario of the run from whose checkpoints futures start.
        options: options of the run.
    """
    scene = merged_scene(scenario, options)
    return replace(options, source=None, no_source=True, scene=scene, duration=_ENDLESS_S)


def answers(question: Question, study: Study, root: Root, publish: Publish) -> None:
    """Predict until the last of the actions begins, and publish refined answers about each of them.

    The run is advanced once to the begin of the first action, where the futures fork. Each answer covers futures 0 to
    n - 1 without a gap, so that n futures of a recording give the same answer.

    Args:
        question: the question; only actions that have not begun yet are answered.
        study: study of a run with the options `without_source`; its horizon is that of the question.
        root: root of the study, which restores the checkpoint.
        publish: publishes each answer, given as JSON.

    Raises:
        HetwinError: if the checkpoint cannot be restored.
    """
    study.horizon_s = question.horizon_s

    def plan(now: RunAtMoment) -> None:
        known = _FutureAnswers(question, study, now, publish)
        study.progress = known.add
        while not known.is_all and (soonest_s := known.awaits()) is not None:
            for _ in now.runs(known.missing(), time.monotonic() + _left_s(soonest_s)):
                pass
            known.publish()

    root.at_moment(
        Moment(question.begin_s), plan, checkpoint=question.checkpoint, source=question.source
    )


class _FutureAnswers:
    """The futures finished so far, and the answers published from them.

    Args:
        question: the question.
        study: study of the run.
        now: the moment at which the futures fork.
        publish: publishes each answer, given as JSON.
    """

    def __init__(
        self, question: Question, study: Study, now: RunAtMoment, publish: Publish
    ) -> None:
        self._question, self._study, self._now = question, study, now
        self._publish = publish
        self._over: dict[int, RunResult] = {}
        self._awaited: list[Awaited] = []
        self._begun_s = time.time()
        self._published = 0

    @property
    def is_all(self) -> bool:
        """Whether the last possible answer was published."""
        return self._published == MOST

    def awaits(self) -> float | None:
        """Return the begin of the next action, as `time.time` in s; None if all are too close to be answered."""
        self._awaited = _in_time(self._question)
        return min((action.effect_s for action in self._awaited), default=None)

    def missing(self) -> Iterator[Draw]:
        """Iterate over the draws of the futures that are not finished."""
        for index in range(MOST):
            if index not in self._over:
                yield self._now.draw(index)

    def add(self, future: RunResult) -> None:
        """Record a finished future, and publish if their number has doubled since the last answer."""
        self._over[future.index] = future
        if len(_contiguous(self._over)) >= max(1, 2 * self._published):
            self.publish()

    def publish(self) -> None:
        """Publish an answer for each action, unless the last possible one was published."""
        finished = _contiguous(self._over)
        if not finished or self.is_all:
            return
        self._published = len(finished)
        wall_s = time.time() - self._begun_s
        forecast = self._forecast(finished, wall_s)
        for action in self._awaited:
            self._publish(
                {
                    **forecast,
                    "operation": action.operation,
                    "arguments": dict(action.arguments),
                    "final": self.is_all or _left_s(action.effect_s) <= 0.0,
                    "before_effect_s": round(action.effect_s - time.time(), 4),
                }
            )

    def _forecast(self, futures: list[RunResult], wall_s: float) -> dict[str, Any]:
        at_s, horizon_s = self._now.time_ns / 1e9, self._question.horizon_s
        outcomes, seed = tuple(self._study.scenario.file.outcomes), self._study.seed
        count = len(futures)
        return Forecast(at_s, horizon_s, seed, count, futures, outcomes, wall_s).to_json()


def _in_time(question: Question) -> list[Awaited]:
    """Return the actions that can still be answered before they begin."""
    return [action for action in question.awaited if _left_s(action.effect_s) > 0.0]


def _left_s(effect_s: float) -> float:
    """Return the time left to answer before an action begins, in s."""
    return effect_s - _AHEAD_S - time.time()


def _contiguous(over: Mapping[int, RunResult]) -> list[RunResult]:
    """Return futures 0 to n - 1, where n is the first index that is missing."""
    return [over[index] for index in takewhile(over.__contains__, count())]


def serve(
    pipe: Connection, path: Path, variant: str | None, options: RunOptions, namespace: str
) -> None:
    """Answer questions until the twin ends; questions that arrive too late are dropped.

    Args:
        pipe: receives questions; an empty message through it requests the next one.
        path: path of the scenario's file.
        variant: variant of the scenario.
        options: see `without_source`.
        namespace: namespace of the topic on which answers are published.
    """
    end_with_parent()
    from hetwin_futures.publishing import Answers

    scenario = load_scenario(path, variant)
    with Answers(namespace) as publisher:
        try:
            study, root = _prepared(scenario, options)
            pipe.send_bytes(b"")  # ready
            _be_less_urgent()
            while (question := _next(pipe)) is not None:
                if not _in_time(question):
                    continue
                what = ", ".join(action.operation for action in question.awaited)
                try:
                    answers(question, study, root, publisher.publish)
                except HetwinError as error:
                    publisher.warn(f"{what} cannot be predicted: {error}")
                study, root = _prepared(scenario, options)
        except HetwinError as error:
            publisher.warn(f"nothing can be predicted: {error}")


def _prepared(scenario: Scenario, options: RunOptions) -> tuple[Study, Root]:
    """Prepare a study that needs only a checkpoint to start futures."""
    study = Study(scenario, options)  # on all cores; see `_be_less_urgent`
    root = Root(study)
    root.prepare()
    return study, root


def _be_less_urgent() -> None:
    """Run at the lowest priority, so that the twin keeps up."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)


def _next(pipe: Connection) -> Question | None:
    """Wait for a question; return None when the pipe is closed."""
    try:
        pipe.send_bytes(b"")
        question: Question | None = pipe.recv()
    except (EOFError, OSError):
        return None
    return question
