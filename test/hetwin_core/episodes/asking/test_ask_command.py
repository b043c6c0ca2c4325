"""`hetwin ask`: what it prints, and what it says of wrong input; a log that still grows is asked like any other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused
from support.small_run import GRASP, RELEASE, STEP_NS, SmallRun

from hetwin_core.episodes import log_writer
from hetwin_core.episodes.log_writer import RunLog
from hetwin_suite.episode import at, event, moving, open_episode

RELEASED = RELEASE * STEP_NS / 1e9


def asked(run: Path, *questions: str) -> Any:
    """What the command prints as JSON."""
    said = hetwin("ask", run, *questions, "--json")
    told = json.loads(said.out)
    unknown = any(answer["why"] for answer in told["answers"])
    assert said.code == (3 if unknown else 0), said.err
    return told


def test_json(small_run: SmallRun) -> None:
    told = asked(small_run.out, "holds(moving('ball'), at(1))", "occurs(picked_up('box'))")
    assert set(told) == {"known_until", "answers"}
    assert told["known_until"] == pytest.approx(3.0, abs=0.01)
    first, second = told["answers"]
    keys = {"question", "value", "why", "intervals", "bindings", "evidence", "seconds"}
    assert set(first) == keys
    assert (first["value"], first["intervals"]) == (False, [])
    (picked,) = second["value"]
    assert set(picked) == {"name", "time", "arguments"}
    (row,) = second["evidence"]
    assert (row["table"], row["from"]) == ("events", picked["time"])


def test_words(small_run: SmallRun) -> None:
    said = hetwin("ask", small_run.out, "occurs(released(any))", "holds(visible('box'), at(1))")
    assert said.code == 3
    assert f'"time": {RELEASED:g}' in said.out
    assert "not known: nothing in this run observes visible" in said.out
    assert "known until 3.000 s" in said.out


def test_the_log_in_the_folder_is_asked_too(small_run: SmallRun) -> None:
    (answer,) = asked(small_run.out / "log", "size(tasks('move_hand'))")["answers"]
    assert answer["value"] == 1


def test_questions_in_a_file(small_run: SmallRun, tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("# how many\n\n  count(tasks())\ncount(occurs(grasped(any)))\n", "utf-8")
    told = asked(small_run.out, "1 + 1", "--questions", str(file))
    assert [answer["value"] for answer in told["answers"]] == [2, 1, 1]
    file.write_text("count(tasks())\n\nholds(moving('bxo'), at(1))\n", "utf-8")
    said = hetwin("ask", small_run.out, "--questions", file, "--json")
    first, second = json.loads(said.out)["answers"]
    assert (said.code, first["value"]) == (2, 1)
    assert (second["error"]["line"], second["error"]["found"]) == (3, "bxo")
    for words in (str(file), "unknown entity", "perhaps 'box'"):
        assert words in json.dumps(second["error"])
    said = hetwin("ask", small_run.out, "--questions", file)
    assert said.code == 2
    assert "error: " in said.out
    assert "known until 3.000 s" in said.out


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("holds(moving('box'), at(1)", ("syntax error",)),
        ("moving('box')", ("neither true nor false",)),
        ("holds(movin('box'), at(1))", ("unknown fluent, event or function 'movin'", "perhaps")),
        ("holds(moving('box'), at(99))", ("outside of the episode", "99 s")),
        ("task('move')", ("unknown task", "move_hand.1")),
    ],
)
def test_wrong_questions(
    small_run: SmallRun, tmp_path: Path, question: str, says: tuple[str, ...]
) -> None:
    refused(tmp_path, "ask", small_run.out, question, says=says)


def test_wrong_folders_and_files(small_run: SmallRun, tmp_path: Path) -> None:
    refused(tmp_path, "ask", tmp_path, "1", says=("no run in this folder",))
    refused(tmp_path, "ask", tmp_path / "none", "1", says=("no such folder",))
    refused(tmp_path, "ask", small_run.out, says=("there is no question",))
    missing = tmp_path / "none.txt"
    says = ("the file cannot be read", "a text file with questions")
    refused(tmp_path, "ask", small_run.out, "--questions", missing, says=says)


def test_a_run_that_goes_on(
    make_run: Callable[..., SmallRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(steps=720)
    later = "occurs(released(any), during(0, 2.5))"
    with RunLog(run.out) as log:
        run.play(log)
        monkeypatch.setattr(log_writer, "_FLUSH_S", 0.0)
        log.stepped(724, run.snapshot(724))
        told = asked(
            run.out, "count(occurs(grasped(any)))", "holds(moving('ball'), at(2.5))", later
        )
    assert [answer["value"] for answer in told["answers"]] == [1, None, None]
    assert GRASP * STEP_NS / 1e9 < told["known_until"] < 1.82


def test_an_episode_is_asked_without_reading_its_states(small_run: SmallRun) -> None:
    episode = open_episode(small_run.out)
    assert len(episode.occurs(event("released", "box"))) == 1
    assert episode.holds(moving("ball"), at(1)).truth is False
    assert "times" not in vars(episode)
    assert episode.end_ns == 3_000_000_000
    assert "times" in vars(episode)
    with pytest.raises(AttributeError, match="no attribute 'tmies'"):
        _ = episode.tmies  # type: ignore[attr-defined]
