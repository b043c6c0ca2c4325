"""Robots in the layout of MuJoCo's menagerie: a folder with ``ROBOT.xml``, ``scene.xml`` and ``assets/``."""

from __future__ import annotations

import struct
from pathlib import Path

_SCENE = """<mujoco model="{name} scene">
  <include file="{name}.xml"/>
  <statistic center="0 0 0.3" extent="1"/>
  <visual><headlight diffuse="0.6 0.6 0.6"/></visual>
  <asset><texture type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 0" width="8" height="48"/></asset>
  <worldbody>
    <light pos="0 0 1.5" directional="true"/>
    <geom name="floor" size="0 0 0.05" type="plane"/>
    <body name="box" pos="0.5 0 0.03"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.2"/></body>
  </worldbody>
</mujoco>
"""

_CLASSES = """<default>
    <default class="visual"><geom type="mesh" contype="0" conaffinity="0" group="2"/></default>
    <default class="collision"><geom type="capsule" group="3" rgba="0.4 0.4 0.4 1"/></default>
    <default class="finger"><joint type="slide" axis="0 1 0" range="0 0.04" damping="5"/></default>
  </default>"""


def _arm(hand: str, prefix: str = "") -> str:
    """Three links and what is at their end."""
    return f"""<body name="{prefix}base">
      <geom class="visual" mesh="link"/><geom class="collision" size="0.05 0.04"/>
      <body name="{prefix}upper" pos="0 0 0.1">
        <joint name="{prefix}joint1" axis="0 0 1" range="-2.8 2.8"/>
        <geom class="collision" size="0.04" fromto="0 0 0 0 0 0.25"/>
        <body name="{prefix}lower" pos="0 0 0.25" quat="0.707107 0 -0.707107 0">
          <joint name="{prefix}joint2" axis="0 1 0" range="-1.5 1.5" ref="0.2"/>
          <geom class="collision" size="0.03" fromto="0 0 0 0.2 0 0"/>
          <body name="{prefix}wrist" pos="0.2 0 0" euler="0 90 0">
            <joint name="{prefix}joint3" axis="0 0 1" pos="0.01 0 0" range="-3 3"/>
            <geom class="collision" size="0.03 0.02" pos="0 0 0.02"/>
            {hand}
          </body>
        </body>
      </body>
    </body>"""


def _motors(prefix: str = "") -> str:
    return "".join(
        f'<position name="{prefix}a{i}" joint="{prefix}joint{i}" kp="200" forcerange="-80 80"/>'
        for i in (1, 2, 3)
    )


_PARALLEL = """<body name="hand" pos="0 0 0.06">
  <geom class="collision" type="box" size="0.03 0.06 0.02"/>
  <body name="left_finger" pos="0 0 0.02"><joint name="finger_joint1" class="finger"/>
    <geom class="collision" type="box" size="0.01 0.008 0.03" pos="0 0.008 0.03" friction="2"/></body>
  <body name="right_finger" pos="0 0 0.02" quat="0 0 0 1"><joint name="finger_joint2" class="finger"/>
    <geom class="collision" type="box" size="0.01 0.008 0.03" pos="0 0.008 0.03" friction="2"/></body>
</body>"""

_ONE_JAW = """<body name="gripper" pos="0 0 0.05">
  <geom class="collision" type="box" size="0.01 0.02 0.05" pos="0.02 0 0.05"/>
  <body name="moving_jaw" pos="-0.01 0 0"><joint name="jaw" axis="0 1 0" range="-1.2 0.1"/>
    <geom class="collision" type="box" size="0.01 0.02 0.05" pos="-0.005 0 0.05"/></body>
</body>"""

_LINKAGE = """<body name="palm" pos="0 0 0.04">
  <geom class="collision" type="box" size="0.02 0.06 0.02"/>
  {sides}
</body>"""

_SIDE = """<body name="{s}_driver" pos="0 {y}0.03 0.03" quat="{q}">
    <joint name="{s}_driver_joint" axis="1 0 0" range="0 0.8"/>
    <geom class="collision" size="0.004" fromto="0 0 0 0 0.03 0.02"/>
  </body>
  <body name="{s}_spring_link" pos="0 {y}0.015 0.03" quat="{q}">
    <joint name="{s}_spring_link_joint" axis="1 0 0" range="-0.2 1"/>
    <geom class="collision" size="0.004" fromto="0 0 0 0 0.03 0.02"/>
    <body name="{s}_finger" pos="0 0.03 0.02"><joint name="{s}_finger_joint" axis="1 0 0" range="-1 1"/>
      <geom class="collision" type="box" size="0.01 0.006 0.025" pos="0 0.006 0.03"/></body>
  </body>"""
_SIDES = _SIDE.format(s="right", y="", q="1 0 0 0") + _SIDE.format(s="left", y="-", q="0 0 0 1")

_FINGERS = """<body name="palm" pos="0 0 0.05">
  <geom class="collision" type="box" size="0.04 0.04 0.02"/>
  {fingers}
</body>"""
_FINGER = """<body name="{n}_proximal" pos="{x} {y} 0.02"><joint name="{n}_0" axis="{a} 0 0" range="0 1.2"/>
    <geom class="collision" size="0.008" fromto="0 0 0 0 0 0.04"/>
    <body name="{n}_distal" pos="0 0 0.04"><joint name="{n}_1" axis="{a} 0 0" range="0 1.2"/>
      <geom class="collision" size="0.008" fromto="0 0 0 0 0 0.03"/></body></body>"""

_EQUAL = "<equality><joint joint1='{0}finger_joint1' joint2='{0}finger_joint2'/></equality>"


def _named(hand: str, prefix: str) -> str:
    for name in ("hand", "left_finger", "right_finger", "finger_joint1", "finger_joint2"):
        hand = hand.replace(f'name="{name}"', f'name="{prefix}{name}"')
    return hand


def _robots() -> dict[str, tuple[str, str]]:
    """Robot -> its bodies, and what stands behind them."""
    motors = f"<actuator>{_motors()}{{}}</actuator>"
    split = (
        "<tendon><fixed name='split'><joint joint='{a}' coef='0.5'/><joint joint='{b}' coef='0.5'/></fixed></tendon>"
        "<equality><joint joint1='{a}' joint2='{b}'/>{more}</equality>"
    )
    drive = "<general name='grip' tendon='split' ctrlrange='0 255'/>"
    connected = "".join(
        f"<connect body1='{s}_driver' body2='{s}_finger' anchor='0 0.03 0.02'/>"
        for s in ("right", "left")
    )
    panda = split.format(a="finger_joint1", b="finger_joint2", more="")
    linkage = split.format(a="right_driver_joint", b="left_driver_joint", more=connected)
    fingers = "".join(
        _FINGER.format(n=n, x=x, y=y, a=a)
        for n, x, y, a in (
            ("index", 0.025, 0.03, 1),
            ("ring", -0.025, 0.03, 1),
            ("thumb", 0, -0.03, -1),
        )
    )
    two = "".join(_motors(p) for p in ("left/", "right/"))
    arms = "".join(
        f'<body name="{p}mount" pos="0 {y} 0">{_arm(_named(_PARALLEL, p), p)}</body>'
        for p, y in (("left/", 0.4), ("right/", -0.4))
    )
    return {
        "parallel": (_arm(_PARALLEL), panda + motors.format(drive)),
        "one_jaw": (_arm(_ONE_JAW), motors.format("<position joint='jaw' kp='20'/>")),
        "linkage": (_arm(_LINKAGE.format(sides=_SIDES)), linkage + motors.format(drive)),
        "fingers": (_arm(_FINGERS.format(fingers=fingers)), motors.format("")),
        "two_arms": (
            arms,
            f"<actuator>{two}</actuator>" + _EQUAL.format("left/") + _EQUAL.format("right/"),
        ),
    }


ROBOTS = tuple(_robots())
"""A parallel hand, one jaw, a closed linkage, three fingers, two arms at one table."""


def write_robot(name: str, folder: Path, *, mesh: bool = True) -> Path:
    """Write a robot; returns its file, beside which is ``scene.xml``.

    Args:
        name: one of `ROBOTS`.
        folder: where its own folder is made.
        mesh: whether the mesh that it refers to is there.
    """
    home = folder / name
    (home / "assets").mkdir(parents=True)
    bodies, rest = _robots()[name]
    file = home / f"{name}.xml"
    file.write_text(
        f"""<mujoco model="{name}">
  <compiler angle="{"radian"}" eulerseq="xyz" meshdir="assets" autolimits="true"/>
  {_CLASSES}
  <asset><mesh name="link" file="link.stl" scale="0.1 0.1 0.1"/></asset>
  <worldbody>{bodies.replace('euler="0 90 0"', 'euler="0 1.5707963 0"')}</worldbody>
  {rest}
</mujoco>
"""
    )
    (home / "scene.xml").write_text(_SCENE.format(name=name))
    if mesh:
        write_wedge(home / "assets" / "link.stl")
    return file


def write_wedge(file: Path) -> None:
    """Write a mesh whose middle is not at its origin, as binary STL."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    triangles = b"".join(
        struct.pack("<3f", 0, 0, 0)
        + b"".join(struct.pack("<3f", *corners[i]) for i in face)
        + b"\0\0"
        for face in faces
    )
    file.write_bytes(b"\0" * 80 + struct.pack("<I", len(faces)) + triangles)
