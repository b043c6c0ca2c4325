"""The page about state machines shows outputs, networks, written code and drawings as they are."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.pages import BLOCK, ROOT
from support.plugins import needs

from hetwin_machines.network_files import load_network
from hetwin_machines.written_code import code_of

DOCS = ROOT / "docs"
PAGE = "\n".join(
    (DOCS / name).read_text(encoding="utf-8") for name in ("machines.md", "reference/machines.md")
)
PICTURES = ROOT / "docs" / "pictures"
NETWORKS = ROOT / "plugins/hetwin_machines/hetwin_machines/scenarios/networks"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
TAUGHT = ("counter", "master_slave", "plan")


def picture(name: str) -> str:
    return (PICTURES / f"machines_{name}.svg").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "plugins").symlink_to(ROOT / "plugins")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(line: str) -> str:
    """What a command of the page prints; hetwin runs in this process, the rest of a pipe in a shell."""
    line = line.replace("python -I", f"{sys.executable} -I")
    if not line.startswith("hetwin"):
        return subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    words, pipe, rest = line.partition(" | ")
    words, _, file = words.partition(" > ")
    said = hetwin(*shlex.split(words)[1:])
    assert said.code == 0, said.err
    if file:
        Path(file).write_text(said.out, encoding="utf-8")
        return ""
    if not pipe:
        return said.out
    return subprocess.run(
        ["bash", "-c", rest], input=said.out, capture_output=True, text=True, timeout=60, check=True
    ).stdout


def assert_same_picture(one: str, two: str) -> None:
    """Releases of Python add up differently in the last bits, which may turn a rounding."""
    assert NUMBER.sub("#", one) == NUMBER.sub("#", two)
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in (one, two)]
    assert numbers[0] == pytest.approx(numbers[1], abs=2)


@pytest.mark.usefixtures("folder")
def test_the_commands_print_what_the_page_shows() -> None:
    for block in BLOCK.findall(PAGE):
        _, *entries = re.split(r"^\$ ", block, flags=re.MULTILINE)
        for entry in entries:
            command, _, shown = entry.partition("\n")
            lines = [line.rstrip() for line in printed(command).splitlines()]
            assert lines == shown.splitlines(), command
    assert_same_picture(Path("broken.svg").read_text("utf-8"), picture("broken"))


def test_the_networks_are_those_that_come_with_hetwin() -> None:
    shown = blocks("yaml")
    for name in TAUGHT:
        lines = (NETWORKS / f"{name}.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
        assert "".join(line for line in lines if not line.startswith("#")) in shown


def test_the_code_is_what_is_written() -> None:
    written = code_of(load_network(NETWORKS / "counter.yaml"), "counter")
    (plan,) = (block for block in blocks("python") if block.startswith("def plan_"))
    assert plan in written


def test_the_example_in_python_prints_what_is_shown() -> None:
    (example,) = (block for block in blocks("python") if block.startswith("from "))
    (shown,) = blocks("text")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(example, {})
    assert out.getvalue() == shown


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "name",
    [
        *(*TAUGHT, "l0_l1_link", "lidar_sweep", "real_time", "smart_logger"),
        pytest.param("lab_l1", marks=needs("hetwin_twin_lab")),
    ],
)
def test_the_pictures_are_what_is_drawn(name: str) -> None:
    options = []
    if name == "plan":
        rows = NETWORKS / "plan.csv"
        trace = hetwin("machines", "run", name, "--inputs", rows, "--trace", "--json")
        Path("plan.jsonl").write_text(trace.out, encoding="utf-8")
        options = ["--trace", "plan.jsonl"]
    said = hetwin("machines", "draw", name, "--out", "picture.svg", *options)
    assert said.code == 0, said.err
    assert_same_picture(Path("picture.svg").read_text("utf-8"), picture(name))
