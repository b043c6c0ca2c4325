"""A callback that rests is called where the run stops anyway and at its time, and changes nothing."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario

STEPS = 400
WAKE_NS = 502_500_000
"""A step of the main model at which nothing else is due."""


def test_a_resting_callback_leaves_the_stretches_of_steps_and_the_digest() -> None:
    loaded, options = load_scenario(find_scenario("pick_and_place")), RunOptions(duration=1.0)
    alert, resting, mixed = list[int](), list[int](), list[int]()

    def rest(now: BetweenSteps) -> None:
        resting.append(now.time_ns)
        now.rest(WAKE_NS if now.time_ns < WAKE_NS else 10 * WAKE_NS)

    def rest_beside_another(now: BetweenSteps) -> None:
        mixed.append(now.time_ns)
        now.rest()

    plain = session(loaded, options=options).run()
    rested = session(loaded, options=options, at_barrier=rest).run()
    watched = session(loaded, options=options, at_barrier=lambda now: alert.append(now.time_ns))
    watched.at_barriers(rest_beside_another)
    assert watched.run().digest == rested.digest == plain.digest
    assert WAKE_NS in resting
    assert len(resting) < STEPS / 2
    assert len(alert) == len(mixed) >= STEPS - 1
