"""Which room of the house may import what."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUITE = "hetwin_suite"

ROOMS = {
    "ensemble": {"ensemble"},
    "model_nodes": {"model_nodes", "ensemble"},
    "conductor_node": {"conductor_node", "ensemble", "projection"},  # it writes the log
    "projection": {"projection", "ensemble"},
    "proving_ground": {"proving_ground", "ensemble", "model_nodes", "conductor_node", "projection"},
    "hetwin_cli": {
        *("hetwin_cli", "ensemble", "model_nodes", "conductor_node"),
        *("projection", "proving_ground"),
    },
}
"""Room -> rooms that it may import."""

ENSEMBLE_LIBRARIES = {"cel", "numpy", "pydantic", "transforms3d", "yaml"}

ROS = {
    *(
        "action_msgs",
        "ament_index_python",
        "builtin_interfaces",
        "diagnostic_msgs",
        "geometry_msgs",
    ),
    *(
        "hetwin",
        "launch",
        "launch_ros",
        "lifecycle_msgs",
        "rcl_interfaces",
        "rclpy",
        "rosgraph_msgs",
    ),
    *(
        "sensor_msgs",
        "std_msgs",
        "simulation_interfaces",
        "tf2_msgs",
        "tf2_ros",
        "unique_identifier_msgs",
        "visualization_msgs",
    ),
}

ROS_ROOMS = {"conductor_node", "proving_ground", "hetwin_cli"}
ROS_IN_MODEL_NODES = {"ros_node", "live"}
"""Of model_nodes, the wrapper and the live source may use ROS: files or folders whose name starts so."""


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(file.read_text(), str(file))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: imports are absolute here"
            module = node.module or ""
            if module == SUITE:
                yield from ((node.lineno, f"{SUITE}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


def may_use_ros(room: str, inside: Path) -> bool:
    """Whether the file `inside` a room may import ROS."""
    if room == "model_nodes":
        return any(
            Path(part).stem.startswith(name) for part in inside.parts for name in ROS_IN_MODEL_NODES
        )
    return room in ROS_ROOMS


def offence(room: str, inside: Path, module: str) -> str | None:
    """Why the file `inside` a room may not import `module`; None if it may."""
    top, *rest = module.split(".")
    if top == SUITE:
        other = rest[0] if rest else ""
        return None if other in ROOMS[room] else f"{room} may import only {sorted(ROOMS[room])}"
    if top in ROOMS:
        return f"rooms are imported as {SUITE}.{top}"
    if top in ROS:
        return None if may_use_ros(room, inside) else "no ROS here"
    if room == "ensemble" and top not in ENSEMBLE_LIBRARIES | sys.stdlib_module_names:
        return f"ensemble uses only the standard library and {sorted(ENSEMBLE_LIBRARIES)}"
    return None


@pytest.mark.parametrize("room", ROOMS)
def test_imports_keep_to_the_rooms(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files, f"the room {room} is empty"
    offences = []
    for file in files:
        for line, module in imports(file):
            why = offence(room, file.relative_to(ROOT / room), module)
            if why is not None:
                offences.append(f"{file.relative_to(ROOT)}:{line}: imports {module}: {why}")
    assert not offences, "\n".join(offences)


def test_every_room_is_reached_through_the_suite() -> None:
    reached = {path.name for path in (ROOT / SUITE).iterdir() if path.is_dir()} - {"__pycache__"}
    assert reached == set(ROOMS)


@pytest.mark.parametrize(
    ("room", "inside", "module"),
    [
        ("ensemble", "scene.py", "rclpy.node"),
        ("ensemble", "scene.py", "hetwin_suite.projection.bag"),
        ("ensemble", "scene.py", "rosbags.rosbag2"),
        ("ensemble", "scene.py", "ensemble.values"),
        ("model_nodes", "grasp_monitor/model.py", "rclpy"),
        ("model_nodes", "rigid_grasp.py", "hetwin_suite.conductor_node"),
        ("projection", "bag.py", "hetwin.msg"),
    ],
)
def test_what_is_not_allowed_is_seen(room: str, inside: str, module: str) -> None:
    assert offence(room, Path(inside), module) is not None


def test_what_is_allowed_passes() -> None:
    assert offence("model_nodes", Path("ros_node.py"), "rclpy.node") is None
    assert offence("model_nodes", Path("main_physics/sources/live.py"), "rclpy") is None
    assert offence("ensemble", Path("scene.py"), "numpy.typing") is None
