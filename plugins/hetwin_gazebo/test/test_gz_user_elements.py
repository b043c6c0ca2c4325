"""What Gazebo gets of a world's own elements, as text."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.small_worlds import PERIOD

from hetwin_gazebo.options import GazeboOptions, read_options
from hetwin_gazebo.parts import lumps, merge_fixed_lumps
from hetwin_gazebo.proxies.selection import STATIC, ProxyKind
from hetwin_gazebo.shadow import Shadow
from hetwin_gazebo.user_world import (
    note_carried,
    note_divided,
    note_left_behind,
    options_of_world,
    with_gazebo_names,
)
from hetwin_gazebo.world_sdf import SdfWriter
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.sdf.reader import read_world

MASS = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BOX = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
IMU = '<sensor name="imu" type="imu"><pose>0 0 0.1 0 0 0</pose></sensor>'


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{MASS}<collision name="shell">{BOX}</collision>{inside}</link>'


def read(folder: Path, inside: str) -> World:
    file = folder / "own.sdf"
    file.write_text(f'<sdf version="1.9"><world name="lab">{inside}</world></sdf>')
    return read_world(file)


def written(
    folder: Path,
    inside: str,
    kind: ProxyKind = ProxyKind.PLAIN,
    options: GazeboOptions | None = None,
) -> ET.Element:
    """Return the world that Gazebo gets of this one."""
    world = with_gazebo_names(read(folder, inside))
    options = options or GazeboOptions()
    shadow = Shadow(world, EngineSettings(PERIOD), Notes())
    writer = SdfWriter("lab", world.gravity, 0.00125, options, folder, "/contacts")
    for i, body in enumerate(world.bodies):
        parts = lumps(body, shadow.inertial)
        if kind is not ProxyKind.PLAIN:
            parts = merge_fixed_lumps(body, parts)
        own = None if body.static else kind
        writer.add(body, parts, name=body.name, pose=body.pose, kind=own, index=i)
    writer.add_users(world.extras, options)
    found = ET.fromstring(writer.text()).find("world")
    assert found is not None
    return found


def test_lights_actors_and_plugins_are_where_they_were(tmp_path: Path) -> None:
    inside = """<light name="sun" type="point"><pose>1 2 3 0 0 0</pose><diffuse>1 0 0 1</diffuse></light>
      <actor name="walker"><script><loop>1</loop></script></actor>
      <plugin filename="gz-sim-imu-system" name="gz::sim::systems::Imu"><a b="c">d</a></plugin>
      <magnetic_field>1 2 3</magnetic_field>"""
    world = written(tmp_path, inside)
    assert (world.findtext("light/pose") or "").startswith("1.0 2.0 3.0 ")
    assert world.findtext("light/diffuse") == "1 0 0 1"
    assert world.findtext("actor/script/loop") == "1"
    assert world.findtext("magnetic_field") == "1 2 3"
    imu = next(p for p in world.findall("plugin") if p.get("filename") == "gz-sim-imu-system")
    assert imu.find("a[@b='c']") is not None


def test_plugins_that_hetwin_has_itself_are_there_once_with_the_users_settings(
    tmp_path: Path,
) -> None:
    inside = """<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics">
      <include_entity_names>false</include_entity_names></plugin>
      <plugin filename="ignition-gazebo-contact-system" name="ignition::gazebo::systems::Contact"/>"""
    plugins = written(tmp_path, inside).findall("plugin")
    names = [(p.get("name") or "").rpartition("::")[2] for p in plugins]
    assert len(names) == len(set(names))
    physics = plugins[names.index("Physics")]
    assert physics.findtext("engine/filename") == "gz-physics-dartsim-plugin"
    assert physics.findtext("include_entity_names") == "false"


PHYSICS = """<physics name="mine" type="ignored"><max_step_size>0.01</max_step_size><max_contacts>7</max_contacts>
  <dart><collision_detector>bullet</collision_detector><solver><solver_type>pgs</solver_type></solver></dart></physics>"""


def test_settings_of_physics_are_carried_over_but_for_the_step(tmp_path: Path) -> None:
    (physics,) = written(tmp_path, PHYSICS).findall("physics")
    assert physics.findtext("max_step_size") == "0.00125"
    assert physics.findtext("max_contacts") == "7"
    assert physics.findtext("dart/collision_detector") == "bullet"
    assert [s.text for s in physics.iter("solver_type")] == ["pgs"]
    notes = Notes()
    options_of_world(GazeboOptions(), read(tmp_path, PHYSICS), notes)
    (note,) = notes.all()
    assert "<max_step_size> 0.01 is not carried over" in note


def test_policies_are_merged(tmp_path: Path) -> None:
    inside = """<gz:policies><include_gui_default_plugins>false</include_gui_default_plugins>
      <include_server_config_plugins>true</include_server_config_plugins></gz:policies>"""
    (policies,) = written(tmp_path, inside).findall("{http://gazebosim.org/schema}policies")
    assert policies.findtext("include_gui_default_plugins") == "false"
    assert policies.findtext("include_server_config_plugins") == "false"
    notes = Notes()
    options_of_world(GazeboOptions(), read(tmp_path, inside), notes)
    assert "<include_server_config_plugins> true is not carried over" in notes.all()[0]


def test_the_scenarios_options_override_the_worlds_settings(tmp_path: Path) -> None:
    options = read_options({"collision_detector": "fcl"})
    (physics,) = written(tmp_path, PHYSICS, options=options).findall("physics")
    assert physics.findtext("dart/collision_detector") == "fcl"
    assert physics.findtext("dart/solver/solver_type") == "pgs"


@pytest.mark.parametrize(
    ("file", "given", "used", "noted"),
    [
        ("gz-physics-bullet-featherstone-plugin", {}, "bullet-featherstone", False),
        ("libgz-physics7-bullet-featherstone-plugin.so", {}, "bullet-featherstone", False),
        ("gz-physics-bullet-featherstone-plugin", {"physics": "dartsim"}, "dartsim", False),
        ("gz-physics-tpe-plugin", {}, "dartsim", True),
    ],
)
def test_the_worlds_physics_engine_is_used_if_it_can_be(
    tmp_path: Path, file: str, given: dict[str, str], used: str, noted: bool
) -> None:
    inside = f"""<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics">
      <engine><filename>{file}</filename></engine></plugin>"""
    notes = Notes()
    options = options_of_world(read_options(given), read(tmp_path, inside), notes)
    assert options.physics == used
    assert any(file in note for note in notes.all()) is noted


SENSING = f"""<model name="m"><plugin name="p" filename="f"/>{link("a")}{link("b", IMU)}
  <joint name="glue" type="fixed"><parent>a</parent><child>b</child>
  <sensor name="ft" type="force_torque"/></joint></model>"""


def test_sensors_are_in_their_own_links_and_joints(tmp_path: Path) -> None:
    (model,) = written(tmp_path, SENSING).findall("model[@name='m']")
    assert model.find("plugin[@name='p']") is not None
    head = model.find("link[@name='b']")
    assert head is not None
    assert (head.findtext("sensor[@name='imu']/pose") or "").startswith("0.0 0.0 0.1 ")
    assert [c.get("name") for c in head.findall("collision")] == ["shell"]
    glue = model.find("joint[@name='glue']")
    assert glue is not None
    assert glue.get("type") == "fixed"
    assert glue.find("sensor[@name='ft']") is not None


@pytest.mark.parametrize("kind", [ProxyKind.KINEMATIC, ProxyKind.PASSING, ProxyKind.GHOST])
def test_no_other_proxy_has_the_sensors_and_plugins(tmp_path: Path, kind: ProxyKind) -> None:
    (model,) = written(tmp_path, SENSING, kind).findall("model[@name='m']")
    assert len(model.findall("link")) == 1
    names = [element.get("name") for element in (*model.iter("sensor"), *model.iter("plugin"))]
    assert not {"imu", "ft", "p"} & set(names)
    collisions = [c.get("name") for c in model.findall("link/collision")]
    assert collisions == ["shell", "geometry_1"]


def test_shapes_that_only_gazebo_knows_collide_as_their_body(tmp_path: Path) -> None:
    prism = "<geometry><polyline><point>0 0</point><height>1</height></polyline></geometry>"
    surface = "<surface><contact><collide_bitmask>77</collide_bitmask></contact></surface>"
    inside = f"""<model name="hill"><static>true</static><link name="l"><pose>0 0 5 0 0 0</pose>
      <collision name="c">{prism}{surface}</collision></link></model>"""
    collision = written(tmp_path, inside).find("model[@name='hill']/link/collision[@name='c']")
    assert collision is not None
    assert collision.find("geometry/polyline") is not None
    assert (collision.findtext("pose") or "").startswith("0.0 0.0 5.0 ")
    assert [b.text for b in collision.iter("collide_bitmask")] == [str(STATIC)]


def test_surfaces_and_limits_of_joints_are_carried_over(tmp_path: Path) -> None:
    surface = """<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2><slip1>0.1</slip1></ode></friction>
      <bounce><restitution_coefficient>0.3</restitution_coefficient></bounce></surface>"""
    wheel = f'<link name="w">{MASS}<collision name="c">{BOX}{surface}</collision></link>'
    inside = f"""<model name="m">{link("a")}{wheel}<joint name="j" type="revolute"><parent>a</parent>
      <child>w</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><effort>5</effort></limit></axis>
      </joint></model>"""
    model = written(tmp_path, inside).find("model[@name='m']")
    assert model is not None
    (ode,) = model.findall("link[@name='w']/collision/surface/friction/ode")
    assert (ode.findtext("mu"), ode.findtext("slip1")) == ("0.5", "0.1")
    assert model.find("link[@name='w']/collision/surface/bounce") is not None
    assert model.findtext("joint/axis/limit/effort") == "5"
    assert model.findtext("joint/axis/limit/lower") == "-1.0"


def test_nested_models_are_nested(tmp_path: Path) -> None:
    inner = f"""<model name="arm"><plugin name="p" filename="f"/>{link("l")}{link("m")}
      <joint name="k" type="revolute"><parent>l</parent><child>m</child><axis><xyz>0 1 0</xyz></axis></joint>
      </model>"""
    inside = f"""<model name="robot">{link("base")}{inner}<joint name="j" type="ball"><parent>base</parent>
      <child>arm::l</child></joint></model>"""
    model = written(tmp_path, inside).find("model[@name='robot']")
    assert model is not None
    assert [e.get("name") for e in model.findall("model/link")] == ["l", "m"]
    assert model.find("model/plugin[@name='p']") is not None
    inner_joint, outer = model.find("model/joint"), model.find("joint")
    assert inner_joint is not None
    assert outer is not None
    assert (inner_joint.get("name"), inner_joint.findtext("child")) == ("k", "m")
    assert (outer.get("type"), outer.findtext("child")) == ("ball", "arm::l")


def test_elements_refer_to_the_parts_of_a_divided_model(tmp_path: Path) -> None:
    inside = f"""<plugin name="wet" filename="f"><enable>pair</enable><enable>pair::b::shell</enable>
      <enable>other</enable></plugin><model name="pair">{link("a")}{link("b", IMU)}</model>"""
    world = written(tmp_path, inside)
    plugin = world.find("plugin[@name='wet']")
    assert plugin is not None
    assert [e.text for e in plugin] == ["pair.a", "pair.b", "pair.b::b::shell", "other"]
    assert [t.text for t in world.iter("topic") if "imu" in (t.text or "")] == [
        "/world/lab/model/pair/link/b/sensor/imu/imu"
    ]


def test_what_gazebo_gets_is_said(tmp_path: Path) -> None:
    notes = Notes()
    world = read(tmp_path, f"<gui/>{SENSING}<model name='pair'>{link('a')}{link('b')}</model>")
    note_carried(world, notes)
    note_divided(world, notes)
    carried, divided = notes.all()
    assert carried == "world lab: carried over to Gazebo: 1 <gui>, 1 <plugin>, 2 <sensor>"
    assert divided.endswith("is loaded as 2 models: pair.a, pair.b")


def test_an_object_that_leaves_its_sensors_behind_is_named(tmp_path: Path) -> None:
    notes = Notes()
    world = read(tmp_path, f"{SENSING}<model name='cup'>{link('l')}</model>")
    note_left_behind(world, {"m", "cup"}, notes)
    (note,) = notes.all()
    assert note.startswith("model m: 1 <plugin>, 2 <sensor> do not move with it")
    note_left_behind(world, {"cup"}, notes)
    assert len(notes.all()) == 1
