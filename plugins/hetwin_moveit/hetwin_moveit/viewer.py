"""The viewer of ``--viewer moveit``: see `Viewer` of hetwin_suite.viewer.

Changes are published on the topic ``planning_scene``, and sent to the service ``apply_planning_scene`` if a
move_group offers it. All objects are sent again when a subscriber or the service joins late.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetwin_moveit.allowed import allow_collisions, stands_on
from hetwin_moveit.believed import PlacedObject, SceneReader
from hetwin_moveit.diff import changes, state_after
from hetwin_moveit.messages import Types, Writer, types
from hetwin_suite.command import BadInput
from hetwin_suite.model import Floats
from hetwin_suite.viewer import Begun, Feed, Hands

if TYPE_CHECKING:
    from rclpy.node import Node

TOPIC, SERVICE, GET = "planning_scene", "apply_planning_scene", "get_planning_scene"
PADDED = "HETWIN_MOVEIT_PADDED"
"""Environment variable; 1: shapes grow with the uncertainty of the object's position."""
_PERIOD_S = 1 / 20
_KEPT = 100
_PATIENCE_S = 5.0


class PlanningSceneOfRun:
    """Keeps MoveIt's planning scene up to date in a thread of its own, until it is closed.

    Args:
        feed: states of the run.
        classes: message classes.

    Attributes:
        told, address: see `Shown`.
    """

    told = "MoveIt finds the objects of the run on"

    def __init__(self, feed: Feed, classes: Types) -> None:
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        self._feed, self._types = feed, classes
        self._padded = os.environ.get(PADDED) == "1"
        self._context = Context()
        self._context.init()
        self._node = Node("hetwin_moveit", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._publisher = self._node.create_publisher(classes.scene, TOPIC, _KEPT)
        self._client = _client(self._node, "ApplyPlanningScene", SERVICE)
        self._getter = _client(self._node, "GetPlanningScene", GET)
        self._matrix: Any = None
        self._is_allowed = False
        self.address = self._publisher.topic_name
        self._begun: Begun | None = None
        self._believed: SceneReader | None = None
        self._sent: dict[str, PlacedObject] = {}
        self._listeners = 0
        self._under_way: Any = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="moveit", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send the last state, and stop the node."""
        self._ends.set()
        self._thread.join()
        if self._under_way is not None:
            self._executor.spin_until_future_complete(self._under_way, _PATIENCE_S)
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.shutdown()

    def _serve(self) -> None:
        over = False
        while not over:
            over = self._ends.wait(_PERIOD_S)
            self._executor.spin_once(0.0)
            begun = self._feed.begun
            if begun is not None and begun is not self._begun:
                self._begun, self._sent = begun, {}
                self._believed = SceneReader(begun.layout, padded=self._padded)
                self._is_allowed = False
            self._look()

    def _look(self) -> None:
        now = self._feed.now()
        if now is None or self._believed is None:
            return
        if self._under_way is not None:
            if not self._under_way.done():
                return  # one request at a time; the next one includes all changes until then
            self._warn_of(self._under_way.result())
            self._under_way = None
        if self._new_listener():
            self._sent = {}
        placed = self._believed.at(now.values)
        diff = changes(self._sent, placed)
        matrix = self._allowed(now.values)
        if not diff and matrix is None:
            return
        message = Writer(self._believed, self._types).diff(placed, diff)
        if matrix is not None:
            message.allowed_collision_matrix = matrix
        self._publisher.publish(message)
        self._request(message)
        self._sent = state_after(self._sent, placed, diff)

    def _allowed(self, values: Floats) -> Any:
        """Return MoveIt's matrix with the contacts of the robot's base allowed, once per run.

        None: the matrix is not available yet, was already sent, or needs no change.
        """
        if self._is_allowed or self._getter is None or self._begun is None:
            return None
        if self._matrix is None:
            if self._getter.service_is_ready():
                request = self._getter.srv_type.Request()
                request.components.components = request.components.ALLOWED_COLLISION_MATRIX
                self._matrix = self._getter.call_async(request)
            return None
        if not self._matrix.done():
            return None
        from moveit_msgs.msg import AllowedCollisionEntry

        assert self._believed is not None  # there is a state
        self._is_allowed, response = True, self._matrix.result()
        self._matrix = None
        others = stands_on(self._begun.layout, self._believed, values)
        if response is None or not others:
            return None
        matrix = response.scene.allowed_collision_matrix
        return allow_collisions(matrix, self._believed.root, others, AllowedCollisionEntry)

    def _new_listener(self) -> bool:
        """Return whether a subscriber or the service has joined since the last call."""
        is_ready = self._client is not None and self._client.service_is_ready()
        before, self._listeners = (
            self._listeners,
            self._publisher.get_subscription_count() + int(is_ready),
        )
        return self._listeners > before

    def _warn_of(self, response: Any) -> None:
        if response is not None and not response.success:
            self._node.get_logger().warning(
                f"{SERVICE} refused a change; does the robot of the run have the links of MoveIt's?",
                once=True,
            )

    def _request(self, message: Any) -> None:
        if self._client is None or not self._client.service_is_ready():
            return
        request = self._client.srv_type.Request()
        request.scene = message
        self._under_way = self._client.call_async(request)


def follow(feed: Feed, _hands: Hands, port: int) -> PlanningSceneOfRun:
    """Keep the planning scene up to date during a run.

    Raises:
        BadInput: if a port is given, or ROS 2 or MoveIt's messages are not installed.
    """
    if port:
        raise BadInput(
            "a planning scene has no port",
            where="--viewer",
            found=f"moveit={port}",
            expected="moveit; ROS_DOMAIN_ID says where MoveIt is",
        )
    return PlanningSceneOfRun(feed, types())


def play(run: Path, _port: int) -> PlanningSceneOfRun:
    """Refuse to show a run that is over.

    Raises:
        BadInput: always; MoveIt plans for the present.
    """
    raise BadInput(
        "MoveIt plans for now, and this run is over",
        where="--viewer",
        found=str(run),
        expected="hetwin run SCENARIO --viewer moveit",
    )


def _client(node: Node, kind: str, name: str) -> Any:
    """Return a client of one of MoveIt's services; None if moveit_msgs is not installed."""
    try:
        from moveit_msgs import srv
    except ImportError:
        return None
    made = getattr(srv, kind, None)
    return None if made is None else node.create_client(made, name)
