"""A program that knows nothing of hetwin's: it looks at a world through Gazebo's transport, and prints what it saw.

Usage: gazebo_listener.py PARTITION WORLD. It prints a line when it listens, and JSON when its input ends.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

from hetwin_gazebo.bindings import gazebo


def main(partition: str, world: str) -> None:
    """Listen until the input ends."""
    gz = gazebo()
    options = gz.transport.NodeOptions()
    options.partition = partition
    node = gz.transport.Node(options)
    heard: list[Any] = []
    poses = gz.message("pose_v_pb2", "Pose_V")
    assert node.subscribe(poses, f"/world/{world}/pose/info", heard.append)
    print("listening", flush=True)
    scene: dict[str, Any] = {}
    asked = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), asked.set()), daemon=True).start()
    while not asked.is_set():
        if heard and not scene:
            scene = _scene(gz, node, world)
        time.sleep(0.02)
    rows = [_row(message) for message in heard]
    print(json.dumps({"scene": scene, "poses": rows}), flush=True)


def _scene(gz: Any, node: Any, world: str) -> dict[str, Any]:
    """Model -> its id, and link -> id and number of visuals; empty if Gazebo does not respond yet."""
    empty, kind = gz.message("empty_pb2", "Empty"), gz.message("scene_pb2", "Scene")
    done, told = node.request(f"/world/{world}/scene/info", empty(), empty, kind, 1000)
    if not done:
        return {}
    return {
        model.name: {
            "id": model.id,
            "links": {link.name: [link.id, len(link.visual)] for link in model.link},
        }
        for model in told.model
    }


def _row(message: Any) -> dict[str, Any]:
    """When the poses were, and id -> x y z, qw qx qy qz."""
    stamp = message.header.stamp
    poses = {}
    for pose in message.pose:
        at, turn = pose.position, pose.orientation
        poses[pose.id] = [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z]
    return {"time": stamp.sec + 1e-9 * stamp.nsec, "poses": poses}


if __name__ == "__main__":
    main(*sys.argv[1:])
