"""A small household: what a test puts on a table, and a finger on two slides that pokes, pushes and cuts."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.transport.local import LocalPort
from support.small_ensemble import Outcome, Recorder

_LINK = """
  <link name="{name}">
    <inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
    {form}
  </link>"""
_FORM = '<collision name="form"><geometry><box size="{size}"/></geometry></collision>'
_JOINT = """
  <joint name="{name}" type="prismatic">
    <parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {height}"/><axis xyz="{axis}"/>
    <limit lower="-2" upper="2" effort="500" velocity="5"/>
  </joint>"""
ROBOT = "".join(
    [
        '<robot name="poker">',
        _LINK.format(name="base", form=""),
        _LINK.format(name="carriage", form=""),
        _LINK.format(name="tip", form=_FORM.format(size="{size}")),
        _JOINT.format(name="along", parent="base", child="carriage", axis="1 0 0", height=1),
        _JOINT.format(name="down", parent="carriage", child="tip", axis="0 0 -1", height=0),
        "</robot>",
    ]
)
WORLD = """
<sdf version="1.9"><world name="home"><gravity>0 0 -9.81</gravity>
  <model name="floor"><static>true</static><link name="link"><collision name="c">
    <geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>
  {models}
</world></sdf>"""


def box(
    name: str,
    place: str,
    size: str = "0.06 0.06 0.06",
    *,
    mass: float = 0.2,
    static: bool = False,
    offset: str = "0 0 0",
) -> str:
    """A box of SDFormat; `place` x y z and `offset` of the box in its frame in metres."""
    moment = mass * 1e-3
    return f"""
  <model name="{name}"><static>{str(static).lower()}</static><pose>{place} 0 0 0</pose><link name="link">
    <inertial><pose>{offset} 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{moment}</ixx><iyy>{moment}</iyy>
      <izz>{moment}</izz></inertia></inertial>
    <collision name="c"><pose>{offset} 0 0 0</pose><geometry><box><size>{size}</size></box></geometry></collision>
  </link></model>"""


def home(
    folder: Path,
    models: Sequence[str],
    keys: str,
    points: Sequence[tuple[float, float, float]] = ((1.0, 0.0, 0.0),),
    *,
    tip: str = "0.02 0.02 0.1",
) -> Path:
    """Write a scenario with a finger above the origin at 1 m, and return its file.

    Args:
        folder: for the files.
        models: of the world, in SDFormat.
        keys: further keys of the scenario, in YAML.
        points: time [s], way along x and way down [m] of the finger's trajectory.
        tip: size of the finger's tip [m].
    """
    (folder / "home.sdf").write_text(WORLD.format(models="".join(models)))
    (folder / "poker.urdf").write_text(ROBOT.format(size=tip))
    rows = "".join(
        f"\n  - {{positions: [{x}, {z}], time_from_start: {time}}}" for time, x, z in points
    )
    (folder / "motion.yaml").write_text(f"joint_names: [along, down]\npoints:{rows}\n")
    file = folder / "home.yaml"
    file.write_text(
        textwrap.dedent(
            """
            scenario: home
            world: home.sdf
            robot: poker.urdf
            rate: 200
            source: {trajectory: motion.yaml}
            hands: {finger: {link: tip}}
            robot_health: off
            """
        )
        + textwrap.dedent(keys)
        + ("" if "models:" in keys else "models: {}\n").replace(
            "{}", "{physics: {type: main_physics, main: true}}"
        )
    )
    return file


def lived(file: Path) -> Outcome:
    """Run the scenario of a file."""
    scenario = load_scenario(file)
    ports = [LocalPort(plan) for plan in scenario.models]
    record = Recorder()
    conductor = session(
        scenario, options=RunOptions(engine="mujoco"), listeners=[record], ports=ports
    )
    conductor.prepare()
    summary = conductor.run()
    return Outcome(summary, record, {port.plan.name: port.model for port in ports})


def happened(outcome: Outcome) -> list[tuple[str, str]]:
    """Names and objects of the events, in order."""
    return [(e.name, str(e.arguments.get("object", ""))) for e in outcome.record.events]
