"""The example package beside a wheel of hetwin, without the repository: all that it adds works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json, sys, warnings
from pathlib import Path

warnings.simplefilter("error", UserWarning)
warnings.filterwarnings("ignore", ".*(no module |No module named ')hetwin_")  # plugins, which .pth files lead to
import hetwin_suite
from hetwin_suite.episode import find_labelled, open_episode
from hetwin_suite.page import write_report
from typer.testing import CliRunner
from hetwin_suite.cli.main import app

def said(*words):
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output

summary = hetwin_suite.run("cafe", duration=0.5, out="run")
Path("greeting.yaml").write_text(
    "scenario: greeting\\nextends: pick_and_place\\nsource: {installed: wave, arguments: {times: 1}}\\n"
)
said("record", "waves", "-n", "1", "--jobs", "1", "--out", "waves")
print(json.dumps({
    "from": hetwin_suite.__file__,
    "bill": said("bill", "run"),
    "help": "bill" in said("--help"),
    "page": "<h2>Coffee</h2>" in write_report(summary.folder).read_text(encoding="utf-8"),
    "greeting": hetwin_suite.run("greeting.yaml", out="greeting").simulated_time,
    "labels": [one.label() for one in find_labelled(Path("waves"))],
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and unpack it as pip does; returns the folder."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, timeout=900)
    cafe = folder / "cafe"  # setuptools leaves files beside its sources
    shutil.copytree(ROOT / "examples" / "hetwin_cafe", cafe)
    subprocess.run([*command, "--no-build-isolation", str(cafe)], check=True, timeout=120)
    for file in folder.glob("*.whl"):
        with zipfile.ZipFile(file) as packed:
            packed.extractall(folder / "site")
    return folder / "site"


@pytest.mark.long
def test_all_that_the_cafe_adds_works(wheel: Path, tmp_path: Path) -> None:
    (data,) = wheel.glob("hetwin_suite-*.data/data")
    places = [str(wheel), sysconfig.get_path("purelib")]
    done = subprocess.run(
        [sys.executable, "-S", "-c", SCRIPT],  # no .pth files, which lead to the repository
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(places),
            "AMENT_PREFIX_PATH": str(data),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("from") == str(wheel / "hetwin_suite" / "__init__.py")
    assert found.pop("greeting") == pytest.approx(1.0, abs=0.01)
    assert found == {"bill": "1 cup: 3.50\n", "help": True, "page": True, "labels": [True]}
