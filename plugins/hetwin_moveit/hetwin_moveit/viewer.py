"""The viewer of ``--viewer moveit``: see `Viewer` of hetwin_suite.viewer.

Changes are published on the topic ``planning_scene``, and sent to the service ``apply_planning_scene`` if a
move_group offers it. All objects are sent again when a subscriber or the service joins late.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetwin_moveit.allowed import allow_collisions, bodies_touching_base
from hetwin_moveit.believed import PlacedObject, SceneReader
from hetwin_moveit.diff import difference, state_after
from hetwin_moveit.messages import MessageTypes, MessageWriter, import_types
from hetwin_suite.command import BadInput
from hetwin_suite.model import Floats
from hetwin_suite.viewer import Feed, RunControls, RunFacts

if TYPE_CHECKING:
    from rclpy.node import Node

TOPIC, SERVICE, GET = "planning_scene", "apply_planning_scene", "get_planning_scene"
PADDED_VARIABLE = "HETWIN_MOVEIT_PADDED"
"""Environment variable; 1: shapes grow with the uncertainty of the object's position."""
_PERIOD_S = 1 / 20
_QUEUE_DEPTH = 100
_RESPONSE_TIMEOUT_S = 5.0


class PlanningSceneOfRun:
    """Keeps MoveIt's planning scene up to date in a thread of its own, until it is closed.

    Args:
        feed: states of the run.
        classes: message classes.

    Attributes:
        told, address: see `ShownRun`.
    """

    told = "MoveIt finds the objects of the run on"

    def __init__(self, feed: Feed, classes: MessageTypes) -> None:
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        self._feed, self._types = feed, classes
        self._padded = os.environ.get(PADDED_VARIABLE) == "1"
        self._context = Context()
        self._context.init()
        self._node = Node("hetwin_moveit", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._publisher = self._node.create_publisher(classes.scene, TOPIC, _QUEUE_DEPTH)
        self._client = _make_client(self._node, "ApplyPlanningScene", SERVICE)
        self._getter = _make_client(self._node, "GetPlanningScene", GET)
        self._matrix: Any = None
        self._is_allowed = False
        self.address = self._publisher.topic_name
        self._run_start: RunFacts | None = None
        self._believed: SceneReader | None = None
        self._sent: dict[str, PlacedObject] = {}
        self._listeners = 0
        self._pending: Any = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="moveit", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send the last state, and stop the node."""
        self._stopping.set()
        self._thread.join()
        if self._pending is not None:
            self._executor.spin_until_future_complete(self._pending, _RESPONSE_TIMEOUT_S)
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.shutdown()

    def _serve(self) -> None:
        stopped = False
        while not stopped:
            stopped = self._stopping.wait(_PERIOD_S)
            self._executor.spin_once(0.0)
            run_start = self._feed.begun
            if run_start is not None and run_start is not self._run_start:
                self._run_start, self._sent = run_start, {}
                self._believed = SceneReader(run_start.layout, padded=self._padded)
                self._is_allowed = False
            self._update()

    def _update(self) -> None:
        state = self._feed.now()
        if state is None or self._believed is None:
            return
        if self._pending is not None:
            if not self._pending.done():
                return  # one request at a time; the next one includes all changes until then
            self._warn_if_refused(self._pending.result())
            self._pending = None
        if self._has_new_listener():
            self._sent = {}
        placed = self._believed.at(state.values)
        diff = difference(self._sent, placed)
        matrix = self._allowed(state.values)
        if not diff and matrix is None:
            return
        message = MessageWriter(self._believed, self._types).diff(placed, diff)
        if matrix is not None:
            message.allowed_collision_matrix = matrix
        self._publisher.publish(message)
        self._request(message)
        self._sent = state_after(self._sent, placed, diff)

    def _allowed(self, values: Floats) -> Any:
        """Return MoveIt's matrix with the contacts of the robot's base allowed, once per run.

        None: the matrix is not available yet, was already sent, or needs no change.
        """
        if self._is_allowed or self._getter is None or self._run_start is None:
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
        others = bodies_touching_base(self._run_start.layout, self._believed, values)
        if response is None or not others:
            return None
        matrix = response.scene.allowed_collision_matrix
        return allow_collisions(matrix, self._believed.root, others, AllowedCollisionEntry)

    def _has_new_listener(self) -> bool:
        """Return whether a subscriber or the service has joined since the last call."""
        is_ready = self._client is not None and self._client.service_is_ready()
        previous, self._listeners = (
            self._listeners,
            self._publisher.get_subscription_count() + int(is_ready),
        )
        return self._listeners > previous

    def _warn_if_refused(self, response: Any) -> None:
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
        self._pending = self._client.call_async(request)


def follow(feed: Feed, _hands: RunControls, port: int) -> PlanningSceneOfRun:
    """Keep the planning scene up to date during a run.

    Raises:
        BadInput: if a port is given, or ROS 2 or MoveIt's messages are not installed.
    """
    if port:
        raise BadInput(
            "a planning scene has no port",
            where="--viewer",
            found=f"moveit={port}",
            expected="moveit; ROS_DOMAIN_ID selects the domain of MoveIt",
        )
    return PlanningSceneOfRun(feed, import_types())


def play(run: Path, _port: int) -> PlanningSceneOfRun:
    """Raise the error for a run that is over.

    Raises:
        BadInput: always; MoveIt shows only runs in progress.
    """
    raise BadInput(
        "MoveIt shows only runs in progress, and this run is over",
        where="--viewer",
        found=str(run),
        expected="hetwin run SCENARIO --viewer moveit",
    )


def _make_client(node: Node, kind: str, name: str) -> Any:
    """Return a client of one of MoveIt's services; None if moveit_msgs is not installed."""
    try:
        from moveit_msgs import srv
    except ImportError:
        return None
    service = getattr(srv, kind, None)
    return None if service is None else node.create_client(service, name)
