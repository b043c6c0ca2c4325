"""The card of an explanation on the report of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.hetwin_command import hetwin

from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.run_folder import EXPLANATION
from hetwin_suite.view.document import html_of
from hetwin_suite.view.report.sections import explanation_section

TEXT = "It would have succeeded with the <box> 24 mm nearer: 16 of 16 futures do."
PATH = [[0.0, 0.4, 0.2, 0.8], [1.0, 0.45, 0.1, 0.8]]


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    """A very short run."""
    out = tmp_path_factory.mktemp("explained") / "run"
    short = ("--duration", "0.02", "--no-page", "--json")
    assert hetwin("run", "pick_and_place", *short, "--out", out).code == 0
    return Episode.open(out)


def test_the_words_and_the_ways_are_shown(episode: Episode) -> None:
    kept = {"text": TEXT, "paths": {"box": [PATH, PATH]}}
    (episode.run / EXPLANATION).write_text(json.dumps(kept))
    section = explanation_section(episode)
    assert section is not None
    said = html_of(section)
    assert "&lt;box&gt; 24 mm nearer" in said
    assert "box from above" in said
    assert said.count('class="plot"') == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"text": "x", "paths": {"nobody": [[]]}}'])
def test_a_file_that_is_no_explanation_is_left_out(episode: Episode, text: str) -> None:
    (episode.run / EXPLANATION).write_text(text)
    assert explanation_section(episode) is None


def test_a_run_that_was_not_explained_has_no_card(episode: Episode) -> None:
    (episode.run / EXPLANATION).unlink(missing_ok=True)
    assert explanation_section(episode) is None
    assert not Path(episode.run / EXPLANATION).exists()
