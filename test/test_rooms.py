"""Which room of the house may import what, and that no folder imports in a circle."""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ROBOTS = {"hetwin_core.kinematics"}
CORE = {
    *("hetwin_core.ensemble", "hetwin_core.wire", "hetwin_core.episodes"),
    *ROBOTS,
}
BEHIND_THE_DOOR = {
    "hetwin_suite._robots",
    "hetwin_suite._commands",
}
ROOMS = {
    "hetwin_core.ensemble": {"hetwin_core.ensemble"},
    "hetwin_core.wire": {"hetwin_core.wire", "hetwin_core.ensemble"},
    "hetwin_core.episodes": {"hetwin_core.episodes", "hetwin_core.ensemble"},
    "hetwin_core.kinematics": {"hetwin_core.kinematics"},
    "model_nodes": {"model_nodes", *CORE},
    "conductor_node": {"conductor_node", *CORE - ROBOTS},  # it writes the log
    "hetwin_suite._robots": {
        *("hetwin_suite._robots", "hetwin_suite._study", "model_nodes", *CORE),
    },
    "hetwin_suite._commands": {
        *("hetwin_suite._commands", "hetwin_suite._study", "hetwin_suite.running", *CORE),
    },
    "hetwin_suite._study": {
        *("hetwin_suite._study", "hetwin_suite.view", "model_nodes", "conductor_node", *CORE),
    },
    "hetwin_suite.view": {"hetwin_suite.view", *CORE - ROBOTS},
    "hetwin_suite.running": {
        *("hetwin_suite.running", "hetwin_suite.view", "model_nodes", "conductor_node"),
        *CORE,
    },
    "hetwin_suite.scaffolding": {"hetwin_suite.scaffolding", "model_nodes", *CORE},
    "hetwin_suite.cli": {
        *("hetwin_suite", "hetwin_suite.cli", "hetwin_suite.running", "hetwin_suite.scaffolding"),
        "hetwin_suite.view",
        *BEHIND_THE_DOOR,
        *(
            "hetwin_suite._study",
            "model_nodes",
            "conductor_node",
            *CORE,
        ),
    },
}
"""Room -> rooms that it may import."""

PACKAGES = {room.partition(".")[0] for room in ROOMS}

ENSEMBLE_LIBRARIES = {
    *("cel", "numpy", "pydantic", "pydantic_core", "transforms3d", "typing_extensions", "yaml"),
}

ROS = {
    *("action_msgs", "ament_index_python", "builtin_interfaces", "diagnostic_msgs"),
    *("control_msgs", "geometry_msgs", "hetwin", "launch", "launch_ros", "lifecycle_msgs"),
    *("nav_msgs", "rcl_interfaces", "rclpy", "rosgraph_msgs", "sensor_msgs", "std_msgs"),
    *("simulation_interfaces", "tf2_msgs", "tf2_ros", "trajectory_msgs", "unique_identifier_msgs"),
    "visualization_msgs",
}

ROS_ROOMS = {
    *("hetwin_core.wire", "conductor_node", "hetwin_suite.running"),
    "hetwin_suite._robots",
}
ROS_IN_PARTS = {
    "model_nodes": {"ros_node", "live"},
    "hetwin_suite.view": {"ros"},
    "hetwin_suite._study": {"publishing"},
}
"""Rooms of which only some files or folders may use ROS, by how their names start: they wrap models or follow nodes."""


@cache
def imports(file: Path) -> list[tuple[int, str]]:
    """Line and dotted name of everything that a file imports, wherever in the file; packages of ours in full."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(file.read_text(), str(file))):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: imports are absolute here"
            module = node.module or ""
            if module.partition(".")[0] in PACKAGES:
                found += ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
            else:
                found.append((node.lineno, module))
    return found


def room_of(module: str) -> str:
    """The room that a module of ours is in, the innermost first; a package's own name if in none."""
    inside = [room for room in ROOMS if f"{module}.".startswith(f"{room}.")]
    return max(inside, key=len, default=module.partition(".")[0])


def may_use_ros(room: str, inside: Path) -> bool:
    """Whether the file `inside` a room may import ROS, and what wraps it."""
    if room in ROS_IN_PARTS:
        return any(
            Path(part).stem.startswith(name) for part in inside.parts for name in ROS_IN_PARTS[room]
        )
    return room in ROS_ROOMS


def offence(room: str, inside: Path, module: str) -> str | None:
    """Why the file `inside` a room may not import `module`; None if it may."""
    top = module.partition(".")[0]
    if top in PACKAGES:
        other = room_of(module)
        if other == "hetwin_core.wire" and not may_use_ros(room, inside):
            return "no ROS here"
        return None if other in ROOMS[room] else f"{room} may import only {sorted(ROOMS[room])}"
    if top in ROS:
        return None if may_use_ros(room, inside) else "no ROS here"
    if room == "hetwin_core.ensemble" and top not in ENSEMBLE_LIBRARIES | sys.stdlib_module_names:
        return f"ensemble uses only the standard library and {sorted(ENSEMBLE_LIBRARIES)}"
    return None


def files_of(room: str) -> list[Path]:
    """The Python files of a room."""
    return sorted(ROOT.joinpath(*room.split(".")).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_imports_keep_to_the_rooms(room: str) -> None:
    files = files_of(room)
    assert files, f"the room {room} is empty"
    offences = []
    for file in files:
        for line, module in imports(file):
            why = offence(room, file.relative_to(ROOT.joinpath(*room.split("."))), module)
            if why is not None:
                offences.append(f"{file.relative_to(ROOT)}:{line}: imports {module}: {why}")
    assert not offences, "\n".join(offences)


def test_every_folder_of_a_package_belongs_to_a_room() -> None:
    for package in PACKAGES - set(ROOMS):
        inside = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        rooms = {room.partition(".")[2] for room in ROOMS if room.startswith(f"{package}.")}
        assert inside == rooms


@pytest.mark.parametrize(
    ("room", "inside", "module"),
    [
        ("hetwin_core.ensemble", "scene/scene.py", "rclpy.node"),
        ("hetwin_core.ensemble", "scene/scene.py", "hetwin_core.episodes.bag"),
        ("hetwin_core.ensemble", "scene/scene.py", "hetwin_core.wire.names"),
        ("hetwin_core.ensemble", "scene/scene.py", "rosbags.rosbag2"),
        ("model_nodes", "grasp_monitor/model.py", "rclpy"),
        ("model_nodes", "grasp_monitor/model.py", "hetwin_core.wire.messages"),
        ("model_nodes", "rigid_grasp.py", "conductor_node.node"),
        ("hetwin_core.episodes", "bag.py", "hetwin.msg"),
        ("hetwin_core.episodes", "bag.py", "hetwin_core.wire.names"),
        ("conductor_node", "node.py", "hetwin_suite.cli.main"),
    ],
)
def test_what_is_not_allowed_is_seen(room: str, inside: str, module: str) -> None:
    assert offence(room, Path(inside), module) is not None


def test_what_is_allowed_passes() -> None:
    assert offence("model_nodes", Path("ros_node/node.py"), "rclpy.node") is None
    assert offence("model_nodes", Path("ros_node/node.py"), "hetwin_core.wire.messages") is None
    assert offence("model_nodes", Path("main_physics/sources/live/source.py"), "rclpy") is None
    assert offence("hetwin_core.ensemble", Path("scene/scene.py"), "numpy.typing") is None


# ---------------------------------------------------------------------- every import leads to a file


def resolves(name: str) -> bool:
    """Whether a dotted name of ours is a module, a package, or something in one, in this checkout."""
    path = ROOT.joinpath(*name.split("."))
    within = path.parent
    return (
        path.with_suffix(".py").is_file()
        or (path / "__init__.py").is_file()
        or within.with_suffix(".py").is_file()
        or (within / "__init__.py").is_file()
    )


def test_every_import_of_ours_is_a_file_of_the_checkout() -> None:
    lost = [
        f"{file.relative_to(ROOT)}:{line}: {module}"
        for folder in (*PACKAGES, "test", "benchmarks", "examples", "launch")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for line, module in imports(file)
        if module.partition(".")[0] in PACKAGES and not resolves(module)
    ]
    assert not lost, "\n".join(lost)


def test_no_folder_of_the_sources_is_a_link() -> None:
    links = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_symlink()]
    assert not links


# ---------------------------------------------------------------------- circles


def arrows(package: str) -> Iterator[tuple[str, str]]:
    """Which child of which folder imports which other child of the same folder, as dotted names."""
    for file in sorted((ROOT / package).rglob("*.py")):
        here = file.relative_to(ROOT).with_suffix("").parts
        for _, module in imports(file):
            there = tuple(module.split("."))
            shared = 0
            while shared < min(len(here), len(there)) and here[shared] == there[shared]:
                shared += 1
            if 0 < shared < min(len(here), len(there)) and here[shared] != "__init__":
                yield ".".join(here[: shared + 1]), ".".join(there[: shared + 1])


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_nothing_imports_in_a_circle(package: str) -> None:
    graph: dict[str, set[str]] = {}
    for importing, imported in arrows(package):
        graph.setdefault(importing, set()).add(imported)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        circle = error.args[1]
        why = [f"{b} imports {a}" for a, b in pairwise(circle)]
        pytest.fail("\n".join(why))
