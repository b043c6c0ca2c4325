"""`hetwin model new`: the package passes its own checks at once, and bad names are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import warm_starts
from support.hetwin_command import hetwin, refused

ROOT = Path(__file__).resolve().parents[3]
HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")
LONG = "a_name_of_thirty_characters_ok"


def done(folder: Path, *words: str, env: dict[str, str] | None = None) -> str:
    """What a command that must succeed prints."""
    elsewhere = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MYPYPATH")}
    environment = elsewhere | (env or {})
    options: Any = {"cwd": folder, "env": environment, "timeout": 300}
    if words[: len(HETWIN)] == HETWIN:
        ended = warm_starts.run([*words], **options)
    else:
        ended = subprocess.run(words, capture_output=True, text=True, **options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def written(folder: Path, name: str, kind: str) -> dict[str, Any]:
    """What the command says that it wrote."""
    said = hetwin("model", "new", name, "--kind", kind, "--out", folder / name, "--json")
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


PACKAGES = [("fridge", "observer"), (LONG, "simulation")]


@pytest.fixture(scope="module", params=PACKAGES)
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    name, kind = request.param
    return written(tmp_path_factory.mktemp("packages"), name, kind)


def test_what_is_written_is_said(package: Any) -> None:
    folder = Path(package["folder"])
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    name = package["name"]
    assert {f"{name}/model.py", f"test/test_{name}.py", f"{name}.yaml", "pyproject.toml"} <= there
    assert set(package["files"]) <= there
    assert package["type"].startswith(f"{name}.model:")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy has found out about numpy and hetwin, the same for each package."""
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize(
    "words",
    [
        ("pytest", "-q", "-p", "no:cacheprovider"),
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--check", "--no-cache", "."),
        pytest.param(("mypy", "--strict"), marks=pytest.mark.long),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_it_passes_its_own_checks(package: Any, words: tuple[str, ...], seen: Path) -> None:
    alone = {"MYPY_CACHE_DIR": str(seen), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done(Path(package["folder"]), sys.executable, "-m", *words, env=alone)


def test_it_works_from_its_folder(package: Any, tmp_path: Path) -> None:
    folder = Path(package["folder"])
    assert "FAIL" not in done(
        folder, sys.executable, "-P", *HETWIN[1:], "model", "check", package["type"]
    )
    run = (*HETWIN, "run", str(folder / f"{package['name']}.yaml"), "--duration", "3", "--json")
    outcome = json.loads(done(tmp_path, *run, "--no-page", "--out", str(tmp_path / "run")))
    assert {event["name"] for event in outcome["events"]} & {"stopped", "cold"}


@pytest.mark.parametrize("package", PACKAGES[1:], indirect=True)
def test_installed_its_name_is_a_model_type(package: Any, tmp_path: Path) -> None:
    site, folder = tmp_path / "site", Path(package["folder"])
    pip = (sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps")
    done(folder, *pip, "--no-index", "--disable-pip-version-check", "--target", str(site), ".")
    env = {"PYTHONPATH": str(site)}
    said = done(tmp_path, *HETWIN, "model", "check", package["name"], env=env)
    assert "FAIL" not in said
    shown = json.loads(
        done(tmp_path, *HETWIN, "list", "models", package["name"], "--json", env=env)
    )
    assert all(row["description"] for row in shown["parameters"])
    assert shown["raises"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("my-fridge", "small letters"),
        ("Fridge", "small letters"),
        ("2fast", "small letters"),
        ("", "small letters"),
        ("../up", "small letters"),
        ("a" * 31, "at most 30"),
        ("class", "keyword"),
        ("match", "keyword"),
        ("json", "module of this name"),
        ("numpy", "module of this name"),
        ("hetwin_core", "module of this name"),
        ("rigid_grasp", "model type of this name"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(name: str, says: str, tmp_path: Path) -> None:
    refused(tmp_path, "model", "new", name, "--out", tmp_path / "new", says=("NAME", says))


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work.txt").write_text("years")
    refused(
        tmp_path, "model", "new", "fridge", "--out", tmp_path / "mine", says=("not empty", "--out")
    )
    refused(
        tmp_path,
        "model",
        "new",
        "fridge",
        "--out",
        tmp_path / "mine/work.txt",
        says=("a file", "--out"),
    )


def test_an_empty_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fridge").mkdir()
    said = hetwin("model", "new", "fridge")
    assert said.code == 0
    assert (tmp_path / "fridge" / "fridge" / "model.py").is_file()
    assert "hetwin model check fridge.model:Fridge" in said.out
