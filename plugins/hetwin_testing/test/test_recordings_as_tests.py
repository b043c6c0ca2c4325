"""Recordings as tests: a newcomer's folder with a recording and a YAML file, run by pytest."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import hetwin_suite
import hetwin_suite.page
from hetwin_core.ensemble.resources import resource
from hetwin_testing import replay_cache

GOOD = 'holds(on("box", "table"), at(end))'


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All that the plugin imports is there before: what runs of pytest import in a test is forgotten after it."""
    hetwin_suite.run("pick_and_place", duration=0.02, out=tmp_path_factory.mktemp("loaded") / "run")


@pytest.fixture
def newcomer(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with the first seconds of a recording."""
    bag = pytester.path / "bags" / "lift"
    shutil.copytree(resource("scenarios", "episodes", "pick_and_place"), bag)
    with (bag / "pick_and_place.mcap").open("r+b") as file:
        file.truncate(60_000)
    return pytester


def write(folder: pytest.Pytester, text: str) -> None:
    (folder.path / "night.hetwin.yaml").write_text(text)


def run(folder: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    # Imported anew, the plugin of zarr would use a marker that --strict-markers does not know.
    others = ("randomly", "random_order", "zarr")
    return folder.runpytest_inprocess(*(f"-pno:{name}" for name in others), *arguments)


def test_it_passes_fails_or_is_not_executed_as_junit_says(newcomer: pytest.Pytester) -> None:
    write(
        newcomer,
        f"""
- {{name: green, scenario: pick_and_place, source: 'bags/l*', holds: ['{GOOD}']}}
- {{name: red, scenario: pick_and_place, source: bags/lift, holds: ['holds(on("box", "tray"), at(end))']}}
- {{name: absent, scenario: pick_and_place, source: bags/other, verdict: fine}}
- {{name: uncovered, scenario: pick_and_place, source: bags/lift, require: [base]}}
- {{name: no engine, scenario: pick_and_place, source: bags/lift, engine: nosuch, verdict: fine}}
""",
    )
    result = run(newcomer, "--junitxml", "junit.xml", "--hetwin-report", "pages")
    result.assert_outcomes(passed=1, failed=1, skipped=3)
    cases = {case.attrib["name"]: case for case in ET.parse("junit.xml").iter("testcase")}
    assert not [one.tag for one in cases["green[bags/lift]"] if one.tag != "properties"]
    failure = cases["red[bags/lift]"].find("failure")
    assert failure is not None
    said = failure.text or ""
    assert 'holds(on("box", "tray"), at(end)): false, from ' in said
    assert "the recording breaks off at" in said
    page = Path(said.rpartition("page: ")[2].strip())
    assert page.parent == newcomer.path / "pages"
    assert "<html" in page.read_text()
    why = {
        name: one.attrib["message"] for name, case in cases.items() for one in case.iter("skipped")
    }
    assert (
        why["absent[bags/other]"]
        == f"not executed: there is no recording {newcomer.path}/bags/other"
    )
    assert "required base of tabletop_arm: not checked (no odometry)" in why["uncovered[bags/lift]"]
    assert "no such physics engine" in why["no engine[bags/lift]"]
    index = (newcomer.path / "pages" / "index.html").read_text()
    assert "1 failed, 3 not executed, 1 passed" in index
    assert page.name in index
    run(newcomer, "--hetwin-require").assert_outcomes(passed=1, failed=4)


def test_the_same_recording_is_replayed_once(
    newcomer: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    make = replay_cache._replay
    monkeypatch.setattr(
        replay_cache, "_replay", lambda *given: made.append(given[1]) or make(*given)
    )
    newcomer.makepyfile(
        f"""
        import pytest

        @pytest.mark.twin("pick_and_place", source="bags/lift")
        def test_marked(twin):
            run = twin.run().expect('{GOOD}')
            assert run.episode.scenario == "pick_and_place"

        def test_named(twin):
            with pytest.raises(AssertionError, match="the verdict is doubtful, not fine or unchecked"):
                twin.run("pick_and_place", source="bags/lift").expect(verdict=["fine", "unchecked"])
        """
    )
    run(newcomer, "--strict-markers").assert_outcomes(passed=2)
    assert len(made) == 1
    run(newcomer).assert_outcomes(passed=2)
    assert len(made) == 1
    run(newcomer, "--hetwin-fresh").assert_outcomes(passed=2)
    assert len(made) == 2
    with (newcomer.path / "bags" / "lift" / "pick_and_place.mcap").open("r+b") as file:
        file.truncate(59_000)
    run(newcomer).assert_outcomes(passed=2)
    assert len(made) == 3


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("scenario: pick_and_place", "not a list of recordings"),
        ("- {scenario: pick_and_place}", "line 1*the entry has no expectation"),
        (
            "- {scenario: a, verdict: fine}\n- {scenario: a, hold: [x]}",
            "line 2*hold*'holds' perhaps",
        ),
        ("- {scenario: a, require: [bases]}", "line 1*no such claim*bases*"),
        ("- {scenario: a, holds: ['on(']}", "line 1*holds.0*"),
    ],
)
def test_a_file_that_is_wrong_is_an_error_with_its_line(
    pytester: pytest.Pytester, text: str, error: str
) -> None:
    write(pytester, text)
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*night.hetwin.yaml*{error}*"])


def test_a_question_about_what_is_not_there_fails(newcomer: pytest.Pytester) -> None:
    write(
        newcomer,
        "- {scenario: pick_and_place, source: bags/lift, holds: ['moving(\"bax\")', 'holds(on(\"bax\"), at(end))']}",
    )
    result = run(newcomer)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*unknown entity; found 'bax'*perhaps 'box'*"])


def test_a_replay_that_takes_too_long_fails_its_test(newcomer: pytest.Pytester) -> None:
    write(
        newcomer,
        "- {scenario: pick_and_place, within: 0.01, verdict: fine}\n"
        f"- {{scenario: pick_and_place, source: bags/lift, holds: ['{GOOD}']}}",
    )
    result = run(newcomer)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*it hangs: it has not ended after 0.01 s of wall time*"])
