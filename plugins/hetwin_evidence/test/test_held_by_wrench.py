"""A recorded wrench decides whether a hand holds an object, or the run reports why it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support.lifted_block import (
    CLOSED_S,
    END_S,
    LIFTED_S,
    kept,
    make_twin,
    opened,
    write_recording,
)
from support.recorded_bags import TYPES, Recorded, header

from hetwin_core.ensemble.concern_words import JUDGED, grip_sentences
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite import run

WRENCH = "geometry_msgs/msg/WrenchStamped"
OFFSET = np.array((3.0, -7.0, 11.0))
"""Offset of a sensor that was not zeroed [N]."""
Judged = Callable[..., tuple[dict[str, dict[str, Any]], list[str], Any]]
Force = Callable[[float], tuple[float, float, float]]


def load(newtons: float) -> Force:
    """A load that hangs on the sensor from when the hand rises."""
    return lambda s: (0.0, 0.0, -newtons * float(np.interp(s, (CLOSED_S + 0.2, LIFTED_S), (0, 1))))


def wrenches(force: Force, frame: str = "wrist", rate: float = 125.0) -> list[Recorded]:
    """Return the wrenches of a noisy wrist sensor."""
    random = np.random.default_rng(3)
    vector, types = TYPES.types["geometry_msgs/msg/Vector3"], TYPES.types
    sent = []
    for tick in range(round(END_S * rate)):
        felt = OFFSET + force(tick / rate) + random.normal(0.0, 0.2, 3)
        if abs(felt[0]) > 40.0:
            felt[0] = 40.0
        wrench = types["geometry_msgs/msg/Wrench"](
            force=vector(*map(float, felt)), torque=vector(0.0, 0.0, 0.0)
        )
        time_ns = round(tick * 1e9 / rate)
        message = types[WRENCH](header=header(time_ns, frame), wrench=wrench)
        sent.append(Recorded("/ft/wrench", WRENCH, time_ns, message))
    return sent


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The twin of the lift, as `hetwin new` writes it."""
    folder = tmp_path_factory.mktemp("twin")
    return make_twin(folder, write_recording(folder / "lift", kept))


@pytest.fixture
def judged(scenario: Path, tmp_path: Path) -> Judged:
    """Runs the twin with the model on a recording; returns the claims by name, the sentences and the summary."""

    def judge(
        sent: list[Recorded], fingers: Callable[[float], float] = kept, **parameters: Any
    ) -> tuple[dict[str, dict[str, Any]], list[str], Any]:
        recording = write_recording(tmp_path / "lift", fingers, also=sent)
        text = scenario.read_text(encoding="utf-8")
        (hand,) = yaml.safe_load(text)["hands"]
        model = json.dumps({"type": "evidence", "parameters": {"hand": hand, **parameters}})
        changed = scenario.with_name("with_evidence.yaml")
        changed.write_text(
            text.replace("\nmodels:\n", f"\nmodels:\n  evidence: {model}\n"), encoding="utf-8"
        )
        summary = run(changed, source=recording, out=tmp_path / "out")
        whole = json.loads((summary.folder / "summary.json").read_text(encoding="utf-8"))
        rows = [row for row in summary.events if row["name"] == JUDGED]
        claims = {row["arguments"]["claim"]: row["arguments"] for row in rows}
        return claims, grip_sentences(rows), whole

    return judge


def test_a_load_that_hangs_on_the_wrist_is_held(judged: Judged) -> None:
    claims, sentences, _ = judged(wrenches(load(2.5)))
    held = claims["held"]
    (weight,) = [one for one in held["voices"] if one["quantity"] is not None]
    assert held["known"] is True
    assert held["probability"] > 0.95
    assert (weight["source"], weight["unit"]) == ("weight_change", "N")
    assert weight["quantity"] == pytest.approx(2.5, abs=0.1)
    assert weight["log_ratio"] > 3.0
    assert LIFTED_S < weight["stamp"] < END_S
    assert re.fullmatch(
        r"\w+: held at \d\.\d+ s, by the evidence of weight change 2\.\d+ N .*", sentences[0]
    )


def test_a_wrist_that_weighs_no_more_than_before_holds_nothing(judged: Judged) -> None:
    claims, sentences, _ = judged(wrenches(load(0.0)))
    assert claims["held"]["known"] is False
    assert "not held" in sentences[0]


def test_a_sensor_that_gives_what_the_hand_exerts(judged: Judged) -> None:
    claims, _, _ = judged(wrenches(load(-2.5)), inverted=True)
    assert claims["held"]["known"] is True


def test_without_a_wrench_nothing_is_known(judged: Judged) -> None:
    claims, sentences, _ = judged([])
    assert claims["held"]["known"] is None
    assert claims["held"]["probability"] == 0.5
    assert "not known" in sentences[0]
    assert "no wrench is received" in sentences[0]


def test_a_wrench_in_a_frame_that_the_robot_does_not_have(judged: Judged) -> None:
    claims, sentences, summary = judged(wrenches(load(2.5), frame="tool9"))
    assert claims["held"]["known"] is None
    assert "no frame of a link that carries this hand" in sentences[0]
    assert any("frame tool9, expected a link" in note for note in summary["warnings"])


@pytest.mark.parametrize(("newtons", "words"), [(np.nan, "NaN or infinite"), (100.0, "saturated")])
def test_a_wrench_that_cannot_be_used(judged: Judged, newtons: float, words: str) -> None:
    claims, _, _ = judged(wrenches(lambda s: (newtons, 0.0, 0.0)))
    assert claims["held"]["known"] is None
    assert words in claims["held"]["reason"]


def test_an_empty_closing_that_does_not_fit_the_hand(judged: Judged) -> None:
    with pytest.raises(BadInput, match=r"empty\.0.*found '?1 positions"):
        judged([], empty=[[0.1]])


def test_a_hand_that_opens_before_it_rose_is_not_judged_by_weight(judged: Judged) -> None:
    claims, _, _ = judged(wrenches(load(2.5)), opened, lift=1.0)
    assert "did not rise" in claims["held"]["reason"]


def test_a_pull_that_ends_at_once_has_released_something(judged: Judged) -> None:
    def stem(s: float) -> tuple[float, float, float]:
        return (0.0, 0.0, -15.0 * (s - 2.3) / 0.5 if 2.3 < s < 2.8 else 0.0)

    claims, _, _ = judged(wrenches(stem))
    assert claims["released"]["known"] is True
    assert claims["held"]["known"] is False
