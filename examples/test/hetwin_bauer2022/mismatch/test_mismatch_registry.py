"""Which axes there are, what they declare, and what `--mismatch` refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.packages import install
from support.robot_files import ROOT
from typer.testing import CliRunner

from hetwin_bauer2022.mismatch.axis import Place
from hetwin_bauer2022.mismatch.registry import axes, axis_names, check_places, read_mismatches
from hetwin_bauer2022.mismatch_option import complete_axes
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.main import app

PAGE = ROOT / "docs" / "reference" / "verdicts.md"
UNITS = {"rad", "m", "s", "Hz", "N m", "factor", "level"}


@pytest.mark.parametrize("name", axis_names())
def test_each_axis_declares_what_a_page_needs(name: str) -> None:
    axis = axes()[name]
    assert axis.unit in UNITS
    assert len(axis.levels) >= (4 if axis.unit == "level" else 5)
    assert list(axis.levels) == sorted(set(axis.levels))
    assert axis.none in axis.levels
    for level in axis.levels:
        axis.check(level)
    if axis.hardware is not None:
        assert axis.hardware[0] < axis.hardware[1]
    assert len(axis.source.split()) >= 4
    assert not axis.source.endswith(".")
    assert not axis.summary.endswith(".")


@pytest.mark.parametrize("name", axis_names())
def test_the_documentation_has_each_axis_as_it_is(name: str) -> None:
    axis = axes()[name]
    low_high = "not found" if axis.hardware is None else "{:g} to {:g}".format(*axis.hardware)
    levels = ", ".join(f"{level:g}" for level in axis.levels)
    row = f"| `{name}` | {axis.place} | {axis.unit} | {levels} | {low_high}: {axis.source} |"
    assert row in PAGE.read_text(encoding="utf-8").splitlines()


def test_axes_act_on_reality_first_and_within_a_place_by_name() -> None:
    found = list(axes().values())
    places = [list(Place).index(axis.place) for axis in found]
    assert places == sorted(places)
    assert [
        one.axis.name for one in read_mismatches(["rate=15", "mass=2", "finger_offset=0.01"])
    ] == [*("finger_offset", "rate", "mass")]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["finger_ofset=1"], r"no such axis.*finger_ofset.*perhaps 'finger_offset'"),
        (["finger_offset"], r"no level is given.*AXIS=LEVEL"),
        (["rate=fast"], r"level of rate is not a number.*fast.*Hz"),
        (["rate=0"], r"rate cannot have this level.*>= 1 \(Hz\), 100 changes nothing"),
        (["object_size=-1"], "object_size cannot have this level"),
        (["efforts_missing=1.5"], r">= 0 and <= 1 \(factor\)"),
        (["finger_offset=nan"], "finger_offset cannot have this level"),
        (["rate=15", "rate=20"], r"given twice.*rate=20"),
    ],
)
def test_what_makes_no_sense_is_refused(texts: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_mismatches(texts)


def test_an_axis_that_acts_elsewhere_is_refused_by_name() -> None:
    with pytest.raises(
        BadInput, match=r"compliance acts on reality, not on twin.*compliance=2.*record"
    ):
        check_places(read_mismatches(["compliance=2"]), (Place.TWIN,), "record")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["evaluate", "table2", "--episodes", ".", "--mismatch", "soft_object=4"],
            "hetwin record drop",
        ),
        (["record", "drop", "--out", "x", "--mismatch", "rate=15"], "hetwin evaluate table2"),
        (
            ["record", "drop", "--out", "x", "--grasp", "pinch", "--flaw", "high"],
            "both fix the height",
        ),
    ],
)
def test_a_command_names_the_one_that_can(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    episode = tmp_path / "one"
    (episode / "recording").mkdir(parents=True)
    (episode / "scene.json").write_text('{"scenario": "insertion", "scene": {}}')
    (episode / "truth.json").write_text('{"label": "failure"}')
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, BadInput)
    assert words in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_an_axis_that_concerns_no_episode_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one" / "recording").mkdir(parents=True)
    (tmp_path / "one" / "scene.json").write_text(
        '{"scenario": "uncertain_environment", "scene": {}}'
    )
    (tmp_path / "one" / "truth.json").write_text('{"label": "failure"}')
    arguments = ["evaluate", "table2", "--episodes", str(tmp_path), "--mismatch", "object_tilt=0.1"]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, BadInput)
    assert "object_tilt affects none of these episodes; found 'episodes with cage'" in str(
        result.exception
    )


def test_they_are_listed_and_completed() -> None:
    listed = CliRunner().invoke(app, ["list", "mismatches"])
    assert listed.exit_code == 0
    assert all(f"\n{name} " in listed.stdout for name in axis_names())
    rows = json.loads(CliRunner().invoke(app, ["list", "mismatches", "--json"]).stdout)
    assert {row["name"] for row in rows} == set(axis_names())
    assert complete_axes("finger_o") == ["finger_offset="]


def test_a_third_party_that_is_no_axis_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[hetwin.mismatches]\nodd = json:JSONDecoder\ngone = no_such:Axis\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match=r"odd: this is not an axis.*JSONDecoder.*RecordingAxis"):
        read_mismatches(["odd=1"])
    with pytest.raises(
        BadInput, match=r"gone of the package other cannot be used: ModuleNotFoundError"
    ):
        read_mismatches(["gone=1"])


def test_one_that_cannot_be_imported_is_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "ruin", "[hetwin.mismatches]\ngone = no_such:Axis\n")
    with pytest.warns(UserWarning, match="gone of the package ruin cannot be used"):
        names = axes()
    assert "rate" in names
    assert "gone" not in names
