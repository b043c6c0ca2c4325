"""`hetwin list models`, `--version` and what the shell completes, as a user sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
import typer
from support.hetwin_command import hetwin
from support.plugins import needs

from hetwin_core.ensemble.catalogue import model_types
from hetwin_core.ensemble.scenario.scenario import scenario_names
from hetwin_suite._commands import options as completion
from hetwin_suite.cli.catalogue import ModelRow
from hetwin_suite.cli.main import app
from model_nodes.main_physics.engines.factory import AUTO, engine_names


def test_every_type_is_listed_in_a_line_of_its_own() -> None:
    lines = hetwin("list", "models").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(model_types())


def test_a_type_shows_its_parameters_attributes_and_events() -> None:
    said = hetwin("list", "models", "grasp_monitor").out
    assert "min_effort" in said
    assert "N or Nm" in said
    assert "0.05     contact" not in said
    assert "holding" in said
    assert "grip_closed" in said
    assert "service, 50/s" in said


@needs("hetwin_fluid")
def test_the_json_of_a_type_follows_its_schema() -> None:
    row = ModelRow.model_validate_json(hetwin("list", "models", "fluid_in_cup", "--json").out)
    assert row.type == "fluid_in_cup"
    assert {"radius", "density"} <= {p.name for p in row.parameters if p.unit}
    schema = json.loads(hetwin("list", "schema", "model").out)
    assert set(schema["properties"]) == set(ModelRow.model_fields)
    listed = json.loads(hetwin("list", "models", "--json").out)
    assert row.model_dump(mode="json") in listed


def test_a_misspelt_type_is_refused_with_the_near_names() -> None:
    said = hetwin("list", "models", "grasp_moniter")
    assert said.code == 2
    assert "(perhaps 'grasp_monitor')" in said.err


def test_the_version_is_the_distributions_with_the_engines() -> None:
    said = hetwin("--version")
    assert said.code == 0
    assert said.out.startswith(f"hetwin {version('hetwin-suite')} (MuJoCo {version('mujoco-core')}")
    assert len(said.out.splitlines()) == 1


def test_h_is_help_everywhere() -> None:
    assert hetwin("-h").out == hetwin("--help").out
    assert hetwin("list", "models", "-h").out.replace(" -h", "") == hetwin(
        "list", "models", "--help"
    ).out.replace(" -h", "")


def test_a_misspelt_command_and_option_get_the_near_ones() -> None:
    assert "Did you mean 'model'?" in hetwin("modle").err
    assert "--source" in hetwin("run", "x", "--sourc", "y").err
    assert hetwin("modles").code == 2


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hetwin run pick", "pick_and_place"),
        ("hetwin check baxter", "baxter_pick_and_place"),
        ("hetwin list models rigid", "rigid_grasp"),
        ("hetwin model check rigid", "rigid_grasp"),
        pytest.param(
            "hetwin evaluate table2 --approaches ensemble,ri",
            "ensemble,rigid",
            marks=needs("hetwin_bauer2022"),
        ),
        ("hetwin run x --engine muj", "mujoco"),
        ("hetwin evalu", "evaluate"),
    ],
)
def test_the_shell_completes_names(typed: str, offered: str) -> None:
    asked = {
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
        "_HETWIN_COMPLETE": "complete_bash",
    }
    script = "import sys; sys.argv = ['hetwin']; from hetwin_suite.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == offered


def test_what_is_completed_is_what_there_is() -> None:
    assert completion.scenarios("") == scenario_names()
    assert completion.model_types("") == list(model_types())
    assert set(completion.ENGINES) == {AUTO, *engine_names()}


@pytest.mark.parametrize(
    ("scenario", "names"),
    [
        pytest.param("set_table", ["overlooked"], marks=needs("hetwin_tables")),
        ("pick_and_place", []),
        ("no_such_scenario", []),
        (None, []),
    ],
)
def test_variants_are_those_of_the_scenario(scenario: str | None, names: list[str]) -> None:
    context = typer.Context(typer.main.get_command(app))
    context.params = {"scenario": scenario}
    assert completion.variants(context, "over") == names
    context.params, context.args = {}, [] if scenario is None else ["--json", scenario]
    assert completion.variants(context, "over") == names


def test_the_shells_script_is_shown() -> None:
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "hetwin_suite.cli.command", "--show-completion", "bash"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert "complete" in done.stdout
