"""Random faults: the kind, the call, the time, and the scenario's failure policy."""

from __future__ import annotations

import random
import signal

from fault_cases import Case
from fault_deeds import DEEDS
from faulty import ANSWERS

CALLS = ("initialize", "start", "step", "step", "step", "take", "release", "command", "stop")
POLICIES = ("stop", "hand_back", "restart")
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
BEFORE_THE_RUN = ("initialize",)
ENDS_THE_PROCESS = ("killed", "segmentation fault", "hangs in Python", "hangs in C")
DEADLINE_S = 2.0


def random_case(rng: random.Random, transport: str) -> Case:
    """Draw a case with its expected error.

    Args:
        rng: random generator.
        transport: ``local``, ``own`` or ``ros``.
    """
    kind = rng.choice(("deed", "deed", "answer", "signal"))
    if kind == "signal":
        return _signal(rng.choice(SIGNALS))
    policy = rng.choice(POLICIES)
    if kind == "answer":
        return _answer(rng, policy)
    return _deed(rng, policy, transport)


def _signal(number: signal.Signals) -> Case:
    if number == signal.SIGKILL:
        return Case(
            f"{number.name} to the conductor",
            until=60.0,
            send=number,
            whom="run",
            says="was killed by SIGKILL",
        )
    return Case(number.name, until=60.0, send=number, whom="command", code=130, ended="stopped")


def _answer(rng: random.Random, policy: str) -> Case:
    fault = rng.choice(sorted(ANSWERS))
    at = round(rng.uniform(0.01, 0.4), 3)
    dropped = fault == "not its own" and at >= 0.16  # between, the ball is its own
    if fault == "not its own" and not dropped:
        at, dropped = 0.3, True
    return Case(
        f"{fault} at {at} s, {policy}",
        fault,
        at=at,
        once="once",
        entry=f"on_failure: {policy}",
        says="dropped" if dropped else "tank: ",
        code=0 if dropped else 1,
        ended="recording" if dropped or policy != "stop" else "failed",
        deadline=DEADLINE_S,
    )


def _deed(rng: random.Random, policy: str, transport: str) -> Case:
    fault, call = rng.choice(sorted(DEEDS)), rng.choice(CALLS)
    at = round(rng.uniform(0.01, 0.4), 3) if call == "step" else 0.0
    outlived = policy != "stop" and call not in BEFORE_THE_RUN
    if transport == "local" and fault in ENDS_THE_PROCESS:
        outlived = False
    if call == "stop" and not (transport == "local" and fault in ENDS_THE_PROCESS):
        outlived = True  # it is the last call
    says = f"tank: {call} failed"
    if transport == "local" and fault == "killed":
        says = f"during {call} of tank"
    return Case(
        f"{fault} in {call} at {at} s, {policy}",
        fault,
        call,
        at=at,
        once="once",
        entry=f"on_failure: {policy}",
        says=says,
        ended="recording" if outlived else "failed",
        deadline=DEADLINE_S,
    )
