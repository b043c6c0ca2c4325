"""The process beside the twin: predicts what it is asked, and publishes the answers."""

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
    laid_scene,
    load_scenario,
    source_specs,
)
from hetwin_suite.study import Draw, Moment, Now, Root, RunResult, Study

READY_S = 30.0


def foreteller(
    scenario: Scenario, options: RunOptions, namespace: str
) -> Callable[[Question], None]:
    """Start the process that predicts, which ends with this one; returns what takes questions, without waiting.

    It returns when the process is ready, so that its start slows no twin that already follows its robot.

    Args:
        scenario: scenario of the run.
        options: what its start says.
        namespace: namespace of the topic of the answers.
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
    return _Newest(ours).put


class _Newest:
    """Sends the newest question whenever the other side takes one; a newer one covers those before it.

    In a thread, for the other side reads only between two predictions, and a question is larger than what a pipe holds.
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
        with suppress(EOFError, OSError):  # the process has ended; it has said why
            while True:
                self._pipe.recv_bytes()  # it asks
                self._pipe.send(self._take())

    def _take(self) -> Question:
        with self._changed:
            self._changed.wait_for(lambda: self._question is not None)
            question, self._question = self._question, None
        assert question is not None
        return question


AFTER_S = 0.5
"""Futures go on so long after all that was announced is over [s]."""


def predict_beside(conductor: Conductor, scenario: Scenario, options: RunOptions) -> None:
    """Predict in a process of its own what comes of the actions that a live robot announces.

    Nothing is done for runs that follow no robot, whose scenario does not say what is uncertain or wanted, or whose
    models cannot be saved between two steps.

    Args:
        conductor: conductor of the run, before its models are made ready.
        scenario: scenario of the run.
        options: what its start says.
    """
    namespace = _namespace(scenario, options)
    says = scenario.file.uncertainty or scenario.file.outcomes
    waited = all(plan.stepping is Stepping.SERVICE and not plan.beside for plan in scenario.models)
    if namespace is not None and says and waited:
        asking = Asking(conductor, foreteller(scenario, options, namespace))
        conductor.at_barriers(asking.look)


def _namespace(scenario: Scenario, options: RunOptions) -> str | None:
    """Return the namespace of the only robot; None if it is not live."""
    live = [spec[LIVE] for spec in source_specs(scenario, options).values() if LIVE in spec]
    return str(live[0] or "") if len(live) == 1 else None


class Asking:
    """Asks for a prediction whenever something is announced.

    Args:
        conductor: conductor of the run.
        send: takes each question, at once.
    """

    def __init__(self, conductor: Conductor, send: Callable[[Question], None]) -> None:
        self._conductor, self._send = conductor, send
        self._known: list[Announced] = []
        self._refused = False

    def look(self, now: BetweenSteps) -> None:
        """Ask if something was announced."""
        new = [one for event in now.events if (one := announced_of(event)) is not None]
        if not new:
            return
        self._known = [one for one in self._known if one.end_ns > now.time_ns] + new
        if not self._refused:
            self._ask(now)

    def _ask(self, now: BetweenSteps) -> None:
        time_ns = now.time_ns
        ahead = [one for one in self._known if one.start_ns > time_ns]
        if not ahead:
            return
        try:
            checkpoint = now.checkpoint()
        except Refused:
            self._refused = True  # it will be refused again
            return
        now_s = time.time() - (self._conductor.lag_s or 0.0)
        awaited = (
            Awaited(one.operation, one.arguments, now_s + (one.start_ns - time_ns) / 1e9)
            for one in ahead
        )
        starts = [one.start_ns for one in ahead]
        begin_ns, last_ns = min(starts), max(end_of(self._known), *starts)
        end_ns = last_ns + round(AFTER_S * 1e9)
        horizon_s = (end_ns - begin_ns) / 1e9
        source = plan_of(self._known, time_ns, end_ns)
        saved = checkpoint.with_options(source=None)
        self._send(Question(saved, source, tuple(awaited), begin_ns / 1e9, horizon_s))


Publish: TypeAlias = Callable[[dict[str, Any]], None]
"""Takes an answer, as JSON."""
MOST = 32
"""Futures of a moment; an answer follows the first one, and whenever there are twice as many."""
_ENDLESS_S = 1e6
"""No run is so long [s]."""
_AHEAD_S = 0.06
"""So long before the effect futures are stopped, so that the last answer is there before it [s]."""


def without_source(scenario: Scenario, options: RunOptions) -> RunOptions:
    """Return what the start of a run says that is prepared before it is known what the robot will do.

    Args:
        scenario: scenario of the run that futures go on from.
        options: what its start says.
    """
    scene = laid_scene(scenario, options)
    return replace(options, source=None, no_source=True, scene=scene, duration=_ENDLESS_S)


def answers(question: Question, study: Study, root: Root, publish: Publish) -> None:
    """Predict until the last of the actions begins, and publish ever better answers about each of them.

    The run goes on to the first of them, once for all futures, which part there. An answer is about the first futures
    without a gap, so that as many futures of the recording say the same.

    Args:
        question: what is asked, of which an answer is worth something.
        study: study of a run with the options `without_source`; its horizon is that of the question.
        root: root of the study, which goes on from the checkpoint.
        publish: takes each answer, as JSON.

    Raises:
        HetwinError: if the checkpoint cannot go on.
    """
    study.horizon_s = question.horizon_s

    def plan(now: Now) -> None:
        known = _Known(question, study, now, publish)
        study.progress = known.add
        while not known.is_all and (soonest_s := known.awaits()) is not None:
            for _ in now.runs(known.missing(), time.monotonic() + _left_s(soonest_s)):
                pass
            known.tell()

    root.at_moment(
        Moment(question.begin_s), plan, checkpoint=question.checkpoint, source=question.source
    )


class _Known:
    """What is known of announced actions, more and more of it.

    Args:
        question: what is asked.
        study: study of the run.
        now: the moment.
        publish: takes each answer, as JSON.
    """

    def __init__(self, question: Question, study: Study, now: Now, publish: Publish) -> None:
        self._question, self._study, self._now = question, study, now
        self._publish = publish
        self._over: dict[int, RunResult] = {}
        self._awaited: list[Awaited] = []
        self._begun_s = time.time()
        self._told = 0

    @property
    def is_all(self) -> bool:
        """Whether nothing can be added."""
        return self._told == MOST

    def awaits(self) -> float | None:
        """Return when the next of the actions begins, by `time.time` [s]; None if it is too late for all."""
        self._awaited = _in_time(self._question)
        return min((one.effect_s for one in self._awaited), default=None)

    def missing(self) -> Iterator[Draw]:
        """Iterate over what is drawn for the futures that are not over."""
        for index in range(MOST):
            if index not in self._over:
                yield self._now.draw(index)

    def add(self, future: RunResult) -> None:
        """Take note of a future, and publish if there are twice as many as at the last answer."""
        self._over[future.index] = future
        if len(_first(self._over)) >= max(1, 2 * self._told):
            self.tell()

    def tell(self) -> None:
        """Publish what is known of each action, unless all of it was."""
        finished = _first(self._over)
        if not finished or self.is_all:
            return
        self._told = len(finished)
        wall_s = time.time() - self._begun_s
        forecast = self._forecast(finished, wall_s)
        for one in self._awaited:
            self._publish(
                {
                    **forecast,
                    "operation": one.operation,
                    "arguments": dict(one.arguments),
                    "final": self.is_all or _left_s(one.effect_s) <= 0.0,
                    "before_effect_s": round(one.effect_s - time.time(), 4),
                }
            )

    def _forecast(self, futures: list[RunResult], wall_s: float) -> dict[str, Any]:
        at_s, horizon_s = self._now.time_ns / 1e9, self._question.horizon_s
        outcomes, seed = tuple(self._study.scenario.file.outcomes), self._study.seed
        count = len(futures)
        return Forecast(at_s, horizon_s, seed, count, futures, outcomes, wall_s).to_json()


def _in_time(question: Question) -> list[Awaited]:
    """Return the actions of which an answer is still worth something."""
    return [one for one in question.awaited if _left_s(one.effect_s) > 0.0]


def _left_s(effect_s: float) -> float:
    """How long an answer is still worth something [s]."""
    return effect_s - _AHEAD_S - time.time()


def _first(over: Mapping[int, RunResult]) -> list[RunResult]:
    """Return the first futures without a gap."""
    return [over[index] for index in takewhile(over.__contains__, count())]


def serve(
    pipe: Connection, path: Path, variant: str | None, options: RunOptions, namespace: str
) -> None:
    """Answer questions until the twin ends; those that come too late have no answer.

    Args:
        pipe: says by an empty message when a question is wanted; from it they come.
        path: path of the scenario's file.
        variant: variant of the scenario.
        options: see `without_source`.
        namespace: namespace of the topic of the answers.
    """
    end_with_parent()
    from hetwin_futures.publishing import Answers

    scenario = load_scenario(path, variant)
    with Answers(namespace) as publisher:
        try:
            study, root = _prepared(scenario, options)
            pipe.send_bytes(b"")  # it is ready
            _be_less_urgent()
            while (question := _next(pipe)) is not None:
                if not _in_time(question):
                    continue
                what = ", ".join(one.operation for one in question.awaited)
                try:
                    answers(question, study, root, publisher.publish)
                except HetwinError as error:
                    publisher.warn(f"{what} cannot be predicted: {error}")
                study, root = _prepared(scenario, options)
        except HetwinError as error:
            publisher.warn(f"nothing can be predicted: {error}")


def _prepared(scenario: Scenario, options: RunOptions) -> tuple[Study, Root]:
    """A run that needs nothing but a checkpoint to go on from."""
    # One core is left to the twin and its robot.
    study = Study(scenario, options, jobs=max(1, (os.cpu_count() or 1) - 1))
    root = Root(study)
    root.prepare()
    return study, root


def _be_less_urgent() -> None:
    """Run only while nobody else wants to, so that the twin keeps up."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)


def _next(pipe: Connection) -> Question | None:
    """Wait for a question; returns None at the end."""
    try:
        pipe.send_bytes(b"")
        question: Question | None = pipe.recv()
    except (EOFError, OSError):
        return None
    return question
