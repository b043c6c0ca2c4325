"""Units and parameters that cannot be used: bad input, in words that say what to do."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from motor_unit import FOLDERS, archive, changed, description, motor
from support.hetwin_command import hetwin
from support.small_ensemble import run

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.errors import BadInput
from hetwin_fmu import Fmu

OUTPUTS = {"motor.speed": "speed"}


def bad(version: int = 3, **parameters: Any) -> BadInput:
    """The error about some parameters of a good unit."""
    given = {"file": str(motor(version)), "concepts": ["motor"], "outputs": OUTPUTS, **parameters}
    with pytest.raises(BadInput) as caught:
        Fmu().contribute(given, 0)
    return caught.value


def test_a_broken_archive(tmp_path: Path) -> None:
    broken = tmp_path / "broken.fmu"
    broken.write_bytes(motor().read_bytes()[:2000])
    error = bad(file=str(broken))
    assert error.where == "file"
    assert "this unit cannot be read" in str(error)
    assert "a whole Functional Mock-up Unit" in str(error)


def test_archives_with_damage_at_random(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.fmu"
    draw = random.Random(5)
    whole = motor().read_bytes()
    for _ in range(30):
        bent = bytearray(whole)
        begin = draw.randrange(100, len(whole) // 2)
        bent[begin : begin + 60] = draw.randbytes(60)
        damaged.write_bytes(bent)
        assert "this unit cannot be read" in str(bad(file=str(damaged)))


def test_a_number_that_is_none(tmp_path: Path) -> None:
    path = changed(tmp_path, 3, 'max="100"', 'max="much"')
    assert "cannot be read: could not convert string to float: 'much'" in str(bad(file=path))


def test_an_archive_of_something_else(tmp_path: Path) -> None:
    other = tmp_path / "other.fmu"
    with zipfile.ZipFile(other, "w") as made:
        made.writestr("readme.txt", "hello")
    assert "this archive has no modelDescription.xml" in str(bad(file=str(other)))


def test_an_archive_that_unpacks_to_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETWIN_LARGEST_MIB", "1")
    large = tmp_path / "large.fmu"
    for sizes, words in (
        ([2**20 + 1], "0 has more than 1 MiB; if trusted, set HETWIN_LARGEST_MIB"),
        ([2**20] * 3, "it unpacks to more than 2 MiB"),
    ):
        with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("modelDescription.xml", "")
            for name, size in enumerate(sizes):
                made.writestr(str(name), bytes(size))
        assert words in str(bad(file=str(large)))


def test_a_description_that_is_no_xml(tmp_path: Path) -> None:
    motor()
    path = archive(tmp_path / "bad.fmu", "<fmiModelDescription", {})
    assert "modelDescription.xml of this unit cannot be read" in str(bad(file=str(path)))


def test_a_unit_for_model_exchange_only(tmp_path: Path) -> None:
    text = (
        description(3)
        .replace("<CoSimulation", "<ModelExchange")
        .replace(' canHandleVariableCommunicationStepSize="true"', "")
    )
    motor()
    path = archive(tmp_path / "changed.fmu", text, {})
    error = str(bad(file=str(path)))
    assert "this unit cannot be stepped from outside" in error
    assert "changed.fmu, for model exchange" in error
    assert "expected a unit for co-simulation" in error


@pytest.mark.parametrize("version", [2, 3])
def test_a_unit_for_another_machine(tmp_path: Path, version: int) -> None:
    path = changed(tmp_path, version, "Motor", "Motor", folder="win64")
    error = str(bad(version, file=path))
    assert "this unit has no program for this machine" in error
    assert "changed.fmu, for win64" in error
    assert f"({FOLDERS[version]})" in error


def test_a_unit_of_the_first_fmi(tmp_path: Path) -> None:
    motor()
    text = (
        '<fmiModelDescription fmiVersion="1.0" modelName="old" modelIdentifier="old" guid="old"'
        ' numberOfContinuousStates="0" numberOfEventIndicators="0"><ModelVariables/><Implementation>'
        "<CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone></Implementation>"
        "</fmiModelDescription>"
    )
    path = archive(tmp_path / "old.fmu", text, {})
    assert "this version of FMI is not supported; found 'old.fmu, of FMI 1.0'" in str(
        bad(file=str(path))
    )


def test_a_program_that_lacks_what_it_needs(tmp_path: Path) -> None:
    motor()
    name = f"binaries/{FOLDERS[3]}/motor.so"
    junk = tmp_path / "junk.so"
    junk.write_bytes(b"no program")
    before = Path.cwd()
    path = archive(tmp_path / "junk.fmu", description(3), {name: junk})
    assert "the program of this unit cannot be loaded" in str(bad(file=str(path)))
    assert Path.cwd() == before


def test_a_description_that_breaks_a_rule_is_read_with_a_warning(tmp_path: Path) -> None:
    path = changed(tmp_path, 2, 'guid="{motor}"', 'guid="{motor}" vendor="x"')
    unit = Fmu()
    contribution = unit.contribute({"file": path, "concepts": ["motor"], "outputs": OUTPUTS}, 0)
    unit.stop()
    assert "breaks rules of FMI" in contribution.warnings[0]
    assert "vendor" in contribution.warnings[0]


@pytest.mark.parametrize(
    ("parameters", "where", "words"),
    [
        ({"outputs": {"motor.speed": "sped"}}, "outputs.motor.speed", "perhaps 'speed'"),
        ({"outputs": {"speed": "speed"}}, "outputs.speed", "this names no attribute"),
        ({"outputs": {"motor.label": "label"}}, "outputs.motor.label", "cannot hold a String"),
        ({"outputs": {"motor.speed[0]": "speed"}}, "outputs.motor.speed[0]", "whole attribute"),
        ({"outputs": {"ball.pose": "speed"}}, "outputs.ball.pose", "takes_over: [ball.pose]"),
        (
            {"outputs": {"motor.external_wrench": "speed"}},
            "outputs.motor.external_wrench",
            "has 6 numbers, and these are 1",
        ),
        (
            {"outputs": {"motor.external_wrench": ["speed"] * 6}},
            "outputs.motor.external_wrench",
            "found 'rad/s for N'",
        ),
        ({"outputs": {}}, "outputs", "no output or event of the unit is used"),
        ({"inputs": {"volt": 1}}, "inputs.volt", "perhaps 'voltage'"),
        ({"inputs": {"lag": 1}}, "inputs.lag", "cannot be set while the unit steps"),
        ({"inputs": {"voltage": [1, 2]}}, "inputs.voltage", "expected one value"),
        ({"inputs": {"voltage": "battery"}}, "inputs.voltage", "ENTITY.ATTRIBUTE[0:3]"),
        ({"start": {"gain": 101}}, "start.gain", "expected from 0 to 100"),
        ({"start": {"speed": 1}}, "start.speed", "takes no value at the start"),
        ({"outputs": {"motor.speed": []}}, "outputs.motor.speed", "at least 1 item"),
        ({"start": {"label": 5}}, "start.label", "this variable holds text"),
        ({"inputs": {"gear": 1e20}}, "inputs.gear", "the unit does not allow this value"),
        ({"events": {"ended": "hot"}}, "events.ended", "this event has a meaning already"),
        ({"events": {"fast": "speed"}}, "events.fast", "this raises no event"),
        ({"takes_over": ["ball.pose"]}, "takes_over.0", "does not compute this attribute"),
        (
            {"outputs": {"ball.pose[2]": "height"}, "takes_over": ["ball.pose"]},
            "start",
            "since no start value is read from it",
        ),
    ],
)
def test_parameters_that_do_not_fit(parameters: dict[str, Any], where: str, words: str) -> None:
    error = bad(**parameters)
    assert error.where == where
    assert words in str(error)


def test_the_extra_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "import_module", _not_there)
    assert 'expected pip install "hetwin-suite[fmi]"' in str(bad())


def _not_there(name: str) -> Any:
    raise ModuleNotFoundError(f"No module named {name!r}")


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"inputs": {"voltage": "ball.charge"}}, "inputs.voltage: ball has no such attribute"),
        ({"inputs": {"voltage": "boll.pose"}}, "(perhaps 'ball')"),
        ({"inputs": {"voltage": "ball.pose"}}, "voltage has 1 numbers, and these are 13"),
        ({"inputs": {"voltage": "ball.pose[13]"}}, "expected an index from 0 to 12"),
        ({"concepts": []}, "the entity 'motor' does not exist; expected an entity of the scene"),
        ({"file": "no.fmu"}, "expected a file, relative to the scenario"),
    ],
)
def test_what_the_scene_does_not_have(parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput) as caught:
        run(scenario({"type": "support.toys:ToyPhysics", "main": True}, parameters))
    assert says in str(caught.value)
    assert "small.yaml: line " in str(caught.value)


def scenario(physics: dict[str, Any], parameters: dict[str, Any], **more: Any) -> str:
    """A scenario with a motor and its physics, as YAML."""
    given = {"file": str(motor()), "concepts": ["motor"], "outputs": OUTPUTS, **parameters}
    models = {"physics": physics, "motor": {"type": "fmu", "rate": 100, "parameters": given}}
    return yaml.safe_dump({"scenario": "small", "rate": 100, "models": models, **more})


def test_the_command_ends_with_2(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    physics = {"type": "main_physics", "main": True, "engine": "mujoco"}
    wrong = {"inputs": {"voltage": "box.charge"}}
    path.write_text(scenario(physics, wrong, world="worlds/tabletop.sdf"), "utf-8")
    ended = hetwin("check", path)
    assert ended.code == 2
    assert "bad.yaml: line 8, models.motor.parameters.inputs.voltage: box has no such" in ended.err
    assert "Traceback" not in ended.err
