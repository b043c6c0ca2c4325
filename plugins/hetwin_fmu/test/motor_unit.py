"""A unit of FMI 2 or 3 that the compiler of this machine makes from `units/motor.c`: a motor that can go wrong."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCES = Path(__file__).parent / "units"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
FOLDERS = {2: "linux64", 3: f"{platform.machine()}-linux"}
WRONG = {
    name: number
    for number, name in enumerate(
        ("nothing", "crash", "hang", "error", "nan", "end", "fatal", "refuse", "log", "stubborn")
    )
}
"""What the parameter `wrong` has it do, from the time `wrong_at` on."""


def motor(version: int = 3) -> Path:
    """The unit, for a version of FMI."""
    pytest.importorskip("fmpy", reason="the extra fmi is not installed")
    if COMPILER is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler")
    return _made(version)


@cache
def _made(version: int) -> Path:
    folder = Path(mkdtemp(prefix="hetwin_test_unit_"))
    program, path = folder / "motor.so", folder / f"motor{version}.fmu"
    command = [COMPILER, f"-DFMI={version}", "-O1", "-w", "-shared", "-fPIC", "-o", program]
    subprocess.run([*map(str, command), str(SOURCES / "motor.c"), "-lm"], check=True)
    archive(path, description(version), {f"binaries/{FOLDERS[version]}/motor.so": program})
    return path


def description(version: int) -> str:
    """The description of the unit."""
    return (SOURCES / f"motor{version}.xml").read_text("utf-8")


def archive(path: Path, text: str, files: dict[str, Path]) -> Path:
    """Write an archive with a description and files, by their names in it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("modelDescription.xml", text)
        for name, file in files.items():
            made.write(file, name)
    return path


def changed(path: Path, version: int, old: str, new: str, *, folder: str = "") -> str:
    """A unit with another description, whose program lies in the usual folder or another.

    Args:
        path: folder in which it is written.
        version: of FMI.
        old: text in the description.
        new: what stands there instead.
        folder: of the program, instead of that of this machine.

    Returns:
        Its path.
    """
    original = description(version)
    assert old in original
    program = path / "motor.so"
    with zipfile.ZipFile(motor(version)) as good:
        program.write_bytes(good.read(f"binaries/{FOLDERS[version]}/motor.so"))
    name = f"binaries/{folder or FOLDERS[version]}/motor.so"
    return str(archive(path / "changed.fmu", original.replace(old, new), {name: program}))
