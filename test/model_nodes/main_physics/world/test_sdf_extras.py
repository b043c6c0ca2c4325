"""What a world's description has no words for is kept, beside what it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import Body, Extra, JointKind, World
from model_nodes.main_physics.world.notes import Notes, note_ignored
from model_nodes.main_physics.world.sdf.reader import read_world

MASS = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
IMU = '<sensor name="imu" type="imu"><pose>0 0 0.1 0 0 0</pose></sensor>'


def link(name: str, x: float = 0.0, inside: str = "") -> str:
    return f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose>{MASS}{inside}</link>'


def fixed(name: str, parent: str, child: str, inside: str = "") -> str:
    return (
        f'<joint name="{name}" type="fixed"><parent>{parent}</parent><child>{child}</child>'
        f"{inside}</joint>"
    )


def read(folder: Path, inside: str, head: str = "") -> World:
    file = folder / "w.sdf"
    file.write_text(f'{head}<sdf version="1.9"><world name="w">\n{inside}\n</world></sdf>')
    return read_world(file)


def one_body(folder: Path, inside: str) -> Body:
    (body,) = read(folder, f'<model name="m">{inside}</model>').bodies
    return body


def labels(extras: tuple[Extra, ...]) -> list[str]:
    return [extra.label for extra in extras]


def test_elements_are_kept_beside_what_they_belong_to(tmp_path: Path) -> None:
    inside = f"""<light name="sun" type="point"><pose>0 0 9 0 0 0</pose></light><gui/>
      <model name="m"><plugin name="p" filename="f"><speed>3</speed></plugin>
      {link("a", 1.0, IMU)}{link("b")}
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
      <limit><effort>5</effort></limit></axis></joint></model>"""
    world = read(tmp_path, inside)
    (body,) = world.bodies
    assert labels(world.extras) == ["<light> sun", "<gui>"]
    assert world.extras[0].pose is not None
    assert world.extras[0].pose[:3] == (0.0, 0.0, 9.0)
    assert labels(body.extras) == ["<plugin> p"]
    assert labels(body.links[0].extras) == ["<sensor> imu"]
    (effort,) = body.joints[0].extras
    assert (effort.tag, effort.inside) == ("effort", "axis/limit")
    assert [e.label for e in world.all_extras()][:3] == ["<light> sun", "<gui>", "<plugin> p"]


def test_a_sensors_pose_is_in_its_links_frame(tmp_path: Path) -> None:
    inside = link("a") + link("b", 1.0, IMU) + fixed("glue", "a", "b")
    body = one_body(tmp_path, inside)
    assert [part.name for part in body.links] == ["a", "b"]
    (sensor,) = body.links[1].extras
    assert sensor.pose is not None
    assert sensor.pose[:3] == pytest.approx((0.0, 0.0, 0.1))


@pytest.mark.parametrize(
    ("inside", "names"),
    [
        (link("a") + link("b") + fixed("glue", "a", "b"), ["a"]),
        (link("a") + link("b", 0.0, IMU) + fixed("glue", "a", "b"), ["a", "b"]),
        (
            link("a")
            + link("b")
            + fixed("glue", "a", "b", '<sensor name="ft" type="force_torque"/>'),
            ["a", "b"],
        ),
        (
            link("a")
            + link("b")
            + fixed("glue", "a", "b")
            + '<plugin name="p" filename="f"><link_name>b</link_name></plugin>',
            ["a", "b"],
        ),
    ],
    ids=["nothing", "sensor of the link", "sensor of the joint", "named by a plugin"],
)
def test_fixed_links_are_two_only_if_an_element_needs_them(
    tmp_path: Path, inside: str, names: list[str]
) -> None:
    body = one_body(tmp_path, inside)
    assert [part.name for part in body.links] == names
    assert all(joint.apart for joint in body.joints)
    assert body.rigid


def test_files_that_elements_refer_to_have_absolute_paths(tmp_path: Path) -> None:
    (tmp_path / "walk.dae").write_text("mesh")
    actor = '<actor name="a"><skin><filename>walk.dae</filename></skin><note>walk</note></actor>'
    (kept,) = read(tmp_path, actor).extras
    skin, note = kept.element.children
    assert skin.children[0].text == str(tmp_path / "walk.dae")
    assert note.text == "walk"


def test_included_actors_and_plugins_of_includes_are_kept(tmp_path: Path) -> None:
    (tmp_path / "walker.sdf").write_text(
        '<sdf version="1.9"><actor name="walker"><skin><filename>a.dae</filename></skin></actor></sdf>'
    )
    (tmp_path / "cup.sdf").write_text(
        f'<sdf version="1.9"><model name="cup">{link("l")}</model></sdf>'
    )
    plugin = '<plugin name="follow" filename="f"/>'
    inside = f"""<include><uri>walker.sdf</uri><name>one</name><pose>1 0 0 0 0 0</pose>{plugin}</include>
      <include><uri>cup.sdf</uri>{plugin}</include>"""
    world = read(tmp_path, inside)
    (actor,) = world.extras
    assert actor.label == "<actor> one"
    assert actor.pose is not None
    assert actor.pose[0] == 1.0
    assert [child.tag for child in actor.element.children] == ["pose", "skin", "plugin"]
    (cup,) = world.bodies
    assert labels(cup.extras) == ["<plugin> follow"]


def test_nested_models_are_joined_to_the_outer_one(tmp_path: Path) -> None:
    inner = f"""<model name="arm"><pose>1 0 0 0 0 1.5707963267948966</pose>
      <frame name="tip" attached_to="l"><pose>0 0 0.5 0 0 0</pose></frame>
      {link("l", 0.5, IMU)}<plugin name="p" filename="f"/></model>"""
    inside = f"""{link("base")}{inner}<joint name="turn" type="revolute">
      <pose relative_to="arm::tip">0 0 0 0 0 0</pose>
      <parent>base</parent><child>arm::l</child><axis><xyz>0 0 1</xyz></axis></joint>"""
    body = one_body(tmp_path, inside)
    assert [part.name for part in body.links] == ["base", "arm::l"]
    assert body.links[1].pose[:3] == pytest.approx((1.0, 0.5, 0.0))
    (turn,) = body.joints
    assert turn.anchor == pytest.approx((0.0, 0.0, 0.5))
    (plugin,) = body.extras
    assert plugin.scope == "arm"


def test_a_joint_of_a_nested_model_has_its_name(tmp_path: Path) -> None:
    inner = f"""<model name="arm">{link("l")}{link("m")}<joint name="k" type="revolute">
      <parent>l</parent><child>m</child><axis><xyz>0 1 0</xyz></axis></joint></model>"""
    body = one_body(tmp_path, link("base") + inner + fixed("w", "base", "arm"))
    (joint,) = body.joints
    assert (joint.name, joint.parent, joint.child) == ("arm::k", "base", "arm::m")


def test_a_merged_include_keeps_the_names_of_its_links(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(
        f'<sdf version="1.9"><model name="arm"><frame name="tip"><pose>0 0 1 0 0 0</pose></frame>{link("l")}'
        "</model></sdf>"
    )
    inside = f"""{link("base")}<include merge="true"><uri>arm.sdf</uri><pose>2 0 0 0 0 0</pose>
      <placement_frame>tip</placement_frame></include>
      <joint name="j" type="prismatic"><pose relative_to="tip"/><parent>base</parent><child>l</child>
      <axis><xyz>0 0 1</xyz></axis></joint>"""
    body = one_body(tmp_path, inside)
    assert [part.name for part in body.links] == ["base", "l"]
    assert body.links[1].pose[:3] == pytest.approx((2.0, 0.0, -1.0))
    assert body.joints[0].anchor == pytest.approx((0.0, 0.0, 1.0))


def test_joints_may_name_frames_and_nested_models(tmp_path: Path) -> None:
    inside = f"""{link("base")}<frame name="flange" attached_to="base"><pose>0 0 1 0 0 0</pose></frame>
      <model name="tool">{link("l")}</model>
      <joint name="j" type="ball"><parent>flange</parent><child>tool</child></joint>"""
    (joint,) = one_body(tmp_path, inside).joints
    assert (joint.parent, joint.child, joint.kind) == ("base", "tool::l", JointKind.BALL)


def test_a_universal_joint_becomes_two_hinges(tmp_path: Path) -> None:
    inside = f"""{link("a")}{link("b", 1.0)}<joint name="u" type="universal"><parent>a</parent>
      <child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-1</lower></limit></axis>
      <axis2><xyz>0 1 0</xyz></axis2></joint>"""
    body = one_body(tmp_path, inside)
    assert [part.name for part in body.links] == ["a", "u_cross", "b"]
    first, second = body.joints
    assert (first.name, first.axis, first.lower) == ("u", (1.0, 0.0, 0.0), -1.0)
    assert (second.name, second.axis, second.lower) == ("u_second", (0.0, 1.0, 0.0), None)
    assert body.links[1].pose[:3] == (1.0, 0.0, 0.0)
    assert body.links[2].pose[:3] == (0.0, 0.0, 0.0)


def test_loose_links_share_a_models_plugins_by_what_these_name(tmp_path: Path) -> None:
    plugin = '<plugin name="p" filename="f"><link>b</link></plugin><plugin name="q" filename="f"/>'
    world = read(tmp_path, f'<model name="pair">{link("a")}{link("b")}{plugin}</model>')
    assert [labels(body.extras) for body in world.bodies] == [["<plugin> q"], ["<plugin> p"]]


def test_a_static_model_of_plugins_alone_is_a_body_without_shape(tmp_path: Path) -> None:
    body = one_body(tmp_path, '<static>true</static><plugin name="p" filename="f"/>')
    assert body.static
    assert body.links[0].geometries == ()
    assert labels(body.extras) == ["<plugin> p"]


def test_two_hyphens_in_a_comment_are_accepted_as_in_gazebo(tmp_path: Path) -> None:
    head = '<?xml version="1.0"?>\n<!-- gz sim --iterations 5\n--verbose -->\n'
    assert read(tmp_path, f'<model name="m">{link("a")}</model>', head).bodies
    with pytest.raises(BadInput, match="line 6"):
        read(tmp_path, '<model name="m">\n<link/></model>', head)


def test_a_model_in_fuels_cache_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GZ_FUEL_CACHE_PATH", str(tmp_path / "fuel"))
    base = tmp_path / "fuel" / "fuel.gazebosim.org" / "openrobotics" / "models" / "my cup"
    for version in ("2", "10"):
        (base / version).mkdir(parents=True)
        model = f'<model name="cup{version}">{link("l")}</model>'
        (base / version / "model.sdf").write_text(f'<sdf version="1.9">{model}</sdf>')
    uri = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/My Cup"
    for reference, name in ((uri, "cup10"), (f"{uri}/2", "cup2")):
        (body,) = read(tmp_path, f"<include><uri>{reference}</uri></include>").bodies
        assert body.name == name
    with pytest.raises(BadInput, match="Other Cup") as error:
        read(tmp_path, f"<include><uri>{uri.replace('My', 'Other')}</uri></include>")
    assert "gz fuel download" in str(error.value)


def test_what_an_engine_ignores_is_named(tmp_path: Path) -> None:
    shapes = """<collision name="c"><geometry><heightmap><uri>a.png</uri></heightmap></geometry></collision>
      <visual name="v"><geometry><box><size>1 1 1</size></box></geometry><laser_retro>3</laser_retro>
      <material><diffuse>1 0 0</diffuse><pbr/></material></visual>"""
    notes = Notes()
    note_ignored(read(tmp_path, f'<gui/><model name="m">{link("a", 0.0, shapes)}</model>'), notes)
    place = "world w.sdf: model m, link a"
    assert [
        note.replace(" is not carried over; engine gz carries it over", "") for note in notes.all()
    ] == [
        "world w.sdf: <gui>",
        f"{place}: <heightmap>",
        f"{place}: <laser_retro>",
        f"{place}: <pbr>",
    ]


def test_what_an_engine_ignores_in_many_places_is_named_once(tmp_path: Path) -> None:
    notes = Notes()
    world = read(tmp_path, f'<model name="m">{link("a", 0.0, IMU)}{link("b", 0.0, IMU)}</model>')
    note_ignored(world, notes)
    (note,) = notes.all()
    assert "link a: <sensor> is not carried over here and elsewhere (1 more); engine gz" in note
