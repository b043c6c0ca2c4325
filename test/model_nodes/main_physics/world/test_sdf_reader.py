"""Worlds in SDFormat: what is read, what is remarked on, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import ShapeKind
from model_nodes.main_physics.world.description import Body, JointKind, World
from model_nodes.main_physics.world.notes import Notes, note_ignored
from model_nodes.main_physics.world.sdf.reader import read_world
from model_nodes.main_physics.world.transforms import compose, invert, pose_of

BOX = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
MASS = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def link(name: str = "link", inside: str = "") -> str:
    return f'<link name="{name}">{MASS}<collision name="c">{BOX}</collision>{inside}</link>'


def write(tmp_path: Path, inside: str, version: str = "1.9") -> Path:
    file = tmp_path / "w.sdf"
    file.write_text(f'<sdf version="{version}"><world name="w">\n{inside}\n</world></sdf>')
    return file


def read(tmp_path: Path, inside: str, version: str = "1.9") -> World:
    return read_world(write(tmp_path, inside, version))


def one_body(tmp_path: Path, inside: str, version: str = "1.9") -> Body:
    (body,) = read(tmp_path, inside, version).bodies
    return body


def test_forms_and_friction_are_read(tmp_path: Path) -> None:
    forms = """
      <collision name="a"><geometry><sphere><radius>0.1</radius></sphere></geometry>
        <surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction></surface></collision>
      <collision name="b"><pose>1 0 0 0 0 0</pose>
        <geometry><cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry></collision>
      <collision name="d"><geometry><capsule><radius>0.1</radius><length>0.4</length></capsule></geometry>
      </collision>
      <collision name="e"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
      <visual name="v"><geometry><box><size>1 1 1</size></box></geometry>
        <material><diffuse>1 0 0 0.5</diffuse></material></visual>"""
    world = read(tmp_path, f'<model name="m"><link name="l">{MASS}{forms}</link></model>')
    assert world.warnings == ()
    geometries = world.bodies[0].links[0].geometries
    assert [(g.kind, g.size, g.collides) for g in geometries] == [
        (ShapeKind.SPHERE, (0.1,), True),
        (ShapeKind.CYLINDER, (0.1, 0.4), True),
        (ShapeKind.CAPSULE, (0.1, 0.4), True),
        (ShapeKind.ELLIPSOID, (0.1, 0.2, 0.3), True),
        (ShapeKind.BOX, (1.0, 1.0, 1.0), False),
    ]
    assert geometries[0].friction == 0.3
    assert geometries[1].pose[0] == 1.0
    assert geometries[4].rgba == (1.0, 0.0, 0.0, 0.5)


def test_a_cone_is_its_hull(tmp_path: Path) -> None:
    cone = "<geometry><cone><radius>0.1</radius><length>0.4</length></cone></geometry>"
    body = one_body(
        tmp_path,
        f'<model name="m"><link name="l">{MASS}<collision name="c">{cone}</collision></link></model>',
    )
    (geometry,) = body.links[0].geometries
    assert geometry.kind is ShapeKind.MESH
    assert geometry.hull is not None
    tip = geometry.hull.vertices[geometry.hull.vertices[:, 2].argmax()]
    assert tip == pytest.approx([0, 0, 0.2], abs=1e-6)
    assert geometry.hull.vertices.min(axis=0) == pytest.approx([-0.1, -0.1, -0.2], abs=1e-6)


def test_lengths_that_are_missing_are_sdformats_and_named(tmp_path: Path) -> None:
    shapes = (
        '<collision name="a"><geometry><sphere/></geometry></collision>'
        '<collision name="b"><geometry><capsule/></geometry></collision>'
    )
    world = read(tmp_path, f'<model name="m"><link name="l">{MASS}{shapes}</link></model>')
    assert [g.size for g in world.bodies[0].links[0].geometries] == [(1.0,), (0.5, 1.0)]
    assert "<sphere> has no <radius>; 1 m is used" in world.warnings[0]


def test_a_mass_that_no_shape_gives_is_a_kilogram_and_named(tmp_path: Path) -> None:
    inside = '<model name="m"><link name="l"><inertial auto="true"/></link></model>'
    world = read(tmp_path, inside)
    inertial = world.bodies[0].links[0].inertial
    assert inertial is not None
    assert inertial.mass == 1.0
    assert "no shape to compute its mass from" in world.warnings[0]


def test_a_planes_normal_turns_it(tmp_path: Path) -> None:
    plane = "<plane><normal>1 0 0</normal><size>2 3</size></plane>"
    body = one_body(
        tmp_path,
        f'<model name="m"><static>1</static><link name="l"><collision name="c"><geometry>{plane}'
        "</geometry></collision></link></model>",
    )
    pose = body.links[0].geometries[0].pose
    turned = compose(pose, (0, 0, 1, 1, 0, 0, 0))
    assert turned[:3] == pytest.approx([1, 0, 0])


def test_the_bodys_pose_is_the_models_and_its_link_is_inside(tmp_path: Path) -> None:
    body = one_body(
        tmp_path,
        '<model name="m"><pose>1 2 3 0 0 1.5707963267948966</pose>'
        f'<link name="l"><pose>0.5 0 0 0 0 0</pose>{MASS}<collision name="c">{BOX}</collision></link>'
        "</model>",
    )
    assert body.pose[:3] == (1, 2, 3)
    assert body.links[0].geometries[0].pose[:3] == pytest.approx((0.5, 0, 0))
    assert body.links[0].inertial is not None
    assert body.links[0].inertial.pose[:3] == pytest.approx((0.5, 0, 0))


def test_degrees_and_quaternions_are_understood(tmp_path: Path) -> None:
    first = f'<model name="a"><pose degrees="true">0 0 0 0 0 90</pose>{link()}</model>'
    second = (
        '<model name="b"><pose rotation_format="quat_xyzw">0 0 0 0 0 0.7071067811865476 '
        f"0.7071067811865476</pose>{link()}</model>"
    )
    one, other = read(tmp_path, first + second).bodies
    assert one.pose == pytest.approx(other.pose)
    assert one.pose[3:] == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)))


def test_frames_and_relative_poses_are_resolved(tmp_path: Path) -> None:
    inside = f"""
      <frame name="corner"><pose>1 0 0 0 0 1.5707963267948966</pose></frame>
      <frame name="shelf" attached_to="corner"><pose>1 0 0 0 0 0</pose></frame>
      <model name="a"><pose relative_to="shelf">0 0 0.5 0 0 0</pose>{link()}</model>
      <model name="b"><pose relative_to="a">0 1 0 0 0 0</pose>{link()}</model>"""
    a, b = read(tmp_path, inside).bodies
    assert a.pose[:3] == pytest.approx((1, 1, 0.5))
    assert b.pose[:3] == pytest.approx((0, 1, 0.5))


def test_a_drawer_keeps_its_joint(tmp_path: Path) -> None:
    inside = f"""<model name="cabinet"><static>false</static>{link("case")}{link("drawer")}
      {link("knob")}
      <joint name="to_world" type="fixed"><parent>world</parent><child>case</child></joint>
      <joint name="slide" type="prismatic"><parent>case</parent><child>drawer</child>
        <axis><xyz>0 2 0</xyz><limit><lower>0</lower><upper>0.3</upper></limit>
        <dynamics><damping>4</damping></dynamics></axis></joint>
      <joint name="screwed" type="fixed"><parent>drawer</parent><child>knob</child></joint></model>"""
    body = one_body(tmp_path, inside)
    assert body.static
    assert [part.name for part in body.links] == ["case", "drawer"]
    (slide,) = body.joints
    assert (slide.kind, slide.axis, slide.lower, slide.upper, slide.damping) == (
        JointKind.SLIDE,
        (0.0, 1.0, 0.0),
        0.0,
        0.3,
        4.0,
    )
    knobbed = body.links[1]
    assert len(knobbed.geometries) == 2
    assert knobbed.inertial is not None
    assert knobbed.inertial.mass == 4.0


def test_a_door_hinged_to_the_world_has_its_axis_where_the_joint_is(tmp_path: Path) -> None:
    inside = f"""<model name="door"><pose>0 0 1 0 0 0</pose>
      <link name="leaf"><pose>0.5 0 0 0 0 0</pose>{MASS}<collision name="c">{BOX}</collision></link>
      <joint name="hinge" type="revolute"><pose>-0.5 0 0 0 0 0</pose><parent>world</parent>
      <child>leaf</child><axis><xyz>0 0 1</xyz></axis></joint></model>"""
    body = one_body(tmp_path, inside)
    assert body.static
    (hinge,) = body.joints
    assert hinge.anchor == pytest.approx((-0.5, 0, 0))
    assert hinge.lower is None
    assert body.links[1].pose[:3] == pytest.approx((0.5, 0, 0))


def test_axes_of_old_files_are_in_the_models_frame(tmp_path: Path) -> None:
    model = f"""<model name="m">{link("a")}<link name="b"><pose>0 0 0 0 0 1.5707963267948966</pose>{MASS}
      </link><joint name="j" type="revolute"><parent>a</parent><child>b</child>
      <axis><xyz>1 0 0</xyz></axis></joint></model>"""
    old = one_body(tmp_path, model, "1.4").joints[0].axis
    new = one_body(tmp_path, model, "1.9").joints[0].axis
    assert old == pytest.approx((0, -1, 0))
    assert new == pytest.approx((1, 0, 0))


def test_loose_links_are_bodies_of_their_own(tmp_path: Path) -> None:
    bodies = read(tmp_path, f'<model name="pair">{link("a")}{link("b")}</model>').bodies
    assert [body.name for body in bodies] == ["pair::a", "pair::b"]


def test_what_is_not_carried_over_is_named(tmp_path: Path) -> None:
    surface = """<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>
      <contact><ode><kp>1e6</kp><kd>1</kd></ode></contact>
      <friction><ode><mu>1</mu><mu2>0.5</mu2><slip1>0.1</slip1></ode><torsional/></friction></surface>"""
    inside = f"""<light name="sun" type="point"/><plugin name="p" filename="f"/><physics><dart/></physics>
      <model name="cup"><plugin name="q" filename="f"/><link name="body">{MASS}
      <sensor name="s" type="contact"/>
      <collision name="c">{BOX}{surface}</collision></link>
      <model name="nested">{link()}</model></model>"""
    world, notes = read(tmp_path, inside), Notes()
    note_ignored(world, notes)
    warnings = "\n".join((*world.warnings, *notes.all()))
    assert "<light>" not in warnings
    for expected in (
        "world w.sdf: model cup, link body: <bounce> is not carried over",
        "<ode> is not carried over",
        "<mu2> differs from <mu>",
        "<slip1>",
        "<torsional>",
        "model cup, link body: <sensor>",
        "world w.sdf: <plugin> is not carried over here and elsewhere (1 more); engine gz",
        "world w.sdf: <physics>",
    ):
        assert expected in warnings


def test_settings_of_a_simulators_step_are_no_loss(tmp_path: Path) -> None:
    notes = Notes()
    step = "<physics><max_step_size>0.001</max_step_size></physics>"
    note_ignored(read(tmp_path, f'{step}<model name="m">{link()}</model>'), notes)
    assert notes.all() == ()


def test_a_mesh_that_is_absent_is_named_and_left_out(tmp_path: Path) -> None:
    mesh = "<geometry><mesh><uri>model://cup/cup.stl</uri></mesh></geometry>"
    world = read(
        tmp_path,
        f'<model name="cup"><link name="l">{MASS}<collision name="c">{mesh}</collision></link></model>',
    )
    assert world.bodies[0].links[0].geometries == ()
    assert any("mesh model://cup/cup.stl is left out" in w for w in world.warnings)


def test_a_mesh_becomes_its_hull(tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2)]
    faces += [(3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    (tmp_path / "cube.obj").write_text(text + "".join(f"f {a} {b} {c}\n" for a, b, c in faces))
    mesh = "<mesh><uri>cube.obj</uri><scale>1 2 0.5</scale></mesh>"
    body = one_body(
        tmp_path,
        f'<model name="m"><link name="l">{MASS}<collision name="c"><geometry>{mesh}</geometry>'
        "</collision></link></model>",
    )
    hull = body.links[0].geometries[0].hull
    assert hull is not None
    assert hull.vertices.min(axis=0) == pytest.approx([0, 0, 0], abs=1e-6)
    assert hull.vertices.max(axis=0) == pytest.approx([1, 2, 0.5], abs=1e-6)
    assert len(hull.faces) == 12


def test_models_and_robots_are_included(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "cup"
    folder.mkdir(parents=True)
    (folder / "model.config").write_text(
        '<model><name>cup</name><sdf version="1.4">old.sdf</sdf><sdf version="1.9">new.sdf</sdf></model>'
    )
    (folder / "new.sdf").write_text(f'<sdf version="1.9"><model name="cup">{link()}</model></sdf>')
    robot = '<robot name="r"><link name="only"><inertial><mass value="1"/>'
    robot += '<inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>'
    (tmp_path / "r.urdf").write_text(robot)
    inside = """<include><uri>models/cup</uri><name>my_cup</name><pose>1 0 0 0 0 0</pose></include>
      <include><uri>models/cup</uri><static>true</static></include>
      <include><uri>r.urdf</uri><pose relative_to="my_cup">0 0 1 0 0 0</pose></include>"""
    mine, static, robot_body = read(tmp_path, inside).bodies
    assert (mine.name, mine.static, mine.pose[0]) == ("my_cup", False, 1.0)
    assert (static.name, static.static) == ("cup", True)
    assert robot_body.name == "r"
    assert robot_body.pose[:3] == pytest.approx((1, 0, 1))


def test_model_paths_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "elsewhere" / "cup"
    folder.mkdir(parents=True)
    (folder / "model.sdf").write_text(f'<sdf version="1.9"><model name="c">{link()}</model></sdf>')
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path / "elsewhere"))
    assert one_body(tmp_path, "<include><uri>model://cup</uri></include>").name == "c"


MODEL = '<model name="m">{}</model>'
BAD_WORLDS = {
    "pose with five numbers": (MODEL.format(f"<pose>1 2 3 4 5</pose>{link()}"), "<pose>"),
    "pose with a word": (MODEL.format(f"<pose>1 2 x 0 0 0</pose>{link()}"), "numbers"),
    "pose not finite": (MODEL.format(f"<pose>nan 0 0 0 0 0</pose>{link()}"), "finite"),
    "model without links": ('<model name="m"/>', "no links"),
    "model without a name": (f"<model>{link()}</model>", "name"),
    "two models of a name": (MODEL.format(link()) * 2, "second"),
    "two links of a name": (MODEL.format(link() + link()), "second"),
    "unknown frame": (MODEL.format(f'<pose relative_to="moon">0 0 0 0 0 0</pose>{link()}'), "moon"),
    "circle of frames": (
        '<frame name="a" attached_to="b"/><frame name="b" attached_to="a"/>'
        + MODEL.format(f'<pose relative_to="a">0 0 0 0 0 0</pose>{link()}'),
        "itself",
    ),
    "negative mass": (
        MODEL.format('<link name="l"><inertial><mass>-1</mass></inertial></link>'),
        "not positive",
    ),
    "negative size": (MODEL.format(link().replace("0.1 0.2 0.3", "0.1 -0.2 0.3")), "positive"),
    "collision without a form": (
        MODEL.format('<link name="l"><collision name="c"/></link>'),
        "<geometry> is missing",
    ),
    "unknown shape": (
        MODEL.format(link().replace("box", "cube")),
        "unknown shape",
    ),
    "joint to nowhere": (
        MODEL.format(
            link() + '<joint name="j" type="fixed"><parent>link</parent><child>x</child></joint>'
        ),
        "does not exist",
    ),
    "joint of an unknown type": (
        MODEL.format(
            link("a")
            + link("b")
            + '<joint name="j" type="glue"><parent>a</parent><child>b</child></joint>'
        ),
        "unknown type",
    ),
    "loop of joints": (
        MODEL.format(
            link("a")
            + link("b")
            + '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'
            + '<joint name="k" type="fixed"><parent>b</parent><child>a</child></joint>'
        ),
        "loop",
    ),
    "axis without direction": (
        MODEL.format(
            link("a")
            + link("b")
            + '<joint name="j" type="revolute"><parent>a</parent><child>b</child>'
            + "<axis><xyz>0 0 0</xyz></axis></joint>"
        ),
        "no direction",
    ),
    "include of nothing": ("<include><uri>model://nowhere</uri></include>", "nowhere"),
    "include from the network": (
        "<include><uri>https://fuel.gazebosim.org/x</uri></include>",
        "network",
    ),
    "static neither true nor false": (
        MODEL.format(f"<static>maybe</static>{link()}"),
        "true nor false",
    ),
}


@pytest.mark.parametrize(("inside", "says"), BAD_WORLDS.values(), ids=BAD_WORLDS.keys())
def test_a_bad_world_is_refused_with_file_and_line(tmp_path: Path, inside: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        read(tmp_path, inside)
    assert caught.value.file is not None
    assert caught.value.file.endswith("w.sdf")
    assert caught.value.where is not None
    assert caught.value.where.startswith("line 2")


BAD_FILES = {
    "not XML": ("hello", "well-formed"),
    "not closed": ('<sdf version="1.9"><world name="w">', "well-formed"),
    "empty": ("", "well-formed"),
    "not SDFormat": ("<robot/>", "neither SDFormat nor MJCF"),
    "no version": ("<sdf/>", "version"),
    "version of the future": ('<sdf version="3.0"/>', "not supported"),
    "version no number": ('<sdf version="new"/>', "not a number"),
    "no world": ('<sdf version="1.9"/>', "0 worlds"),
    "two worlds": ('<sdf version="1.9"><world name="a"/><world name="b"/></sdf>', "2 worlds"),
    "bomb": (
        '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sdf version="1.9">&b;</sdf>',
        "entity",
    ),
    "nested too deep": ("<a>" * 300 + "</a>" * 300, "deeper"),
}


@pytest.mark.parametrize(("text", "says"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_bad_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "w.sdf"
    file.write_text(text)
    with pytest.raises(BadInput, match=says) as caught:
        read_world(file)
    assert caught.value.file == str(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_world(tmp_path / "none.sdf")


numbers = st.floats(-10, 10, allow_nan=False)
poses = st.tuples(*[numbers] * 3, *[st.floats(-1, 1)] * 4).filter(
    lambda p: sum(q * q for q in p[3:]) > 0.01
)


@examples(200)
@given(poses, poses)
def test_composing_with_the_inverse_gives_the_other_back(
    a: tuple[float, ...], b: tuple[float, ...]
) -> None:
    one, other = pose_of(a), pose_of(b)
    back = compose(invert(one), compose(one, other))
    assert back[:3] == pytest.approx(other[:3], abs=1e-9)
    assert abs(sum(x * y for x, y in zip(back[3:], other[3:], strict=True))) == pytest.approx(1)
