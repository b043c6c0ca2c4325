"""What action servers, grippers and behaviour trees publish in a recording becomes events, without being named."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore
from support.action_messages import (
    ABORTED,
    EXECUTING,
    REQUEST_RECEIVED,
    REQUEST_SENT,
    RESPONSE_RECEIVED,
    RESPONSE_SENT,
    SUCCEEDED,
    controller,
    goals,
    got_result,
    gripper,
    parallel_gripper,
    sent_goal,
    trajectory,
    tree,
    uuid,
)
from support.recorded_bags import EPOCH_NS, MS, TYPES, Recorded, sine, storage_file, write_bag

from hetwin_core.ensemble.events import Event, EventKind, is_announced_action
from hetwin_core.episodes.derived import pair_annotations
from model_nodes.main_physics.sources.action_types import (
    CONTROLLER,
    DEFINITIONS,
    GRIPPER,
    PY_TREE,
    TRAJECTORY,
    message_of,
)
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.factory import open_source

GRIP, ARM = "/robot/gripper_cmd", "/arm_controller/follow_joint_trajectory"
STATE = "/arm_controller/controller_state"
ALL_NS = 2_000 * MS


def events(
    folder: Path, *said: Recorded, undefined: Sequence[str] = (), **more: object
) -> list[Event]:
    """The events of a recording with these messages."""
    made = sorted([*sine(), *said], key=lambda one: one.time_ns)
    folder = write_bag(folder / "bag", made, undefined=undefined)
    source = open_source({"recording": str(folder), **more})
    return source.events(ALL_NS)


def shown(found: list[Event]) -> list[tuple[str, int, object]]:
    """Name, time in ms and phase of actions."""
    assert {event.kind for event in found} <= {EventKind.ACTION}
    return [(one.name, one.time_ns // MS, one.arguments["phase"]) for one in found]


def test_goals_begin_and_end_an_operation(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        goals(100 * MS, GRIP, {9: SUCCEEDED}),  # it had ended before
        goals(200 * MS, GRIP, {9: SUCCEEDED, 1: EXECUTING}),
        goals(300 * MS, GRIP, {9: SUCCEEDED, 1: EXECUTING, 2: EXECUTING}),
        goals(500 * MS, GRIP, {1: ABORTED, 2: EXECUTING}),
        goals(600 * MS, GRIP, {1: ABORTED, 2: SUCCEEDED, 3: SUCCEEDED}),
    )
    assert shown(found) == [
        ("gripper_cmd", 200, "begin"),
        ("gripper_cmd", 300, "begin"),
        ("gripper_cmd", 500, "end"),
        ("gripper_cmd", 600, "end"),
        ("gripper_cmd", 600, "begin"),
        ("gripper_cmd", 600, "end"),
    ]
    end = found[2].arguments
    assert (end["action"], end["goal_id"], end["result"]) == (GRIP, "01010101", "aborted")
    paired = pair_annotations(found, 0, ALL_NS)
    spans = {one.arguments["goal_id"]: (one.begin_ns, one.end_ns) for one in paired}
    assert spans["01010101"] == (200 * MS, 500 * MS)
    assert spans["02020202"] == (300 * MS, 600 * MS)


def test_a_gripper_says_when_it_stalls_and_no_longer_does(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        gripper(200 * MS, GRIP, 0.04),
        gripper(300 * MS, GRIP, 0.0249, stalled=True),
        gripper(400 * MS, GRIP, 0.0249, stalled=True),
        gripper(500 * MS, GRIP, 0.03, goal=2),
        gripper(600 * MS, GRIP, float("nan"), goal=2, reached=True),
    )
    assert shown(found) == [("gripper_says", at, "instant") for at in (300, 500, 600)]
    said = [
        (e.arguments["stalled"], e.arguments["reached_goal"], e.arguments["position"])
        for e in found
    ]
    assert said == [(True, False, 0.0249), (False, False, 0.03), (False, True, None)]
    assert found[0].arguments["action"] == GRIP


def test_a_parallel_gripper_names_its_joint(tmp_path: Path) -> None:
    (said,) = events(tmp_path, parallel_gripper(300 * MS, GRIP, "jaw", 0.012, stalled=True))
    assert (said.arguments["joint"], said.arguments["position"]) == ("jaw", 0.012)


def test_a_controller_says_how_far_off_a_joint_is_when_that_has_doubled(tmp_path: Path) -> None:
    errors = [(0.01, 0.02), (0.01, -0.06), (0.01, -0.09), (0.3, 0.02)]
    made = [
        trajectory((200 + 100 * k) * MS, ARM, ("a", "b"), error) for k, error in enumerate(errors)
    ]
    found = events(tmp_path, *made, trajectory(700 * MS, ARM, ("a", "b"), (0.07, 0.0), goal=2))
    said = [(e.time_ns // MS, e.arguments["joint"], e.arguments["error"]) for e in found]
    assert said == [(300, "b", 0.06), (500, "a", 0.3), (700, "a", 0.07)]
    assert {event.name for event in found} == {"trajectory_says"}


def test_nodes_of_a_behaviour_tree_are_operations(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        tree(200 * MS, ("Pick", "RUNNING"), ("IsReady", "SUCCESS")),
        tree(600 * MS, ("Pick", "FAILURE")),
    )
    assert shown(found) == [("Pick", 200, "begin"), ("Pick", 600, "end")]
    assert found[1].arguments["result"] == "failure"


def test_named_annotations_are_all_that_is_read(tmp_path: Path) -> None:
    made = [goals(200 * MS, name, {1: EXECUTING}) for name in (GRIP, ARM)]
    named = [{"topic": f"{ARM}/_action/status"}]
    found = events(tmp_path, *made, annotations=named)
    assert shown(found) == [("follow_joint_trajectory", 200, "begin")]


@pytest.mark.parametrize("version", range(len(DEFINITIONS[TRAJECTORY])))
def test_versions_of_a_type_that_is_not_defined(tmp_path: Path, version: int) -> None:
    """The recorder leaves the definition of a hidden topic empty; which version it is shows in the bytes."""
    store = stored(TRAJECTORY, version)
    kind = store.types[TRAJECTORY.removesuffix("Message")]
    said = trajectory(500 * MS, ARM, ("a", "b"), (0.0, 0.2), kind=kind).message
    older = store.types[TRAJECTORY](goal_id=said.goal_id, feedback=said.feedback)
    raw = bytes(store.serialize_cdr(older, TRAJECTORY))
    (said,) = events(tmp_path, Recorded(f"{ARM}/_action/feedback", TRAJECTORY, 500 * MS, raw))
    assert said.arguments["error"] == pytest.approx(0.2)
    assert np.isclose(said.time_ns, 500 * MS)


@pytest.mark.parametrize("version", range(len(DEFINITIONS[CONTROLLER])))
def test_versions_of_a_controllers_state(tmp_path: Path, version: int) -> None:
    """As recorded before recorders kept definitions in SQLite files."""
    store = stored(CONTROLLER, version)
    one = controller(500 * MS, STATE, ("a", "b"), (0.0, -0.2), store.types[CONTROLLER])
    raw = bytes(store.serialize_cdr(one.message, CONTROLLER))
    found = events(tmp_path, Recorded(STATE, CONTROLLER, 500 * MS, raw), undefined=[CONTROLLER])
    # A package that is installed beside may read more of it.
    (said,) = [event for event in found if event.name == "trajectory_says"]
    assert (said.arguments["joint"], said.arguments["error"]) == ("b", pytest.approx(0.2))


def stored(type_name: str, version: int) -> Typestore:
    """The types with one version of a definition."""
    store = get_typestore(Stores.LATEST)
    store.register(get_types_from_msg(DEFINITIONS[type_name][version], type_name))
    return store


def test_a_controller_says_how_far_off_a_joint_is_until_it_is_back(tmp_path: Path) -> None:
    errors = (0.01, -0.06, -0.09, 0.13, 0.02, 0.06)
    made = [
        controller((200 + 100 * k) * MS, STATE, ("a", "b"), (0.0, error))
        for k, error in enumerate(errors)
    ]
    found = [e for e in events(tmp_path, *made) if e.name == "trajectory_says"]
    assert shown(found) == [("trajectory_says", at, "instant") for at in (300, 500, 700)]
    assert [event.arguments["error"] for event in found] == [0.06, 0.13, 0.06]
    assert {event.arguments["controller"] for event in found} == {"/arm_controller"}
    assert not any(map(is_announced_action, found))


def test_states_at_high_rates_are_looked_at_now_and_then(tmp_path: Path) -> None:
    """Of a kilohertz each 20th message is read; an error that lasts is seen."""
    made = [
        controller((200 + k) * MS, STATE, ("a", "b"), (0.0, 0.2 if 55 < k < 85 else 0.0))
        for k in range(200)
    ]
    found = [e for e in events(tmp_path, *made) if e.name == "trajectory_says"]
    assert [event.time_ns // MS for event in found] == [260]


def test_goals_and_results_of_introspected_services(tmp_path: Path) -> None:
    """Client and server are introspected, so that each call is there twice."""
    found = events(
        tmp_path,
        sent_goal(200 * MS, GRIP, 0.01, event=REQUEST_SENT),
        sent_goal(201 * MS, GRIP, 0.01, event=REQUEST_RECEIVED),
        sent_goal(202 * MS, GRIP, 0.01, event=RESPONSE_SENT),
        got_result(203 * MS, GRIP, event=REQUEST_SENT),
        got_result(204 * MS, GRIP, event=REQUEST_RECEIVED),
        got_result(700 * MS, GRIP, 0.0249, stalled=True),
        got_result(701 * MS, GRIP, 0.0249, stalled=True, event=RESPONSE_RECEIVED),
        got_result(900 * MS, GRIP, 0.04, goal=2, status=ABORTED),
    )
    assert shown(found) == [
        ("goal_sent", 200, "instant"),
        ("gripper_says", 700, "instant"),
        ("gripper_says", 900, "instant"),
    ]
    goal, result, unasked = (event.arguments for event in found)
    assert (goal["action"], goal["goal_id"], goal["position"]) == (GRIP, "01010101", 0.01)
    assert goal["max_effort"] == 40.0
    assert (result["goal_id"], result["result"]) == ("01010101", "succeeded")
    assert (result["stalled"], result["reached_goal"]) == (True, False)
    assert (result["position"], result["effort"]) == (0.0249, 12.0)
    assert (unasked["goal_id"], unasked["result"]) == (None, "aborted")


GRASP = """\
float64 width # [m]
Tolerance epsilon
---
bool success
string error
---
float64 current_width
"""
GRASPED = "franka_msgs/action/Grasp_GetResult_Event"


def test_the_result_of_an_action_that_only_the_recording_defines(tmp_path: Path) -> None:
    """Newer recorders keep the action's own file, with what it uses, in place of the message's definition."""
    text = (
        f"{GRASP}{'=' * 80}\nMSG: franka_msgs/Tolerance\nfloat64 inner 0.005\nfloat64 outer 0.005\n"
    )
    store = get_typestore(Stores.LATEST)
    store.register(get_types_from_msg(message_of(GRASPED, text), GRASPED))
    info = store.types["service_msgs/msg/ServiceEventInfo"](
        event_type=2,
        stamp=got_result(0, GRIP).message.info.stamp,
        client_gid=np.zeros(16, np.uint8),
        sequence_number=1,
    )
    result = store.types["franka_msgs/action/Grasp_Result"](success=True, error="")
    response = store.types["franka_msgs/action/Grasp_GetResult_Response"](status=4, result=result)
    message = store.types[GRASPED](info=info, request=[], response=[response])
    raw = bytes(store.serialize_cdr(message, GRASPED))
    topic = "/franka_gripper/grasp/_action/get_result/_service_event"
    folder = write_own(tmp_path, topic, GRASPED, text, [(300 * MS, raw)])
    (said,) = open_source(folder).events(ALL_NS)
    assert (said.name, said.arguments["action"]) == ("result_got", "/franka_gripper/grasp")
    assert (said.arguments["result"], said.arguments["success"]) == ("succeeded", True)


def test_feedback_that_the_actions_own_file_defines(tmp_path: Path) -> None:
    """With other fields than those that are known."""
    feedback = "bool reached_goal\nbool stalled\nfloat32 position\nfloat32 effort\n"
    text = f"float64 position\n---\nbool stalled\n---\n{feedback}"
    store = get_typestore(Stores.LATEST)
    store.register(get_types_from_msg(message_of(GRIPPER, text), GRIPPER))
    said = store.types[GRIPPER.removesuffix("Message")](
        stalled=True, reached_goal=False, position=0.5, effort=2.0
    )
    message = store.types[GRIPPER](goal_id=uuid(1), feedback=said)
    raw = bytes(store.serialize_cdr(message, GRIPPER))
    folder = write_own(tmp_path, f"{GRIP}/_action/feedback", GRIPPER, text, [(300 * MS, raw)])
    (event,) = open_source(folder).events(ALL_NS)
    assert (event.arguments["stalled"], event.arguments["position"]) == (True, 0.5)


def test_an_sqlite_file_whose_recorder_left_definitions_empty(tmp_path: Path) -> None:
    made = sorted(
        [*sine(), gripper(300 * MS, GRIP, 0.02, stalled=True)], key=lambda one: one.time_ns
    )
    folder = write_bag(tmp_path / "bag", made, storage=StoragePlugin.SQLITE3)
    with closing(sqlite3.connect(storage_file(folder))) as stored:
        empty = "UPDATE message_definitions SET encoding='' WHERE encoded_message_definition=''"
        assert stored.execute(empty).rowcount == 1
        stored.commit()
    assert shown(open_source(folder).events(ALL_NS)) == [("gripper_says", 300, "instant")]


def write_own(
    folder: Path, topic: str, type_name: str, text: str, said: Sequence[tuple[int, bytes]]
) -> Path:
    """A recording with a topic whose type it defines itself."""
    with Writer(folder / "own", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        own = writer.add_connection(topic, type_name, msgdef=text, rihs01="RIHS01_0")
        for time_ns, raw in said:
            writer.write(own, EPOCH_NS + time_ns, raw)
        copied = writer.add_connection("/joint_states", JOINT_STATE, typestore=TYPES)
        for one in sine():
            states = bytes(TYPES.serialize_cdr(one.message, one.type))
            writer.write(copied, EPOCH_NS + one.time_ns, states)
    return folder / "own"


def test_a_tree_of_py_trees(tmp_path: Path) -> None:
    text = (
        f"py_trees_ros_interfaces/Behaviour[] behaviours\n{'=' * 80}\n"
        "MSG: py_trees_ros_interfaces/Behaviour\nstring name\n"
        f"unique_identifier_msgs/UUID own_id\nuint8 status\n{'=' * 80}\n"
        "MSG: unique_identifier_msgs/UUID\nuint8[16] uuid\n"
    )
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, PY_TREE))
    node = store.types["py_trees_ros_interfaces/msg/Behaviour"]
    identity = store.types["unique_identifier_msgs/msg/UUID"]

    def tree_of(*states: int) -> bytes:
        nodes = [
            node(name="Pick", own_id=identity(uuid=np.full(16, i, np.uint8)), status=state)
            for i, state in enumerate(states)
        ]
        return bytes(store.serialize_cdr(store.types[PY_TREE](behaviours=nodes), PY_TREE))

    said = [(200 * MS, tree_of(2, 1)), (300 * MS, tree_of(2, 2)), (600 * MS, tree_of(2, 4))]
    found = open_source(write_own(tmp_path, "/tree/snapshots", PY_TREE, text, said)).events(ALL_NS)
    assert shown(found) == [("Pick", 200, "begin"), ("Pick", 300, "begin"), ("Pick", 600, "end")]
    assert (found[2].arguments["tree_node"], found[2].arguments["result"]) == (
        "01010101",
        "failure",
    )


def test_definitions_in_the_recording_hold(tmp_path: Path) -> None:
    """One that lists the fields in another order than the usual definition."""
    feedback = GRIPPER.removesuffix("Message")
    text = (
        f"unique_identifier_msgs/UUID goal_id\n{feedback} feedback\n"
        f"{'=' * 80}\nMSG: unique_identifier_msgs/UUID\nuint8[16] uuid\n"
        f"{'=' * 80}\nMSG: {feedback}\nbool stalled\nbool reached_goal\nfloat32 position\nfloat32 effort\n"
    )
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, GRIPPER))
    said = store.types[feedback](stalled=True, reached_goal=False, position=0.5, effort=2.0)
    identity = store.types["unique_identifier_msgs/msg/UUID"](uuid=np.full(16, 1, np.uint8))
    message = store.types[GRIPPER](goal_id=identity, feedback=said)
    raw = bytes(store.serialize_cdr(message, GRIPPER))
    folder = write_own(tmp_path, f"{GRIP}/_action/feedback", GRIPPER, text, [(300 * MS, raw)])
    (event,) = open_source(folder).events(ALL_NS)
    assert (event.arguments["stalled"], event.arguments["position"]) == (True, 0.5)


def test_what_cannot_be_read_is_said_and_does_not_refuse_the_recording(tmp_path: Path) -> None:
    odd = Recorded(f"{GRIP}/_action/feedback", GRIPPER, 300 * MS, b"\x00\x01\x00\x00\x07")
    folder = write_bag(tmp_path / "bag", sorted([*sine(), odd], key=lambda one: one.time_ns))
    source = open_source(folder)
    assert source.events(ALL_NS) == []
    (note,) = (one for one in source.notes if "not read" in one)
    assert f"{GRIP}/_action/feedback ({GRIPPER})" in note
