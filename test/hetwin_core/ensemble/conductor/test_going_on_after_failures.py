"""`on_failure`: a run that goes on without a model that failed, or with another instance of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from faulty import ANSWERS
from support.small_ensemble import Outcome, conduct, run

from hetwin_core.ensemble.errors import BadInput

TEXT = """
scenario: going_on
rate: 100
models:
  world: {{type: "faulty:World", main: true, parameters: {{until: 0.3}}}}
  tank: {{type: "faulty:Faulty", on_failure: {policy}, {more}
          parameters: {{fault: {fault!r}, call: {call}, at: 0.1, once: {once!r}}}}}
  witness: {{type: "faulty:Faulty", parameters: {{name: other}}}}
triggers:
  - name: holds
    on: {{attribute: pose, entity: ball, above: {hold}}}
    do: [{{hand_over: {{entity: ball, attribute: pose, to: tank}}}}]
  - name: lets_go
    on: {{attribute: pose, entity: ball, above: 0.02}}
    do:
      - command: {{model: tank, name: anything}}
      - hand_over: {{entity: ball, attribute: pose, to: world}}
"""


def failing(
    fault: str,
    policy: str = "hand_back",
    call: str = "step",
    once: str = "",
    more: str = "",
    hold: float = 0.005,
) -> Outcome:
    return run(TEXT.format(fault=fault, policy=policy, call=call, once=once, more=more, hold=hold))


def owners(outcome: Outcome) -> dict[str, str]:
    scene = outcome.record.scenes[-1]
    return {
        f"{slot.entity}.{slot.attribute.name}": scene.models[owner]
        for slot, owner in zip(scene.layout.slots, scene.owners.tolist(), strict=True)
    }


@pytest.mark.parametrize(
    "fault",
    ["raises", "exits", *sorted(ANSWERS.keys() - {"not its own"})],
)
def test_the_main_model_has_what_the_failed_one_was_responsible_for(fault: str) -> None:
    outcome = failing(fault)
    assert outcome.summary.ended == "recording"
    assert outcome.summary.error is None
    (row,) = outcome.summary.failures
    assert (row["model"], row["time"], row["then"]) == ("tank", 0.1, "handed back")
    assert owners(outcome) == {
        "ball.pose": "world",
        "tank.level": "world",
        "other.level": "witness",
    }
    values = [scene.get("tank", "level")[0] for scene in outcome.record.scenes]
    assert np.isfinite(values).all()
    last_good = 0.10 if fault == "event without JSON" else 0.09
    assert values[-1] == pytest.approx(last_good)  # the main model keeps what it cannot compute
    assert outcome.record.scenes[-1].get("other", "level")[0] == pytest.approx(0.3)


def test_the_ball_goes_on_from_where_it_was() -> None:
    outcome = failing("raises")
    xs = [scene.pose("ball")[0] for scene in outcome.record.scenes]
    assert outcome.moves()[:2] == [(0.06, "world", "tank"), (0.1, "tank", "world")]
    assert np.diff(xs).max() <= 0.1 * 0.01 * 2.01  # no jump
    assert xs[-1] > xs[10]


@pytest.mark.parametrize("call", ["start", "take", "release", "command"])
def test_in_any_call(call: str) -> None:
    hold = 0.0105 if call == "take" else 0.005
    outcome = failing("raises", call=call, hold=hold)
    assert outcome.summary.ended == "recording"
    (row,) = outcome.summary.failures
    assert (row["model"], row["call"]) == ("tank", call)
    assert owners(outcome)["ball.pose"] == "world"
    assert owners(outcome)["tank.level"] == "world"


def test_nothing_is_handed_to_a_model_that_was_given_up() -> None:
    outcome = failing("raises", hold=0.015)
    assert owners(outcome)["ball.pose"] == "world"
    assert any("tank was given up at 0.100000 s" in text for text in outcome.warnings())


@pytest.mark.parametrize("more", ["coupling: beside, every: 2,", "step: clock,", "step: free,"])
def test_however_it_steps(more: str) -> None:
    outcome = failing("raises", more=more)
    if more.startswith("coupling"):
        assert outcome.summary.ended == "recording"
        assert len(outcome.summary.failures) == 1
    assert outcome.summary.error is None


@pytest.mark.parametrize("more", ["", "coupling: beside, every: 2,"])
def test_a_restarted_model_has_its_responsibilities_again(tmp_path: Path, more: str) -> None:
    outcome = failing("raises", "restart", once=str(tmp_path / "done"), more=more)
    assert outcome.summary.ended == "recording"
    (row,) = outcome.summary.failures
    assert row["then"] == "restarted (1 of 3)"
    assert owners(outcome)["tank.level"] == "tank"
    taken = [(a, b) for time, a, b in outcome.moves() if time == 0.1]
    assert taken.count(("tank", "world")) == taken.count(("world", "tank")) == 2


def test_a_model_that_always_fails_is_restarted_three_times() -> None:
    outcome = failing("raises", "restart")
    error = outcome.summary.error
    assert outcome.summary.ended == "failed"
    assert error is not None
    assert error["model"] == "tank"
    assert "it was restarted 3 times before" in str(error["reason"])
    assert len(outcome.summary.failures) == 3


def test_the_main_model_cannot_be_done_without() -> None:
    with pytest.raises(BadInput, match="a run cannot continue without its main model"):
        conduct(
            'scenario: s\nmodels: {world: {type: "faulty:World", main: true, on_failure: restart}}'
        )


def test_the_deadline_of_all_models_and_of_one() -> None:
    _, ports, _ = conduct(
        """
        scenario: s
        deadline: 3
        models:
          world: {type: "faulty:World", main: true}
          tank: {type: "faulty:Faulty", deadline: 1}
        """
    )
    assert [port.plan.deadline for port in ports] == [3, 1]
