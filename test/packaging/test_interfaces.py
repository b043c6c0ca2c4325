"""The generated interfaces and the files beside them, as an installation has them."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.ros_domains import VARIABLE

from hetwin_core.ensemble.resources import resource

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    source for kind in ("msg", "srv", "action") for source in (ROOT / kind).glob(f"*.{kind}")
)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_interface_is_generated(source: Path) -> None:
    module = importlib.import_module(f"hetwin.{source.parent.name}")
    interface = getattr(module, source.stem)
    assert interface.__name__ == source.stem


@pytest.mark.parametrize("source", sorted((ROOT / "msg").glob("*.msg")), ids=lambda path: path.stem)
def test_messages_have_the_fields_of_the_checkout(source: Path) -> None:
    code = [line.split("#")[0].split() for line in source.read_text().splitlines()]
    fields = [words[1] for words in code if len(words) >= 2 and "=" not in "".join(words)]
    message = getattr(importlib.import_module("hetwin.msg"), source.stem)
    assert list(message.get_fields_and_field_types()) == fields, (
        "the interfaces changed since they were compiled: run make install"
    )


def test_a_message_survives_the_wire() -> None:
    from rclpy.serialization import deserialize_message, serialize_message

    from hetwin.msg import SceneState

    sent = SceneState(step=7, values=[0.1, -2.0], owners=[3], parents=[-1])
    assert deserialize_message(serialize_message(sent), SceneState) == sent


def test_nodes_need_no_environment_variables() -> None:
    """A fresh process without any variable but the domain imports the interfaces and makes a node."""
    code = (
        "import rclpy; from hetwin.srv import StopSimulation; rclpy.init();"
        "node = rclpy.create_node('bare'); node.create_service(StopSimulation, 'stop', lambda q, a: a);"
        "print(node.get_name())"
    )
    kept = {name: os.environ[name] for name in ("HOME", "PATH", VARIABLE) if name in os.environ}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=kept, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["bare"]


@pytest.mark.parametrize("folder", ["launch", "msg", "scenarios", "urdf", "worlds"])
def test_resources_are_found(folder: str) -> None:
    assert any(resource(folder).iterdir())


def test_the_message_of_tf_is_the_one_of_ros() -> None:
    """Frames reach subscribers of other installations only if the type's hash is the same."""
    from tf2_msgs.msg import TFMessage

    from hetwin_core.episodes.messages import typestore

    hashes = json.loads(described("tf2_msgs", "TFMessage"))["type_hashes"]
    of = {entry["type_name"]: entry["hash_string"] for entry in hashes}
    assert of["tf2_msgs/msg/TFMessage"] == typestore().hash_rihs01("tf2_msgs/msg/TFMessage")
    assert list(TFMessage.get_fields_and_field_types()) == ["transforms"]


def described(package: str, message: str) -> str:
    """The description of a message type that an installation keeps beside its definition."""
    prefixes = [Path(sys.prefix), *map(Path, os.environ.get("AMENT_PREFIX_PATH", "").split(":"))]
    files = (prefix / "share" / package / "msg" / f"{message}.json" for prefix in prefixes)
    return next(file for file in files if file.is_file()).read_text("utf-8")
