"""The run of a wrong verdict beside the truth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.small_run import SmallRun

from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_bauer2022.evaluation.page import evaluation_page
from hetwin_bauer2022.evaluation.truth_page import true_film, write_truth_page
from hetwin_bauer2022.evaluation.wrong_verdicts import TruePath
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.from_episode import film_of

APART_S = 1.0


@pytest.fixture
def run(make_run: Callable[..., SmallRun]) -> Path:
    return make_run(steps=600).record()


def truth(folder: Path, episode: Episode) -> TruePath:
    """The box as in the twin, but for 3 cm along y from some time on."""
    columns = ["time", "x", "y", "z"]
    rows = [
        [time, x, y + 0.03 * (time >= APART_S), z]
        for time, (x, y, z) in zip(
            episode.seconds.tolist(), episode.pose("box")[:, :3].tolist(), strict=True
        )
    ]
    content = {"object": "box", "columns": columns, "path": rows}
    (folder / "truth.json").write_text(json.dumps(content))
    known = TruePath.of(folder)
    assert known is not None
    return known


def test_the_object_is_where_it_was_and_all_else_as_in_the_twin(run: Path, tmp_path: Path) -> None:
    episode = Episode.open(run)
    film = film_of(episode)
    real = true_film(film, truth(tmp_path, episode))
    box = next(i for i, body in enumerate(film.scene.bodies) if body.name == "box")
    moved = real.poses - film.poses
    assert moved[:, box, 1] == pytest.approx(np.where(film.times >= APART_S, 0.03, 0.0), abs=1e-9)
    moved[:, box, 1] = 0.0
    assert np.abs(moved).max() < 1e-9
    assert real.changes == ()


def test_the_page_marks_when_they_parted(run: Path, tmp_path: Path) -> None:
    episode = Episode.open(run)
    path = write_truth_page(episode, truth(tmp_path, episode), "said <success>, was failure")
    page = path.read_text()
    (told,) = re.findall(r'id="hetwin-comparison">(.*?)</script>', page)
    first = {one["text"]: one["time"] for one in json.loads(told)["first"]}
    assert first["twin and truth differ"] == pytest.approx(APART_S, abs=0.005)
    assert first["box handed over to in_hand"] == pytest.approx(1.0, abs=0.005)
    assert json.loads(told)["ghost"] is True
    assert "said &lt;success&gt;, was failure" in page


def test_the_evaluation_leads_there(run: Path, tmp_path: Path) -> None:
    truth(tmp_path, Episode.open(run))
    verdict = Verdict(
        *(str(tmp_path), "small", "ensemble", True, False, "missed", 0.01, "in the box", 1.0, 1.0)
    )
    page = evaluation_page(tmp_path, [], [verdict], {(str(tmp_path), "ensemble"): run})
    (link,) = re.findall(r'<a href="([^"#]+)">Play it beside the truth</a>', page)
    assert (tmp_path / link).resolve() == (run / "beside_truth.html").resolve()
    assert (run / "beside_truth.html").is_file()
