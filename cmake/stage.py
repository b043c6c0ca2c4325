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

    Python code of the project is left out, since whoever packs the wheel adds it. The package tf2_msgs, which is not
    among the wheels of ROS, is built too, unless a ROS installation that this environment knows has it.

    Returns:
        The folder below `prefix` that holds the generated Python packages.

    Raises:
        BuildFailed: if a tool is missing or a step fails.
    """
    _require_compiler()
    ament = ament_prefix()
    _build(
        "the interfaces",
        ROOT,
        prefix,
        ament,
        # Without a build type, hence without optimization: the conversion of messages gains nothing
        # measurable from it, and the build takes longer.
        "-DHETWIN_CPP_INTERFACES=OFF",
        "-DHETWIN_INSTALL_PYTHON=OFF",
        f"-DHETWIN_INSTALL_RESOURCES={'ON' if resources else 'OFF'}",
    )
    if not _is_installed("tf2_msgs"):
        _build("tf2_msgs", ROOT / "cmake" / "tf2_msgs", prefix, ament)
    return next(prefix.glob("lib/python3*/*-packages"))


def _is_installed(package: str) -> bool:
    """Whether a ROS installation of this environment has a package."""
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return any((Path(p) / "share" / package / "package.xml").is_file() for p in prefixes if p)


def _build(what: str, source: Path, prefix: Path, ament: Path, *options: str) -> None:
    """Configure, compile and install one package.

    Raises:
        BuildFailed: if a step fails.
    """
    cmake = _tool("cmake", "CMAKE_BIN_DIR")
    env = os.environ | {"AMENT_PREFIX_PATH": str(ament)}
    with tempfile.TemporaryDirectory(prefix="hetwin-build-") as build:
        _run(
            f"configuring {what}",
            *(cmake, "-S", str(source), "-B", build, "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={_tool('ninja', 'BIN_DIR')}",
            f"-DCMAKE_PREFIX_PATH={ament}",
            f"-DCMAKE_INSTALL_PREFIX={prefix}",
            f"-DPython3_EXECUTABLE={sys.executable}",
            "-DBUILD_TESTING=OFF",
            *options,
            env=env,
        )
        _run(f"compiling {what}", cmake, "--build", build, env=env)
        _run(f"installing {what}", cmake, "--install", build, env=env)
