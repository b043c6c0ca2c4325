"""Performs the same actions from the same states of a truck in every fidelity mode, and compares the pairs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hetwin_fidelity import MODES
from hetwin_futures.intervals import relative_difference
from hetwin_truck.actions import ACTIONS, Outcome, Unloader
from hetwin_truck.packets import LOADS, Load, draw_load
from hetwin_truck.site import Site
from model_nodes.main_physics.engines.engine import Diverged

CASES = [(mode, sleep) for sleep in (False, True) for mode in MODES]
"""Modes, without and with the engine's sleeping; the first is the reference."""
BASE = CASES[0]
CHAIN = 10
"""Number of consecutive actions on one load."""
MOVING = 5
"""The scene is moving while more packets than this move, in HiFi with the same sleep."""
_SETTLE_STEPS = 100
_FEW_LEFT = 20
_Case = tuple[str, bool]


@dataclass(slots=True)
class State:
    """The outcomes of one saved state in every case; a case that diverged is missing."""

    scenario: str
    action: str
    outcomes: dict[_Case, Outcome] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one case; all ratios are over the states in which neither case diverged.

    Attributes:
        real_time_factor: simulated time over processor time.
        speedup: processor time of HiFi without sleep over that of this case.
        speedup_alike: the same over HiFi with the same sleep.
        speedup_moving: the same over HiFi with the same sleep, only while the scene is moving.
        error: packets unloaded over those of HiFi without sleep, less 1.
        error_low: lower end of its 95 % interval.
        error_high: upper end.
        unloaded: packets.
        states: that were compared.
        diverged: states in which this case diverged.
    """

    scenario: str
    mode: str
    sleep: bool
    real_time_factor: float
    speedup: float
    speedup_alike: float
    speedup_moving: float
    error: float
    error_low: float
    error_high: float
    unloaded: int
    states: int
    diverged: int


def chain(
    scenario: str, number: int, states: int, packets: int | None, margin: float, end: float
) -> list[State]:
    """Perform actions on one load, each in all cases; none is begun after `end` (of `time.monotonic`).

    The state after AdFi-1, with everything high again, is the next one.

    Args:
        scenario: A, B or C.
        number: of the load.
        states: maximum number of states.
        packets: number of packets; default: the scenario's.
        margin: of the rules, see `hetwin_fidelity.near_robot`.
        end: see above.
    """
    if time.monotonic() >= end:
        return []
    random = np.random.default_rng([number, ord(scenario)])
    load = LOADS[scenario]
    drawn = draw_load(Load(packets or load.packets, load.height), random)
    sites = {sleep: Site(drawn, sleep=sleep) for sleep in (False, True)}
    unloaders = {sleep: Unloader(site) for sleep, site in sites.items()}
    begin = _settled(sites[False])
    found: list[State] = []
    while len(found) < states and time.monotonic() < end:
        state, following = State(scenario, ACTIONS[len(found) % 2]), None
        for mode, sleep in CASES:
            sites[sleep].restore(begin)
            try:
                state.outcomes[mode, sleep] = unloaders[sleep].perform(state.action, mode, margin)
            except Diverged as error:
                print(f"{scenario}, {mode}, sleep {sleep}: {error}", file=sys.stderr, flush=True)
                continue
            if (mode, sleep) == ("AdFi-1", False):
                following = sites[sleep].save()
        found.append(state)
        _tell(state, number, len(found))
        if following is None or len(unloaders[False].boxes()) < _FEW_LEFT:
            break
        begin = following
    return found


def _settled(site: Site) -> object:
    site.settle(_SETTLE_STEPS)
    return site.save()


def _tell(state: State, number: int, count: int) -> None:
    counts = " ".join(
        f"{mode}{'+sleep' if sleep else ''} {len(outcome.unloaded)}"
        for (mode, sleep), outcome in state.outcomes.items()
    )
    what = f"{state.scenario}, load {number}, state {count}, {state.action}"
    print(f"{what}: {counts}", file=sys.stderr, flush=True)


def rows_of(scenario: str, states: Sequence[State], seed: int) -> list[Row]:
    """Return the rows of one scenario, or of several under one name."""
    return [_row(scenario, case, states, seed) for case in CASES]


def _row(scenario: str, case: _Case, states: Sequence[State], seed: int) -> Row:
    alike = ("HiFi", case[1])
    valid = [s for s in states if {case, alike, BASE} <= s.outcomes.keys()]
    own = [s.outcomes[case] for s in valid]
    cpu = sum(o.processor_s for o in own)
    error, low, high = relative_difference(
        [len(o.unloaded) for o in own],
        [len(s.outcomes[BASE].unloaded) for s in valid],
        [f"{s.scenario} {s.action}" for s in valid],
        seed,
    )
    return Row(
        scenario,
        *case,
        _ratio(sum(o.simulated for o in own), cpu),
        _ratio(sum(s.outcomes[BASE].processor_s for s in valid), cpu),
        _ratio(sum(s.outcomes[alike].processor_s for s in valid), cpu),
        _ratio(
            sum(_while_moving(s.outcomes[alike], s.outcomes[alike]) for s in valid),
            sum(_while_moving(s.outcomes[case], s.outcomes[alike]) for s in valid),
        ),
        error,
        low,
        high,
        sum(len(o.unloaded) for o in own),
        len(valid),
        sum(case not in s.outcomes for s in states),
    )


def _ratio(one: float, other: float) -> float:
    return one / other if other > 0 else float("nan")


def _while_moving(outcome: Outcome, judge: Outcome) -> float:
    """Return the processor time of the laps in which the scene moves in `judge`, at the same simulated times."""
    laps = zip(outcome.laps, judge.moving, strict=False)
    return sum(taken for taken, moving in laps if moving > MOVING)
