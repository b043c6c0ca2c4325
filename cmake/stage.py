"""Builds the ROS interfaces with CMake into a folder that a wheel can ship."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class BuildFailed(Exception):
    """The interfaces could not be built; the text says which step failed and why."""


def ament_prefix() -> Path:
    """The prefix into which pip installed ROS.

    Raises:
        BuildFailed: if ROS is not among the installed distributions.
    """
    try:
        files = importlib.metadata.files("ros-ament-cmake") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.as_posix().endswith("share/ament_cmake/package.xml"):
            return Path(file.locate()).resolve().parents[2]
    raise BuildFailed(
        "ros-ament-cmake is not installed: let pip build in its own environment, or install what "
        "pyproject.toml lists under build-system.requires"
    )


def _tool(name: str, folder_constant: str) -> str:
    """Path of a build tool: the one from PyPI, else the system's."""
    try:
        module = __import__(name)
        return str(Path(getattr(module, folder_constant)) / name)
    except (ImportError, AttributeError):
        found = shutil.which(name)
    if found is None:
        raise BuildFailed(f"{name} was not found: pip install {name}")
    return found


def _run(step: str, *command: str, env: dict[str, str]) -> None:
    done = subprocess.run(
        command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr, flush=True)
        raise BuildFailed(f"{step} failed (exit code {done.returncode}); the output is above")


def _require_compiler() -> None:
    if os.environ.get("CXX") or any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        return
    raise BuildFailed("no C++ compiler was found: install g++ (Debian, Ubuntu: apt install g++)")


def stage(prefix: Path, *, resources: bool) -> Path:
    """Build the interfaces and install them below `prefix`, if asked with scenarios, worlds, robots ...

    Python code of the project is left out, since whoever packs the wheel adds it.

    Returns:
        The folder below `prefix` that holds the generated Python package.

    Raises:
        BuildFailed: if a tool is missing or a step fails.
    """
    _require_compiler()
    ament = ament_prefix()
    cmake = _tool("cmake", "CMAKE_BIN_DIR")
    env = os.environ | {"AMENT_PREFIX_PATH": str(ament)}
    with tempfile.TemporaryDirectory(prefix="hetwin-build-") as build:
        _run(
            "configuring the interfaces",
            *(cmake, "-S", str(ROOT), "-B", build, "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={_tool('ninja', 'BIN_DIR')}",
            f"-DCMAKE_PREFIX_PATH={ament}",
            f"-DCMAKE_INSTALL_PREFIX={prefix}",
            f"-DPython3_EXECUTABLE={sys.executable}",
            # Without a build type, hence without optimization: the conversion of messages gains nothing
            # measurable from it, and the build takes longer.
            "-DHETWIN_CPP_INTERFACES=OFF",
            "-DHETWIN_INSTALL_PYTHON=OFF",
            f"-DHETWIN_INSTALL_RESOURCES={'ON' if resources else 'OFF'}",
            "-DBUILD_TESTING=OFF",
            env=env,
        )
        _run("compiling the interfaces", cmake, "--build", build, env=env)
        _run("installing the interfaces", cmake, "--install", build, env=env)
    return next(prefix.glob("lib/python3*/*-packages"))
