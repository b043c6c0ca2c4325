"""Tasks and beliefs of a recording become events at their times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.mobile_recordings import ODOMETRY, POSE, WITH_COVARIANCE, posed
from support.recorded_bags import MS, plain, sine, write_bag

from hetwin_core.ensemble.beliefs import BeliefFields, belief_fields, belief_problem
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.tasks import task_fields
from hetwin_suite._robots.telling import ProgramMessages
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plans import Plans

BOX = (0.4, 0.2, 0.8, 1.0, 0.0, 0.0, 0.0)
CUP = (0.1, 0.0, 0.9, 0.6, 0.8, 0.0, 0.0)
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a recording of two joints with what is told."""

    def made(telling: ProgramMessages, *more: Any) -> Path:
        moving = sorted([*sine(), *more], key=lambda message: message.time_ns)
        return telling.add_to(write_bag(tmp_path / "plain", moving), tmp_path / "told")

    return made


def played(folder: Path, **spec: Any) -> list[Event]:
    """All events of a recording that a scenario names with these keys."""
    source = open_source({"recording": str(folder), **spec})
    try:
        return source.events(2_000 * MS)
    finally:
        source.close()


def beliefs(folder: Path, **spec: Any) -> list[tuple[int, BeliefFields]]:
    """Times [ms] and fields of the beliefs."""
    return [
        (event.time_ns // MS, belief_fields(event))
        for event in played(folder, **spec)
        if event.kind is EventKind.BELIEF
    ]


def test_tasks_of_a_recording_are_read_without_being_named(make: Make) -> None:
    telling = ProgramMessages()
    goal = 'on("box", "tray")'
    telling.task(
        *(0.5, "place.1", "created", "place"),
        goal=goal,
        parent="serve",
        after=["look.1"],
        variables={"hand": "left"},
    )
    telling.task(0.7, "place.1", "active")
    telling.task(0.9, "place.1", "failed", reason="slipped")
    found = played(make(telling))
    assert [(e.name, e.time_ns // MS, e.kind, e.source, e.sequence) for e in found] == [
        ("place", 500, EventKind.TASK, "/tasks", 0),
        ("place", 700, EventKind.TASK, "/tasks", 1),
        ("place", 900, EventKind.TASK, "/tasks", 2),
    ]
    for event, status, reason in zip(
        found, ("created", "active", "failed"), ("", "", "slipped"), strict=True
    ):
        fields = task_fields(event)
        assert (fields.status, fields.reason) == (status, reason)
        assert (fields.parent, fields.after, fields.goal) == ("serve", ("look.1",), goal)
        assert fields.variables == '{"hand": "left"}'


def test_topics_of_tasks_can_be_chosen(make: Make) -> None:
    telling = ProgramMessages()
    telling.task(0.5, "a.1", "active", "a")
    telling.task(0.5, "b.1", "active", "b", topic="/other")
    folder = make(telling)
    assert [e.name for e in played(folder, tasks=["/other"])] == ["b"]
    assert played(folder, tasks=[]) == []


def test_symbolic_beliefs_are_read_without_being_named(make: Make) -> None:
    telling = ProgramMessages()
    telling.believe(0.5, "held", "box", "left", origin="fingers")
    telling.believe(0.8, "held", "box", "left", holds=False, topic="/of/another")
    telling.believe_at(0.9, "cup", CUP, frame="left")
    telling.pose(0.9, "/believed/box", BOX)
    folder = make(telling)
    held = BeliefFields("held", ("box", "left"), frame="", origin="fingers")
    expected = [
        (500, held),
        (800, held._replace(holds=False, origin="/of/another")),
        (900, BeliefFields("loc", ("cup",), frame="left", pose=CUP, origin="/beliefs")),
    ]
    assert beliefs(folder) == expected
    named = beliefs(folder, beliefs=[{"topic": "/believed/box", "entity": "box"}])
    assert [one for one in named if one in expected] == expected
    assert len(named) == 4


@pytest.mark.parametrize("type_name", [POSE, WITH_COVARIANCE, ODOMETRY])
@pytest.mark.parametrize(("frame", "found"), [(None, "map"), ("world", "world")])
def test_poses_of_any_type(make: Make, type_name: str, frame: str | None, found: str) -> None:
    at = (0.5, -0.25, 0.0)
    folder = make(
        ProgramMessages(), posed(type_name, 600 * MS, at, topic="/amcl_pose", frame="map")
    )
    spec = {"topic": "/amcl_pose", "entity": "robot", "fluent": "pose", "frame": frame}
    ((time_ms, fields),) = beliefs(folder, beliefs=[spec])
    assert time_ms == 600
    assert fields == BeliefFields(
        "loc", ("robot",), frame=found, pose=(0.5, -0.25, 0, 1, 0, 0, 0), origin="/amcl_pose"
    )


def test_detections_are_percepts_and_say_what_is_visible(make: Make) -> None:
    telling = ProgramMessages()
    telling.perceive(0.5, "/seen", {"box": (BOX, 0.9), "47": (CUP, 0.4)}, frame="camera")
    telling.perceive(0.6, "/seen", {"box": (BOX, 0.8)})
    telling.perceive(0.7, "/seen", {})
    found = beliefs(make(telling), beliefs=[{"topic": "/seen", "classes": {47: "cup"}}])
    percept = BeliefFields("loc", ("box",), frame="camera", pose=BOX, origin="percept")
    visible = BeliefFields("visible", ("box",), origin="/seen")
    assert found == [
        (500, visible),
        (500, visible._replace(arguments=("cup",))),
        (500, percept._replace(confidence=0.9)),
        (500, percept._replace(arguments=("cup",), pose=CUP, confidence=0.4)),
        (600, visible._replace(arguments=("cup",), holds=False)),
        (600, percept._replace(frame="world", confidence=0.8)),
        (700, visible._replace(holds=False)),
    ]


def test_messages_without_belief_are_told_by_their_numbers(make: Make) -> None:
    telling = ProgramMessages()
    telling.pose(0.5, "/believed", BOX)
    telling.pose(0.6, "/believed", (float("nan"), *BOX[1:]))
    telling.pose(0.7, "/believed", (*BOX[:3], 0.0, 0.0, 0.0, 0.0))
    telling.pose(0.8, "/believed", BOX)
    found = played(make(telling), beliefs=[{"topic": "/believed", "entity": "box"}])
    nan, zero = (belief_problem(event) for event in found[1:3])
    assert nan.startswith("message 2: the pose [nan, ")
    assert zero == "message 3: a quaternion of norm 0; expected 1"
    assert [belief_problem(event) for event in found[::3]] == ["", ""]


def test_a_task_that_makes_no_sense_ends_the_run(make: Make) -> None:
    telling = ProgramMessages()
    telling.task(0.5, "place.1", "active", "place")
    telling.task(0.6, "place.1", "finished")
    source = open_source(make(telling))
    assert len(source.events(1_000 * MS)) == 1
    with pytest.raises(RunFailed, match=r"/tasks, message 2 cannot be used: status 'finished'"):
        source.events(1_000 * MS)
    source.close()


@pytest.mark.parametrize(
    ("spec", "where", "text"),
    [
        ({"tasks": ["/jobs"]}, "tasks.0", "the recording has no topic /jobs"),
        ({"tasks": ["/number"]}, "tasks.0", "expected a topic of type hetwin/msg/Task"),
        ({"beliefs": [{"topic": "/nowhere"}]}, "beliefs.0.topic", "has no topic /nowhere"),
        ({"beliefs": [{"topic": "/silent"}]}, "beliefs.0.topic", "there are no messages on topic"),
        ({"beliefs": [{"topic": "/number"}]}, "beliefs.0.topic", "or vision_msgs/msg/Detection3D"),
        ({"beliefs": [{"topic": "/odom"}]}, "beliefs.0", "the entity of this pose is not named"),
        (
            {"beliefs": [{"topic": "/odom", "entity": "robot"}] * 2},
            "beliefs.1.topic",
            "is named twice",
        ),
        (
            {"beliefs": [{"topic": "/beliefs", "entity": "box"}]},
            "beliefs.0.entity",
            "name their entities themselves",
        ),
        (
            {"beliefs": [{"topic": "/odom", "fluent": "held"}]},
            "beliefs.0.fluent",
            "'pose' or 'loc'",
        ),
    ],
)
def test_bad_topics_are_refused_before_the_run(
    tmp_path: Path, spec: dict[str, Any], where: str, text: str
) -> None:
    telling = ProgramMessages()
    telling.believe(0.5, "held", "box", "left")
    number = plain(500 * MS, "/number", "std_msgs/msg/Int32", data=1)
    messages = [*sine(), number, posed(ODOMETRY, 600 * MS, (0.0, 0.0, 0.0))]
    plain_bag = write_bag(
        tmp_path / "plain",
        sorted(messages, key=lambda message: message.time_ns),
        empty_topics=[("/silent", POSE)],
    )
    # a topic without messages is lost when a recording is written anew
    folder = (
        plain_bag if "silent" in text + str(spec) else telling.add_to(plain_bag, tmp_path / "t")
    )
    with pytest.raises(BadInput) as caught:
        open_source({"recording": str(folder), **spec})
    assert where in (caught.value.where or "")
    assert text in str(caught.value)


def test_of_several_robots_each_tells_in_its_own_namespace(tmp_path: Path) -> None:
    """Names of the scene have the robot's name before them; the other robot's topics are not read."""
    telling = ProgramMessages()
    for name in ("left", "right"):
        telling.task(0.5, f"{name}.1", "active", "reach", topic=f"/{name}/tasks")
        telling.believe(0.5, "held", "bar", "hand", topic=f"/{name}/beliefs")
    plain_bag = write_bag(tmp_path / "plain", sine())
    spec = {"recording": str(telling.add_to(plain_bag, tmp_path / "told"))}
    source = Plans(
        {
            name: open_source(spec, others=[other])
            for name, other in (("left", "right"), ("right", "left"))
        }
    )
    told = [(e.kind, e.source, e.arguments["robot"]) for e in source.events(2_000 * MS)]
    source.close()
    assert told == [
        (kind, f"{name}: /{name}/{topic}", name)
        for name in ("left", "right")
        for kind, topic in ((EventKind.TASK, "tasks"), (EventKind.BELIEF, "beliefs"))
    ]
