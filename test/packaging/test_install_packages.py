"""An installation with uv has the settings of pip; what uv cannot do, pip does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from install_packages import NoCounterpart, uv_environment

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "install_packages.py"
CONFIGURATION = """
:env:.find-links='/somewhere/wheels /elsewhere'
:env:.disable-pip-version-check='1'
global.constraint='/etc/constraints.txt'
global.extra-index-url='file:///one/simple file:///two/simple'
global.index-url='https://global.example/simple'
install.index-url='https://install.example/simple'
"""


def install(*requirements: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script, which asks no index."""
    env = {**os.environ, "PIP_NO_INDEX": "1", **environment}
    command = [sys.executable, str(SCRIPT), *requirements]
    return subprocess.run(
        command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120
    )


def test_settings_of_pip_become_variables_of_uv() -> None:
    assert uv_environment(CONFIGURATION) == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/somewhere/wheels,/elsewhere",
        "UV_CONSTRAINT": "/etc/constraints.txt",
        "UV_INDEX": "file:///one/simple file:///two/simple",
        "UV_DEFAULT_INDEX": "https://install.example/simple",
    }


@pytest.mark.parametrize("name", ["require-hashes", "no-deps", "target"])
def test_a_setting_that_uv_does_not_have_is_named(name: str) -> None:
    with pytest.raises(NoCounterpart, match=f"pip's setting {name} has no counterpart"):
        uv_environment(f"{CONFIGURATION}global.{name}='true'\n")


@pytest.mark.long
@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_an_installed_package_is_enough(installer: str) -> None:
    ended = install("numpy", HETWIN_INSTALLER=installer)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.slow
def test_without_a_counterpart_pip_installs() -> None:
    ended = install("numpy", PIP_NO_DEPS="1")
    assert ended.returncode == 0, ended.stdout
    assert "pip's setting no-deps has no counterpart in uv: installing with pip" in ended.stdout
    assert "Requirement already satisfied: numpy" in ended.stdout


@pytest.mark.slow
def test_a_package_that_neither_finds_is_an_error() -> None:
    ended = install("hetwin-no-such-package")
    assert ended.returncode != 0
    assert "installing with pip" in ended.stdout
    assert "No matching distribution found for hetwin-no-such-package" in ended.stdout
