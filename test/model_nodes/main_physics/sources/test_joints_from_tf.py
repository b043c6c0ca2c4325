"""Joint positions from recorded transforms, compared with kinematics that are computed another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.recorded_bags import (
    MS,
    TYPES,
    Recorded,
    header,
    joints,
    plain,
    write_bag,
    write_ros1_bag,
)
from transforms3d.affines import compose as affine
from transforms3d.axangles import axangle2mat
from transforms3d.euler import euler2mat
from transforms3d.quaternions import mat2quat

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

TF = "tf2_msgs/msg/TFMessage"


@dataclass(frozen=True)
class Link:
    """A link, the joint that moves it, and its place in its parent."""

    name: str
    parent: str
    kind: str
    xyz: tuple[float, float, float]
    rpy: tuple[float, float, float]
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)


LINKS = (
    Link("pedestal", "base", "fixed", (0.1, 0.0, 0.2), (0.0, 0.3, 0.0)),
    Link("shoulder", "pedestal", "revolute", (0.0, 0.1, 0.3), (0.4, 0.0, 1.0), (0.0, 1.0, 0.0)),
    Link("upper", "shoulder", "continuous", (0.2, 0.0, 0.1), (0.0, -1.2, 0.5), (0.6, 0.0, 0.8)),
    Link("spacer", "upper", "fixed", (0.0, 0.0, 0.1), (1.0, 0.0, 0.0)),
    Link("slide", "spacer", "prismatic", (0.0, 0.2, 0.0), (0.0, 0.0, 2.0), (0.0, 0.6, -0.8)),
    Link("hand", "slide", "revolute", (0.0, 0.0, 0.1), (0.0, 1.5, 0.0), (1.0, 0.0, 0.0)),
)
MOVING = [link for link in LINKS if link.kind != "fixed"]
NAMES = [f"{link.name}_joint" for link in MOVING]


def robot(folder: Path) -> Body:
    limit = "<limit lower='-4' upper='4' velocity='9' effort='9'/>"
    text = "<robot name='r'><link name='base'/>"
    for link in LINKS:
        axis = " ".join(map(str, link.axis))
        text += (
            f"<link name='{link.name}'/><joint name='{link.name}_joint' type='{link.kind}'>"
            f"<parent link='{link.parent}'/><child link='{link.name}'/><axis xyz='{axis}'/>"
            f"<origin xyz='{' '.join(map(str, link.xyz))}' rpy='{' '.join(map(str, link.rpy))}'/>"
            + (limit if link.kind in ("revolute", "prismatic") else "")
            + "</joint>"
        )
    file = folder / "robot.urdf"
    file.write_text(text + "</robot>")
    return replace(read_urdf(file, Notes()), robot=True)


def positions(time_ns: int) -> list[float]:
    """The shoulder goes beyond half a turn, the upper arm turns on and on."""
    seconds = time_ns / 1e9
    return [3.3 * np.sin(seconds), 4.0 * seconds, 0.1 * np.sin(2.0 * seconds), -1.0 + 0.2 * seconds]


def place(link: Link, position: float) -> Floats:
    origin = affine(link.xyz, euler2mat(*link.rpy, "sxyz"), np.ones(3))
    moved = np.eye(4)
    if link.kind == "prismatic":
        moved[:3, 3] = position * np.array(link.axis)
    elif link.kind != "fixed":
        moved[:3, :3] = axangle2mat(link.axis, position)
    return np.asarray(origin @ moved)


def places(time_ns: int) -> dict[str, Floats]:
    """Every link's place in its parent."""
    moved = dict(zip(NAMES, positions(time_ns), strict=True))
    return {link.name: place(link, moved.get(f"{link.name}_joint", 0.0)) for link in LINKS}


def in_base(link: str, local: Mapping[str, Floats]) -> Floats:
    if link == "base":
        return np.eye(4)
    parent = next(one.parent for one in LINKS if one.name == link)
    return np.asarray(in_base(parent, local) @ local[link])


def transform(parent: str, child: str, matrix: Floats, time_ns: int) -> Any:
    w, x, y, z = mat2quat(matrix[:3, :3])
    vector, quaternion = (TYPES.types[f"geometry_msgs/msg/{n}"] for n in ("Vector3", "Quaternion"))
    return TYPES.types["geometry_msgs/msg/TransformStamped"](
        header=header(time_ns, parent),
        child_frame_id=child,
        transform=TYPES.types["geometry_msgs/msg/Transform"](
            translation=vector(*matrix[:3, 3]), rotation=quaternion(x, y, z, w)
        ),
    )


def message(time_ns: int, transforms: Sequence[Any], topic: str = "/tf") -> Recorded:
    return plain(time_ns, topic, TF, transforms=list(transforms))


TIMES = [k * 20 * MS for k in range(200)]


def published(
    prefix: str = "", stamp: Callable[[int], int] = lambda time_ns: time_ns
) -> Iterator[Recorded]:
    """As a robot state publisher does: fixed joints once, the others at all times."""
    fixed = [(one, place(one, 0.0)) for one in LINKS if one.kind == "fixed"]
    yield message(
        0,
        [transform(prefix + one.parent, prefix + one.name, m, 0) for one, m in fixed],
        "/tf_static",
    )
    for time_ns in TIMES:
        local = places(time_ns)
        yield message(
            time_ns,
            [
                transform(prefix + o.parent, prefix + o.name, local[o.name], stamp(time_ns))
                for o in MOVING
            ],
        )


def follows(source: Plan) -> None:
    driven = source.bind(NAMES, 20 * MS)
    assert driven.all()
    for time_ns in TIMES:
        np.testing.assert_allclose(source.motion(time_ns).positions, positions(time_ns), atol=1e-9)


@pytest.mark.parametrize("prefix", ["", "arm/", "left_"])
def test_as_a_robot_publishes_them(tmp_path: Path, prefix: str) -> None:
    folder = write_bag(tmp_path / "bag", published(prefix))
    source = open_source(folder, robots=[robot(tmp_path)])
    follows(source)
    assert source.findings == ()
    assert np.isnan(source.motion(TIMES[-1]).efforts).all()


def test_a_clock_that_is_set_back_is_bridged(tmp_path: Path) -> None:
    made = published(stamp=lambda time_ns: time_ns - (350 * MS if time_ns > 2000 * MS else 0))
    source = open_source(write_bag(tmp_path / "bag", made), robots=[robot(tmp_path)])
    follows(source)
    (mended,) = source.findings
    assert (mended.arguments["what"], mended.arguments["topic"]) == ("set_back", "/tf")
    assert mended.arguments["joints"] == NAMES


@pytest.mark.parametrize("type_name", TRANSFORMS)
def test_of_ros1_with_slashes(tmp_path: Path, type_name: str) -> None:
    messages = (replace(one, type=type_name) for one in published("/r2/"))
    bag = write_ros1_bag(tmp_path / "a.bag", messages)
    follows(open_source(bag, robots=[robot(tmp_path)]))


def test_through_fixed_and_foreign_frames(tmp_path: Path) -> None:
    """Fixed links are merged, a foreign frame is between, another one never moves, and one is upside down."""
    camera = affine((0.1, 0.2, 0.3), euler2mat(0.1, 0.2, 0.3), np.ones(3))

    def merged() -> Iterator[Recorded]:
        yield message(0, [transform("flange", "tool", camera, 0)], "/tf_static")
        for time_ns in TIMES:
            local = places(time_ns)
            at = {one.name: in_base(one.name, local) for one in LINKS} | {"base": np.eye(4)}
            at["bracket"] = at["upper"] @ camera

            def between(parent: str, child: str, t: int = time_ns, at: Any = at) -> Any:
                return transform(parent, child, np.linalg.inv(at[parent]) @ at[child], t)

            yield message(
                time_ns,
                [
                    between("base", "shoulder"),
                    between("shoulder", "bracket"),
                    between("bracket", "upper"),
                    between("hand", "slide"),
                    between("upper", "slide"),
                    transform("map", "base", place(LINKS[0], 0.0) @ at["shoulder"], time_ns),
                ],
            )

    folder = write_bag(tmp_path / "bag", merged())
    follows(open_source({"recording": str(folder), "joints_from": "tf"}, robots=[robot(tmp_path)]))


def test_joint_states_come_first(tmp_path: Path) -> None:
    states = [joints(t, NAMES, [0.0] * len(NAMES)) for t in TIMES]
    folder = write_bag(tmp_path / "bag", [*states, *published()])
    body = robot(tmp_path)
    source = open_source(folder, robots=[body])
    source.bind(NAMES, 20 * MS)
    assert not source.motion(TIMES[50]).positions.any()
    follows(open_source({"recording": str(folder), "joints_from": "tf"}, robots=[body]))


def test_joint_states_without_positions_do_not_count(tmp_path: Path) -> None:
    states = [joints(t, NAMES, (), velocities=[0.0] * len(NAMES)) for t in TIMES]
    folder = write_bag(tmp_path / "bag", [*states, *published()])
    follows(open_source(folder, robots=[robot(tmp_path)]))


def test_a_hand_without_transforms_rests(tmp_path: Path) -> None:
    def cut(messages: Iterator[Recorded]) -> Iterator[Recorded]:
        for one in messages:
            kept = [t for t in one.message.transforms if t.child_frame_id != "hand"]
            yield replace(one, message=TYPES.types[TF](transforms=kept))

    folder = write_bag(tmp_path / "bag", cut(published()))
    source = open_source(folder, robots=[robot(tmp_path)])
    assert source.joint_names == tuple(sorted(NAMES[:3]))


def without(child: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        messages = [
            replace(
                one,
                message=TYPES.types[TF](
                    transforms=[t for t in one.message.transforms if t.child_frame_id != child]
                ),
            )
            for one in published()
        ]
        return write_bag(folder, messages)

    return write


def of_others(folder: Path) -> Path:
    spin = [message(t, [transform("odom", "cart", np.eye(4), t)]) for t in TIMES]
    return write_bag(folder, spin)


def off_axis(folder: Path) -> Path:
    bent = affine((0.0, 0.0, 0.0), euler2mat(0.0, 0.0, 0.2), np.ones(3))
    messages = [
        message(
            t,
            [transform(one.parent, one.name, place(one, 0.0) @ bent, t) for one in LINKS],
        )
        for t in TIMES
    ]
    return write_bag(folder, messages)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (
            of_others,
            ("position of joint shoulder_joint", "without pedestal, shoulder", "cart, odom"),
        ),
        (without("slide"), ("position of joint slide_joint", "between spacer and slide")),
        (off_axis, ("not those of this robot", "shoulder", "0.200 rad", "URDF")),
    ],
)
def test_transforms_that_do_not_hold_the_robot(
    tmp_path: Path, write: Callable[[Path], Path], words: tuple[str, ...]
) -> None:
    with pytest.raises(BadInput) as error:
        open_source(write(tmp_path / "bag"), robots=[robot(tmp_path)])
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"joint_states": ["/joint_states"]}, ("joint_states", "joints_from")),
        ({"joints": {"a": "b"}}, ("joints", "joints_from")),
    ],
)
def test_options_that_contradict_transforms(
    tmp_path: Path, spec: dict[str, Any], words: tuple[str, ...]
) -> None:
    folder = write_bag(tmp_path / "bag", published())
    with pytest.raises(BadInput) as error:
        open_source(
            {"recording": str(folder), "joints_from": "tf", **spec}, robots=[robot(tmp_path)]
        )
    for word in words:
        assert word in str(error.value)


def test_transforms_need_a_robot_and_must_be_there(tmp_path: Path) -> None:
    folder = write_bag(tmp_path / "bag", published())
    with pytest.raises(BadInput, match="without a robot"):
        open_source({"recording": str(folder), "joints_from": "tf"})
    with pytest.raises(BadInput, match="no joint states"):
        open_source(folder)
    plain_bag = write_bag(tmp_path / "plain", [joints(0, ("a",), (0.0,))])
    with pytest.raises(BadInput, match="no transforms"):
        open_source({"recording": str(plain_bag), "joints_from": "tf"}, robots=[robot(tmp_path)])


def test_a_message_that_cannot_be_decoded_fails_the_run_at_its_time(tmp_path: Path) -> None:
    messages = list(published())
    raw = bytes(TYPES.serialize_cdr(messages[50].message, TF))
    messages[50] = replace(messages[50], message=raw[:-20])
    source = open_source(write_bag(tmp_path / "bag", messages), robots=[robot(tmp_path)])
    source.bind(NAMES, 20 * MS)
    source.motion(messages[49].time_ns)
    with pytest.raises(RunFailed, match="transform message 51 cannot be decoded"):
        source.motion(messages[50].time_ns)
