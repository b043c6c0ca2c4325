"""`hetwin run --checkpoint` and `--from`: a run saved in one process and gone on with in another."""

import json
import shutil
from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused

from hetwin_suite.episode import open_episode

RUN = ("run", "pick_and_place", "--duration", "0.6", "--no-page", "--json")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """A run's checkpoint, and its outcome."""
    out = tmp_path_factory.mktemp("saved") / "run"
    said = hetwin(*RUN, "--checkpoint", "0.3012", "--out", out)
    assert said.code == 0, said.err
    outcome = json.loads(said.out)
    return Path(outcome["checkpoint"]), outcome


def test_checkpoint_is_beside_the_log(saved):
    path, outcome = saved
    assert path.parent == Path(outcome["log"]).parent
    assert path.stat().st_size < 100_000


def test_goes_on_to_the_same_digest_with_a_log_that_begins_there(saved, tmp_path):
    path, outcome = saved
    said = hetwin("run", "--from", path, "--no-page", "--json", "--out", tmp_path / "on")
    assert said.code == 0, said.err
    again = json.loads(said.out)
    assert again["digest"] == outcome["digest"]
    assert again["simulated_time"] == outcome["simulated_time"]
    assert "checkpoint" not in again
    assert open_episode(tmp_path / "on").times[0] == 302_500_000


def test_may_end_later(saved, tmp_path):
    path, _ = saved
    said = hetwin(
        "run",
        "--from",
        path,
        "--duration",
        "0.4",
        "--json",
        "--no-page",
        "--out",
        tmp_path / "on",
    )
    assert json.loads(said.out)["simulated_time"] == 0.4


def test_no_checkpoint_without_the_option(tmp_path):
    said = hetwin(
        "run",
        "pick_and_place",
        "--duration",
        "0.01",
        "--no-page",
        "--json",
        "--out",
        tmp_path / "run",
    )
    assert "checkpoint" not in json.loads(said.out)
    assert not (tmp_path / "run" / "checkpoint.json.gz").exists()


def test_bad_checkpoints_are_refused(saved, tmp_path):
    path, _ = saved
    refused(
        tmp_path,
        "run",
        "--from",
        tmp_path / "none.json.gz",
        says=("none.json.gz", "no such checkpoint"),
    )
    short = tmp_path / "short.json.gz"
    short.write_bytes(path.read_bytes()[:2000])
    refused(tmp_path, "run", "--from", short, says=("short.json.gz", "cannot be read"))
    refused(
        tmp_path,
        "run",
        "--from",
        path,
        "--duration",
        "0.2",
        says=("--duration", "more than 0.3025 s"),
    )


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("pick_and_place",), ("SCENARIO", "a checkpoint contains this already")),
        (("--seed", "3"), ("--seed", "3", "--from without it")),
        (("--source", "live"), ("--source", "a checkpoint contains this already")),
        (("--engine", "mujoco"), ("--engine",)),
        (("--transport", "ros"), ("--transport",)),
    ],
)
def test_what_the_checkpoint_says_is_not_given_again(saved, tmp_path, more, says):
    refused(tmp_path, "run", *more, "--from", saved[0], says=says)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--checkpoint", "99"), ("--checkpoint", "99", "before its end at 12.8")),
        (
            ("--checkpoint", "1", "--source", "live"),
            ("--checkpoint", "nothing can go on with its source"),
        ),
        (("--checkpoint", "1", "--transport", "ros"), ("--checkpoint", "--transport local")),
    ],
)
def test_what_cannot_be_saved_is_refused_before_it_begins(tmp_path, more, says):
    out = ("--out", tmp_path / "run")
    refused(tmp_path, "run", "pick_and_place", *more, *out, says=says)


def test_nothing_to_run_is_refused(tmp_path):
    refused(tmp_path, "run", says=("SCENARIO", "there is nothing to run"))


def test_scenario_that_has_changed_since_is_named(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    text = """
scenario: own
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.2}}
"""
    file = own / "own.yaml"
    file.write_text(text)
    said = hetwin("run", file, "--checkpoint", "0.1", "--no-page", "--json", "--out", own / "run")
    path = Path(json.loads(said.out)["checkpoint"])
    file.write_text(text.replace("0.2", "0.3"))
    says = (
        "scenario.models.physics.parameters.until",
        "0.3",
        "as it was when the checkpoint was taken",
    )
    refused(tmp_path, "run", "--from", path, "--out", own / "on", says=says)
    shutil.rmtree(own / "run" / "log")
    file.unlink()
    refused(tmp_path, "run", "--from", path, "--out", own / "on", says=("own.yaml",))


def test_model_that_is_not_waited_for_is_named(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text(
        """
scenario: own
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.2}}
  watch: {type: "support.small_ensemble:Watcher", step: free}
"""
    )
    says = ("models.watch.step", "does not wait for this model", "step: service")
    refused(tmp_path, "run", file, "--checkpoint", "0.1", "--out", tmp_path / "run", says=says)
