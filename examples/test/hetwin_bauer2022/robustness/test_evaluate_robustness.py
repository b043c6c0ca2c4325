"""`hetwin evaluate robustness` from episodes to curves and page; it goes on where it was stopped."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin
from support.short_drops import write_short_drops
from typer.testing import CliRunner, Result

from hetwin_bauer2022.evaluation.episodes import find_episodes
from hetwin_bauer2022.evaluation.judging_with_mismatches import judge_with_mismatches
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch.registry import read_mismatches
from hetwin_bauer2022.robustness.sets import find_sets
from hetwin_suite.cli.main import app


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets: three successes and one failure, and one failure."""
    root = tmp_path_factory.mktemp("robustness") / "episodes"
    write_short_drops(root / "cage", 3, 1)
    write_short_drops(root / "pinch", 0, 1, "pinch")
    return root


def invoke(episodes: Path, out: Path, *more: str) -> Result:
    arguments = ["evaluate", "robustness", "--episodes", str(episodes), "--out", str(out)]
    return CliRunner().invoke(app, [*arguments, "--jobs", "1", *more])


def evaluate(episodes: Path, out: Path, *more: str) -> tuple[dict[str, Any], str]:
    result = invoke(episodes, out, "--json", *more)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), result.stderr


def test_the_first_episodes_alternate_between_success_and_failure(episodes: Path) -> None:
    cage, pinch = find_sets(episodes)
    assert [(one.name, one.grasp) for one in (cage, pinch)] == [
        ("cage", "cage"),
        ("pinch", "pinch"),
    ]
    assert [e.name for e in cage.first(2)] == ["drop_0001", "drop_0004", "drop_0002"]
    assert [e.name for e in pinch.first(None)] == ["drop_0001"]
    assert find_sets(episodes / "cage")[0].name == "cage"


@pytest.mark.long
def test_curves_files_and_page(episodes: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--axes", "finger_offset=0.0175,rate=15", "--approaches", "rule,single")
    told, _ = evaluate(episodes, out, *options, "-n", "1")
    curves = {
        (c["set"], c["axis"], c["level"], c["truth"], c["approach"]): c for c in told["curves"]
    }
    assert len(curves) == 3 * 2 * 2 * 2  # the sets' truths, axes, their levels, approaches
    kept = curves["cage", "finger_offset", 0.0, "success", "single"]
    assert (kept["right"], kept["of"], kept["grasp"], kept["unit"]) == (0, 1, "cage", "rad")
    assert curves["pinch", "rate", 15.0, "failure", "single"]["right"] == 1
    lines = (out / "verdicts.jsonl").read_text().splitlines()
    assert len(lines) == 3 * 3 * 2  # no mismatch is judged once for both axes
    with (out / "robustness.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(curves)
    page = (out / "robustness.html").read_text(encoding="utf-8")
    assert "without mismatch" in page
    assert "data:image/png;base64," in page
    assert "said failure, was success" in page
    assert "http://" not in page.partition("<script")[0]

    again, said = evaluate(episodes, out, *options, "-n", "1")
    assert again == told
    assert "18 verdicts are stored" in said
    assert "0 are missing" in said
    assert (out / "verdicts.jsonl").read_text().splitlines() == lines


def said_in(lines: str) -> list[dict[str, Any]]:
    """Return the verdicts of a file in a fixed order, without the time that they took."""
    kept = [{**json.loads(line), "seconds": None} for line in lines.splitlines()]
    return sorted(kept, key=lambda one: json.dumps(one))


def test_a_stopped_evaluation_goes_on_and_others_add_to_it(episodes: Path, tmp_path: Path) -> None:
    out, options = tmp_path / "out", ("--axes", "rate=15", "--no-page", "--approaches", "rule")
    evaluate(episodes, out, *options)
    file = out / "verdicts.jsonl"
    whole = file.read_text().splitlines(keepends=True)
    file.write_text("".join(whole[:4]) + whole[4][:20])  # killed while it wrote
    told, said = evaluate(episodes, out, *options)
    assert "4 verdicts are stored" in said
    assert "6 are missing" in said
    assert said_in(file.read_text()) == said_in("".join(whole))
    more, _ = evaluate(episodes, out, "--axes", "finger_offset=0.0175", *options[2:])
    assert {c["axis"] for c in told["curves"]} == {"rate"}
    assert {c["axis"] for c in more["curves"]} == {"rate", "finger_offset"}
    assert not (out / "robustness.html").exists()


def test_a_changed_episode_is_judged_again(episodes: Path, tmp_path: Path) -> None:
    mine = tmp_path / "episodes"
    shutil.copytree(episodes / "pinch", mine)
    options = ("--axes", "rate=15", "--no-page", "--approaches", "rule")
    evaluate(mine, tmp_path / "out", *options)
    truth = json.loads((mine / "drop_0001" / "truth.json").read_text())
    (mine / "drop_0001" / "truth.json").write_text(json.dumps({**truth, "label": "success"}))
    told, said = evaluate(mine, tmp_path / "out", *options)
    assert "2 are missing" in said
    assert {c["truth"] for c in told["curves"]} == {"success"}


@pytest.mark.long
def test_the_verdict_is_that_of_mismatch_on_the_command_line(
    episodes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    evaluate(
        *(episodes / "pinch", out, "--axes", "object_size=1.05", "--no-page"),
        *("--approaches", "single"),
    )
    worse = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()][-1]
    (episode,) = find_episodes(episodes / "pinch")
    replay = Replay(mismatches=read_mismatches(["object_size=1.05"]))
    verdict = judge_with_mismatches(episode, "single", replay)
    assert (worse["level"], worse["success"], worse["why"]) == (1.05, verdict.success, verdict.why)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--axes", "finger_ofset"), "perhaps 'finger_offset'"),
        (("--approaches", "best"), "no such approach"),
    ],
)
def test_what_cannot_be_evaluated_ends_with_2(
    episodes: Path, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    from hetwin_core.ensemble.errors import BadInput

    result = invoke(episodes, tmp_path / "out", *options)
    assert isinstance(result.exception, BadInput)
    assert words in str(result.exception)


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("table2", ["--axes", "rate"]),
        ("table2", ["-n", "2"]),
        ("table2", ["--trust-kept"]),
        ("robustness", ["--mismatch", "rate=15"]),
    ],
)
def test_each_evaluation_has_options_of_its_own(
    kind: str, option: list[str], episodes: Path, tmp_path: Path
) -> None:
    said = hetwin("evaluate", kind, "--episodes", episodes, "--out", tmp_path / "o", *option)
    assert said.code == 2
    assert f"No such option: {option[0]}" in said.err
