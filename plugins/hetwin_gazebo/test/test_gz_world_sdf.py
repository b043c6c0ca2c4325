"""What is written for Gazebo means what was read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support.rovers import rover
from support.small_worlds import HAND, PERIOD, at, box, floor, gripper

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import ShapeKind
from hetwin_gazebo.options import GazeboOptions
from hetwin_gazebo.parts import lumps
from hetwin_gazebo.proxies.selection import (
    DRIVEN,
    STATIC,
    YIELDING,
    ProxyKind,
    mask,
    masks,
)
from hetwin_gazebo.shadow import Shadow
from hetwin_gazebo.world_sdf import SdfWriter
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Base,
    Body,
    Geometry,
    Hull,
    Inertial,
    Joint,
    JointDrive,
    JointKind,
    MeshFile,
    World,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.sdf.reader import read_world


def written(
    folder: Path, *bodies: Body, kind: ProxyKind = ProxyKind.PLAIN, displayed: bool = False
) -> Path:
    """Write a file with these bodies; objects as this kind of proxy."""
    world = World("test", bodies, hands=(HAND,) if any(b.name == "gripper" for b in bodies) else ())
    shadow = Shadow(world, EngineSettings(PERIOD), Notes())
    writer = SdfWriter("test", world.gravity, 0.00125, GazeboOptions(), folder, "/contacts")
    for i, body in enumerate(bodies):
        parts = lumps(body, shadow.inertial)
        writer.add(
            body,
            parts,
            name=body.name,
            pose=body.pose,
            kind=None if body.static or body.robot else kind,
            index=i,
            displayed=displayed,
        )
    file = folder / "world.sdf"
    file.write_text(writer.text(), "utf-8")
    return file


def test_bodies_are_read_back_as_they_were(tmp_path: Path) -> None:
    turned = (0.1, 0.2, 0.3, np.cos(0.2), 0.0, np.sin(0.2), 0.0)
    before = (floor(), box("box", turned, (0.1, 0.2, 0.3), 0.7, mu=0.3))
    world = read_world(written(tmp_path, *before), Notes())
    assert [body.name for body in world.bodies] == ["floor", "box"]
    assert [body.static for body in world.bodies] == [True, False]
    read = world.bodies[1]
    assert read.pose == pytest.approx(turned, abs=1e-12)
    (geometry,) = read.links[0].geometries
    assert (geometry.size, geometry.friction) == ((0.1, 0.2, 0.3), 0.3)
    inertial = read.links[0].inertial
    assert inertial is not None
    assert inertial.mass == pytest.approx(0.7)
    expected = 0.7 / 12 * np.array([0.2**2 + 0.3**2, 0.1**2 + 0.3**2, 0.1**2 + 0.2**2])
    assert sorted(inertial.inertia[:3]) == pytest.approx(sorted(expected))


def test_the_robot_keeps_its_joints_and_loses_its_limits(tmp_path: Path) -> None:
    root = ET.parse(written(tmp_path, gripper(at(0, 0, 1)))).getroot()
    joints = {j.get("name"): j for j in root.iter("joint")}
    assert {"move_x", "move_y", "move_z", "close_left", "close_right"} < set(joints)
    assert joints["move_y"].findtext("axis/xyz") == "0.0 1.0 0.0"
    assert float(joints["move_x"].findtext("axis/limit/upper") or 0) > 1e15
    assert joints["to the world"].get("type") == "fixed"


def test_links_that_are_fixed_to_each_other_become_one(tmp_path: Path) -> None:
    base = box("base", at(0, 0, 1)).links[0]
    top = box("top", IDENTITY, (0.02, 0.02, 0.02), 0.1).links[0]
    top = replace(top, pose=at(0, 0, 0.06))
    body = Body("tower", (base, top), (Joint("glue", JointKind.FIXED, "base", "top"),), at(0, 0, 1))
    root = ET.parse(written(tmp_path, body)).getroot()
    (link,) = root.iter("link")
    assert link.findtext("inertial/mass") == "0.6"
    poses = [c.findtext("pose") or "" for c in link.iter("collision")]
    assert poses[1].startswith("0.0 0.0 0.06 ")


@pytest.mark.parametrize("kind", list(ProxyKind))
def test_masks_let_only_free_objects_touch(kind: ProxyKind) -> None:
    bits = mask(kind, 3)
    assert bool(bits & DRIVEN) is (kind is ProxyKind.PLAIN)
    assert bool(bits & STATIC) is (kind in (ProxyKind.PLAIN, ProxyKind.PASSING))
    assert bool(bits & mask(ProxyKind.PLAIN, 0)) is (kind is not ProxyKind.GHOST)
    assert not mask(ProxyKind.KINEMATIC, 1) & mask(ProxyKind.KINEMATIC, 2)
    assert not DRIVEN & STATIC
    assert bool(bits & YIELDING) is (kind is ProxyKind.PLAIN)
    assert STATIC & YIELDING


def links_of(file: Path) -> dict[str, ET.Element]:
    return {link.get("name", ""): link for link in ET.parse(file).getroot().iter("link")}


def bits_of(link: ET.Element) -> set[str | None]:
    return {bits.text for bits in link.iter("collide_bitmask")}


def test_a_base_that_is_led_is_heavy_and_has_no_weight(tmp_path: Path) -> None:
    links = links_of(written(tmp_path, rover(Base.FOLLOWED)))
    assert float(links["foot"].findtext("inertial/mass") or 0) >= 1e4
    assert float(links["left_wheel"].findtext("inertial/mass") or 0) == 1.0
    assert {link.findtext("gravity") for link in links.values()} == {"false"}
    # Its wheels are not pushed against the floor, whatever drives them.
    assert set.union(*map(bits_of, links.values())) == {"1"}
    assert ET.parse(tmp_path / "world.sdf").find(".//joint[@type='fixed']") is None


def test_a_free_base_has_its_own_weight_and_stands_on_what_rests(tmp_path: Path) -> None:
    links = links_of(written(tmp_path, rover(Base.FREE)))
    assert float(links["foot"].findtext("inertial/mass") or 0) == pytest.approx(20.2)
    assert {link.findtext("gravity") for link in links.values()} == {None}
    assert set.union(*map(bits_of, links.values())) == {str(YIELDING)}


def test_what_a_limited_joint_moves_gives_way_to_what_rests(tmp_path: Path) -> None:
    drive = JointDrive(DriveMode.LIMITED, 100.0, None, 20.0)
    mast = replace(rover(Base.FIXED, mast=drive).joints[-1], lower=-0.5, upper=1.5)
    body = rover(Base.FIXED, wheels=JointDrive(), mast=drive)
    file = written(tmp_path, replace(body, joints=(*body.joints[:-1], mast)))
    links = links_of(file)
    assert bits_of(links["mast"]) == {str(YIELDING)}
    assert bits_of(links["foot"]) == bits_of(links["left_wheel"]) == {"1"}
    limit = ET.parse(file).find(".//joint[@name='lean']/axis/limit")
    assert limit is not None
    assert {part.tag: float(part.text or 0) for part in limit} == {
        "lower": -0.5,
        "upper": 1.5,
        "effort": 20.0,
    }


def test_robots_that_are_led_do_not_collide_with_each_other() -> None:
    (one,), (other,) = (set(masks(gripper(), number).values()) for number in (0, 1))
    assert not one & other
    assert (one | other) & DRIVEN == one | other
    (rolling,) = set(masks(rover(Base.FREE), 2).values())
    assert rolling & one
    assert rolling & other


def test_a_kinematic_proxy_is_heavy_and_has_no_weight(tmp_path: Path) -> None:
    root = ET.parse(written(tmp_path, box("box", IDENTITY), kind=ProxyKind.KINEMATIC)).getroot()
    assert float(root.findtext(".//inertial/mass") or 0) >= 1e4
    assert root.findtext(".//link/gravity") == "false"


def test_what_has_no_visual_is_displayed_by_its_collisions(tmp_path: Path) -> None:
    shown = ET.parse(written(tmp_path, box("box", IDENTITY), displayed=True)).getroot()
    (visual,) = shown.iter("visual")
    assert visual.findtext("geometry/box/size") == "0.1 0.1 0.1"
    hidden = ET.parse(written(tmp_path, box("box", IDENTITY))).getroot()
    assert not list(hidden.iter("visual"))


def test_a_mesh_is_displayed_in_full_and_in_its_own_colours(tmp_path: Path) -> None:
    file = MeshFile(tmp_path / "cup.dae", (0.001, 0.001, 0.001))
    hull = Hull(np.eye(4, 3), np.array([[0, 1, 2]], np.int32))
    mesh = Geometry(ShapeKind.MESH, collides=False, hull=hull, mesh=file)
    link = replace(box("cup", IDENTITY).links[0], name="cup")
    link = replace(link, geometries=(*link.geometries, mesh, replace(mesh, rgba=(1, 0, 0, 1))))
    cup = Body("cup", (link,))
    root = ET.parse(written(tmp_path, cup, displayed=True)).getroot()
    own, red = root.iter("visual")
    assert own.findtext("geometry/mesh/uri") == (tmp_path / "cup.dae").as_uri()
    assert own.findtext("geometry/mesh/scale") == "0.001 0.001 0.001"
    assert own.find("material") is None
    assert red.findtext("material/diffuse") == "1.0 0.0 0.0 1.0"


def test_a_picture_has_no_collisions_and_no_weight(tmp_path: Path) -> None:
    writer = SdfWriter("test", (0, 0, -9.81), 0.001, GazeboOptions(), tmp_path, "/contacts")
    (lump,) = lumps(box("box", IDENTITY), lambda _: Inertial(2.0)).values()
    writer.add_picture("box", lump, at(1, 2, 3))
    (model,) = ET.fromstring(writer.text()).iter("model")
    assert len(list(model.iter("visual"))) == 1
    assert not list(model.iter("collision"))
    assert model.findtext("link/gravity") == "false"


def test_only_a_visible_world_is_published(tmp_path: Path) -> None:
    for visible in (True, False):
        options = GazeboOptions(visible=visible)
        writer = SdfWriter("test", (0, 0, -9.81), 0.001, options, tmp_path, "/contacts")
        names = {p.get("name", "") for p in ET.fromstring(writer.text()).iter("plugin")}
        assert ("gz::sim::systems::SceneBroadcaster" in names) is visible


def test_a_visible_world_without_lights_gets_one(tmp_path: Path) -> None:
    for visible in (True, False):
        options = GazeboOptions(visible=visible)
        writer = SdfWriter("test", (0, 0, -9.81), 0.001, options, tmp_path, "/contacts")
        writer.add_users((), options)
        assert len(list(ET.fromstring(writer.text()).iter("light"))) == visible
