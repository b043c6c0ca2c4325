"""Plugins are made alike: the heads of their pyproject.toml are one, and tools look at all of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from hetwin_core.ensemble import installed

ROOT = Path(__file__).resolve().parents[2]
SUITE = tomllib.loads((ROOT / "pyproject.toml").read_text())
PLUGINS = sorted(manifest.parent.name for manifest in ROOT.glob("plugins/*/pyproject.toml"))
OWN = {"name", "description", "dependencies", "entry-points", "optional-dependencies"}
"""Keys of a project in which plugins differ."""
BROUGHT = {
    "hetwin.commands": installed.COMMANDS,
    "hetwin.engines": installed.ENGINES,
    "hetwin.formats": installed.FORMATS,
    "hetwin.models": installed.MODELS,
    "hetwin.viewers": installed.VIEWERS,
}
"""Group of entry points -> what the suite knows of it: name -> the extra that brings it."""


def manifest(plugin: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "plugins" / plugin / "pyproject.toml").read_text())


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_differs_from_others_in_its_own_keys_only(plugin: str) -> None:
    found, first = manifest(plugin), manifest(PLUGINS[0])
    project = found["project"]
    assert project["name"] == plugin.replace("_", "-")
    assert {*project} >= OWN - {"entry-points", "optional-dependencies"}
    assert {key: project[key] for key in {*project} - OWN} == {
        key: first["project"][key] for key in {*first["project"]} - OWN
    }
    assert project["requires-python"] == SUITE["project"]["requires-python"]
    assert found["build-system"] == first["build-system"]
    assert found["tool"] == {"hatch": {"build": {"targets": {"wheel": {"packages": [plugin]}}}}}
    assert (ROOT / "plugins" / plugin / plugin / "py.typed").is_file()


@pytest.mark.parametrize("plugin", PLUGINS)
def test_tests_types_and_style_look_at_a_plugin(plugin: str) -> None:
    tool = SUITE["tool"]
    folder = f"plugins/{plugin}"
    assert folder in tool["pytest"]["ini_options"]["pythonpath"]
    assert folder in tool["mypy"]["mypy_path"].split(":")
    assert plugin in tool["mypy"]["packages"]
    assert plugin in tool["ruff"]["lint"]["isort"]["known-first-party"]
    assert any((ROOT / folder / "test").glob("test_*.py"))


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_suite_knows_which_extra_brings_what_a_plugin_has(plugin: str) -> None:
    project = manifest(plugin)["project"]
    wanted = f"{project['name']}=={project['version']}"
    optional = SUITE["project"]["optional-dependencies"]
    (extra,) = (name for name, needs in optional.items() if wanted in needs)
    for group, known in BROUGHT.items():
        named = {name for name, brings in known.items() if brings == extra}
        brought = {
            name.replace(".", " ") for name in project.get("entry-points", {}).get(group, {})
        }
        assert named == brought, group
