"""What a camera sees of a cup in front of it, behind a wall, aside and far away, and what a detector makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from support.scene_of import scene_of

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, announce
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Shape, ShapeKind, pose_value
from hetwin_programs.camera import Camera
from hetwin_testing.suite import check_model

STEP_NS = 200_000_000
CUP = Shape(ShapeKind.CYLINDER, (0.04, 0.1))
TETRAHEDRON = Shape(
    ShapeKind.MESH,
    vertices=np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], np.float64),
    faces=np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32),
)
WALL = Shape(ShapeKind.BOX, (0.02, 1.0, 1.0))
AHEAD = (1.0, 0.0, 0.0)
HERE = (0.0, 0.0, 0.0)
AWAY = (0.0, -5.0, 0.0)


def scene(places: Mapping[str, Sequence[float]], cup: Shape = CUP) -> Snapshot:
    """Everything that is not named stands far away; the head and the stand at the origin."""
    entities = (
        Entity("robot", EntityKind.ROBOT),
        Entity("head", EntityKind.LINK, owner="robot", shapes=(WALL,)),
        Entity("stand", EntityKind.STATIC),
        Entity("cup1", EntityKind.OBJECT, ("graspable",), shapes=(cup,)),
        Entity("cup2", EntityKind.OBJECT, ("graspable",), shapes=(CUP,)),
        Entity("wall", EntityKind.STATIC, shapes=(WALL,)),
    )
    there = {"head": HERE, "stand": HERE, "cup1": AWAY, "cup2": AWAY, "wall": AWAY, **places}
    poses = {name: pose_value(np.array(place)).data for name, place in there.items()}
    return scene_of(entities, poses)


class Looking:
    """A camera, step by step."""

    def __init__(self, seed: int = 1, cup: Shape = CUP, **parameters: object) -> None:
        self.cup, self.camera = cup, Camera()
        objects = {"frame": "head", "objects": ["cup1", "cup2"], "during": []}
        self.camera.contribute({**objects, **parameters}, seed)
        self.camera.start(scene({}, cup))
        self.time_ns = 0

    def at(self, events: Sequence[Event] = (), **places: Sequence[float]) -> list[Event]:
        """What it tells of a scene; `visible` of cup1 is kept."""
        self.time_ns += STEP_NS
        tick = Tick(self.time_ns, STEP_NS, scene(places, self.cup), tuple(events))
        output = self.camera.step(tick)
        self.visible = bool(output.values["cup1", "visible"].data[0])
        return output.events


@pytest.mark.parametrize(
    ("places", "visible"),
    [
        ({"cup1": AHEAD}, True),
        ({"cup1": AHEAD, "wall": (0.5, 0.0, 0.0)}, False),
        ({"cup1": AHEAD, "wall": (1.5, 0.0, 0.0)}, True),
        ({"cup1": AHEAD, "wall": (0.5, 0.52, 0.0)}, True),
        ({"cup1": AHEAD, "cup2": (0.3, 0.0, 0.0)}, False),
        ({"cup1": (-1.0, 0.0, 0.0)}, False),
        ({"cup1": (1.0, 0.5, 0.0)}, True),
        ({"cup1": (1.0, 0.7, 0.0)}, False),
        ({"cup1": (1.0, 0.0, 0.5)}, False),
        ({"cup1": (2.9, 0.0, 0.0)}, True),
        ({"cup1": (3.2, 0.0, 0.0)}, False),
        ({"cup1": (0.04, 0.0, 0.0)}, False),
    ],
)
def test_what_is_visible(places: dict[str, Sequence[float]], visible: bool) -> None:
    looking = Looking()
    looking.at(**places)
    assert looking.visible is visible


@pytest.mark.parametrize(
    "shape",
    [
        Shape(ShapeKind.BOX, (0.1, 0.1, 0.1)),
        Shape(ShapeKind.SPHERE, (0.05,)),
        Shape(ShapeKind.CAPSULE, (0.03, 0.06)),
        Shape(ShapeKind.ELLIPSOID, (0.05, 0.04, 0.03)),
        TETRAHEDRON,
    ],
    ids=lambda shape: shape.kind.value,
)
def test_every_kind_of_shape_is_seen(shape: Shape) -> None:
    looking = Looking(cup=shape, least=0.9)
    looking.at(cup1=AHEAD)
    assert looking.visible
    looking.at(cup1=AHEAD, wall=(0.5, 0.0, 0.0))
    assert not looking.visible


def test_half_of_it_is_a_matter_of_what_is_enough() -> None:
    places = {"cup1": AHEAD, "wall": (0.97, 0.5, 0.0)}
    for least, visible in ((0.3, True), (0.7, False)):
        looking = Looking(least=least)
        looking.at(**places)
        assert looking.visible is visible


def test_pictures_are_taken_while_the_robot_looks() -> None:
    looking = Looking(during=["look"])
    assert looking.at(cup1=AHEAD) == []
    begin = announce("look", "begin", {"task": "look.1"}, 0, "/action_annotations")
    end = announce("look", "end", {"task": "look.1"}, 0, "/action_annotations")
    assert len(looking.at([begin], cup1=AHEAD)) == 1
    assert len(looking.at(cup1=AHEAD)) == 1
    assert looking.at([end], cup1=AHEAD) == []


def test_a_detector_without_noise_tells_the_truth() -> None:
    (picture,) = Looking().at(cup1=AHEAD, head=(0.5, 0.0, 0.0))
    assert picture.arguments["frame"] == "head"
    (found,) = picture.arguments["found"]
    assert found["object"] == "cup1"
    assert found["pose"] == pytest.approx([0.5, 0, 0, 1, 0, 0, 0])
    assert picture.arguments["truth"] == ["cup1"]


def test_a_camera_that_stands_in_the_world_gives_poses_there() -> None:
    (picture,) = Looking(frame="stand").at(cup1=AHEAD, stand=(0.5, 0.0, 0.0))
    assert picture.arguments["frame"] == ""
    assert picture.arguments["found"][0]["pose"][:3] == pytest.approx(AHEAD)


def test_noise_misses_and_confusions_are_as_often_as_said() -> None:
    looking = Looking(noise=0.01, miss=0.2, confusion={"cup1": {"cup2": 0.3}})
    found = [row for _ in range(1000) for row in looking.at(cup1=AHEAD)[0].arguments["found"]]
    places = np.array([row["pose"][:3] for row in found]) - AHEAD
    assert len(found) == pytest.approx(800, abs=50)
    assert sum(row["object"] == "cup2" for row in found) / len(found) == pytest.approx(
        0.3, abs=0.06
    )
    assert places.std() == pytest.approx(0.01, rel=0.1)
    assert np.abs(places.mean(axis=0)).max() < 0.002


def test_the_draws_of_one_object_do_not_depend_on_another() -> None:
    alone, together = Looking(seed=5, noise=0.01), Looking(seed=5, noise=0.01)
    for _ in range(3):
        (one,) = alone.at(cup1=AHEAD)[0].arguments["found"]
        first, _ = together.at(cup1=AHEAD, cup2=(1.0, 0.3, 0.0))[0].arguments["found"]
        assert one == first


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"frame": "hat"}, "frame: .*'hat'.*head"),
        ({"objects": ["cup1", "cup9"]}, "objects: .*'cup9'.*cup1"),
        ({"miss": {"cup9": 0.5}}, "miss.cup9"),
        ({"miss": -0.1}, "miss.* at least 0|greater than or equal to 0"),
        ({"noise": -1}, "noise"),
        ({"confusion": {"cup1": {"mug": 0.5}}}, "confusion.cup1.mug"),
        ({"confusion": {"cup1": {"cup1": 0.6, "cup2": 0.6}}}, "more than 1 together"),
    ],
)
def test_parameters_that_cannot_be(parameters: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Looking(**parameters)


def test_it_keeps_the_contract() -> None:
    results = check_model("camera", {"frame": "table"})
    assert [f"{result.check}: {result.detail}" for result in results if not result.ok] == []
