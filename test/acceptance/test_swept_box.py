"""An arm that sweeps through a free box says so, wherever the box stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.sweeps import Sweep

import hetwin_suite
from hetwin_core.ensemble.conductor.reporting.concerns import Verdict
from hetwin_core.episodes.asking.terms import ANY
from hetwin_core.episodes.episode import Episode
from hetwin_suite.episode import contact, during, event, open_episode
from hetwin_suite.view.report.story.robots import robot_sentences

PLACES = (
    Sweep(0.58, -0.05),
    Sweep(0.60, -0.05),
    Sweep(0.61, -0.05),
    Sweep(0.62, -0.03),
    Sweep(0.64, -0.05, 0.32),
)

LINKS = ("forearm_link", "wrist_link")
"""What comes to the box."""


def swept(sweep: Sweep, folder: Path) -> tuple[Any, Episode]:
    scenario = sweep.write(folder / "made")
    summary = hetwin_suite.run(scenario, out=folder / "run", engine="mujoco")
    return summary, open_episode(folder / "run")


@pytest.mark.parametrize("sweep", PLACES, ids=[f"{p.x} {p.y}" for p in PLACES])
def test_a_box_that_is_swept_away_was_touched(sweep: Sweep, tmp_path: Path) -> None:
    summary, episode = swept(sweep, tmp_path)
    moved = float(np.linalg.norm(np.ptp(episode.pose("box")[:, :3], axis=0)))
    assert 0.05 < moved < 0.12
    began, ended = (
        next(e for e in episode.events if e.name == name) for name in ("touched", "touch_ended")
    )
    for said in (began, ended):
        assert said.source == "robot_health"
        assert said.arguments["link"] in LINKS
        assert said.arguments["object"] == "box"
        assert said.arguments["depth"] > 0.0
        assert said.arguments["force"] > 10.0
    assert 0.5 < began.time_ns / 1e9 < 0.5 + sweep.seconds
    assert summary.verdict is not Verdict.FINE
    (concern,) = summary.concerns
    assert (concern["name"], concern["severity"]) == ("link_touches", "warning")
    assert concern["arguments"]["link"] in LINKS
    assert concern["arguments"]["partner"] == "box"
    assert 0.05 < concern["arguments"]["moved"] < 0.12
    (sentence,) = robot_sentences(episode)
    assert sentence.text.endswith(" It touched box.")
    (answer,) = episode.occurs(event("touched", ANY, "box"))[:1]
    assert answer.time_ns == began.time_ns
    link = str(began.arguments["link"])
    assert episode.holds(contact("box", link), during(0.5, 1.0))


def test_a_hand_that_sweeps_is_there_to_touch(tmp_path: Path) -> None:
    hand = "hands: {all: {link: forearm_link, joints: [gripper_left_finger_joint]}}\n"
    summary, episode = swept(Sweep(more=hand), tmp_path)
    touches = [e for e in episode.events if e.name == "touched"]
    assert {e.arguments["hand"] for e in touches} == {"all"}
    assert not summary.concerns
