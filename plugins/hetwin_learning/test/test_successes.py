"""Probabilities of success: what was tried, kin, ranges, and the file."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hetwin_futures.successes import read_rows, success_of
from hetwin_learning.attempts import Attempt, attempts_in
from hetwin_learning.kin import qualities, similar_entities
from hetwin_learning.success import successes
from hetwin_suite.command import BadInput
from hetwin_suite.episode import LabelledRecording
from hetwin_suite.runs import find_scenario, load_scenario

pytestmark = pytest.mark.skipif(
    find_spec("scipy") is None, reason="the extra learn is not installed"
)
QUALITIES = {
    "bin": frozenset({"container"}),
    "tray": frozenset({"container"}),
    "vase": frozenset({"container", "fillable"}),
    "ball": frozenset({"graspable"}),
}


def release(container: str, succeeded: bool, **measured: float) -> Attempt:
    arguments: dict[str, Any] = {"hand": "right_hand", "container": container}
    return Attempt("release", arguments, ("container", "hand"), measured, succeeded)


def action(name: str) -> dict[str, Any]:
    return {"action": name, "arguments": {}, "entities": [], "measured": {}}


def test_an_episode_that_failed_tells_of_each_action() -> None:
    actions = [action(name) for name in ("reach", "grasp", "release")]
    failed = LabelledRecording(Path(), {"label": "failure", "failed": "grasp"})
    unknown = LabelledRecording(Path(), {"label": "failure"})
    good = LabelledRecording(Path(), {"label": "success"})
    tried = attempts_in(failed, actions)
    assert [(one.action, one.succeeded) for one in tried] == [("reach", True), ("grasp", False)]
    assert [one.succeeded for one in attempts_in(unknown, actions)] == [False] * 3
    assert [one.succeeded for one in attempts_in(good, actions)] == [True] * 3


def test_kin_share_what_they_are_good_for() -> None:
    assert similar_entities("bin", QUALITIES) == {"tray": 1.0, "vase": 0.5}
    assert similar_entities("ball", QUALITIES) == {}


def test_kin_of_a_shipped_scenario() -> None:
    of = qualities(load_scenario(find_scenario("uncertain_environment")))
    assert similar_entities("tray", of) == {"bin": 1.0, "crate": 1.0, "vase": 1.0}
    assert similar_entities("ball", of) == {}


def test_what_was_never_tried_starts_from_its_kin_and_says_so() -> None:
    tried = [release("bin", number < 30) for number in range(40)]
    rows = successes(tried, QUALITIES, weight=8.0)
    row = success_of(rows, "release", {"hand": "right_hand", "container": "tray"})
    assert row is not None
    assert (row.of, row.prior.source, row.prior.weight) == (0, ["bin"], 8.0)
    assert row.p == pytest.approx((0.5 + 8 * 0.75) / 9)
    own = success_of(rows, "release", {"hand": "right_hand", "container": "bin"})
    assert own is not None
    assert own.prior.source == []
    assert own.p == pytest.approx(30.5 / 41)
    assert own.high - own.low < row.high - row.low


def test_ranges_tell_successes_apart() -> None:
    random = np.random.default_rng(5)
    places = random.uniform(-0.08, 0.08, 200)
    tried = [release("bin", bool(x > 0.0), inside=float(x)) for x in places]
    rows = successes(tried, QUALITIES)
    arguments = {"hand": "right_hand", "container": "bin"}
    inside = success_of(rows, "release", {**arguments, "inside": 0.05})
    beside = success_of(rows, "release", {**arguments, "inside": -0.05})
    assert inside is not None
    assert beside is not None
    assert inside.low > 0.9
    assert beside.high < 0.1
    assert success_of(rows, "release", arguments) is None, "without what was measured"


def test_the_intervals_hold_the_truth() -> None:
    random, held = np.random.default_rng(6), 0
    for _ in range(200):
        p = random.uniform(0.05, 0.95)
        (row,) = successes([release("ball", bool(random.random() < p)) for _ in range(30)], {})
        held += row.low <= p <= row.high
    assert held > 180


def test_a_table_is_read_as_it_was_printed(tmp_path: Path) -> None:
    rows = successes([release("bin", True), release("bin", False)], QUALITIES)
    file = tmp_path / "success.json"
    file.write_text(json.dumps({"rows": [row.to_json() for row in rows]}))
    assert [row.to_json() for row in read_rows(file)] == [row.to_json() for row in rows]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "cannot be read"), ("[]", "no table"), ('{"rows": [{"action": 1}]}', "rows.0")],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "success.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=words):
        read_rows(file)
