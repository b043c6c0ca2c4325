"""`hetwin urdf describe`: what a robot or a world has, its tables of joints and its dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.resources import Kind
from hetwin_suite._commands.options import Base, Tip
from hetwin_suite._commands.result import Result

if TYPE_CHECKING:
    from hetwin_suite.digital_robot.describing import Described
    from hetwin_suite.scaffolding.hands import FoundHand


def describe(
    named: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT|WORLD",
            help="URDF, xacro, MJCF or SDFormat file, or a name such as panda or tabletop",
        ),
    ],
    base: Base = None,
    tip: Tip = None,
    measured: Annotated[
        Path | None, typer.Option("--measured", help="CSV name,of,measure,value [m]")
    ] = None,
) -> Result:
    """Describe a robot or a world: links, joints by type, sensors, missing meshes, hands.

    With a chain its table after Denavit and Hartenberg. With measurements, how far the model is from them: of is a
    link, a glob of links, or a thing of the world; measure is height, length, width, diameter, top, x or y.

    Example: hetwin urdf describe urdf/tabletop_arm.urdf --tip gripper_base --measured examples/arm/measured.csv
    """
    from hetwin_suite.digital_robot.describing import describe_file
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.scaffolding.hands import hands_of_file
    from model_nodes.main_physics.world.resources import find_description

    file = find_description(named, Kind.ROBOT, Kind.WORLD, where="ROBOT|WORLD")
    with never_silent(lambda: f"reading {file.name}"):
        found = describe_file(file, base, tip, measured)
        hands, no_hand = hands_of_file(file)
    of_hands = {"hands": [asdict(hand) for hand in hands], "no_hand": no_hand or None}
    return Result({**found.to_json(), **of_hands}, _lines(found, hands, no_hand))


def _lines(found: Described, hands: Sequence[FoundHand], no_hand: str) -> Iterator[str]:
    from hetwin_suite._commands.tables import table

    printed = found.to_json()
    types = ", ".join(f"{count} {kind}" for kind, count in printed["joints_by_type"].items())
    yield f"{printed['robot']}: {printed['links']} links, {printed['joints']} joints ({types})"
    for sensor in printed["sensors"]:
        yield f"sensor {sensor['name']}: {sensor['type']} on {sensor['link'] or 'no link'}"
    for mesh in printed["missing_meshes"]:
        yield f"missing mesh: {mesh}"
    for hand in hands:
        joints = f", joints {', '.join(hand.joints)}" if hand.joints else ""
        yield f"hand {hand.name}: {hand.kind} on {hand.link}{joints}"
        if hand.unsure:
            yield f"  not judged: {hand.unsure}"
    if no_hand:
        yield f"no hand: {no_hand}"
    if found.table is not None:
        yield from table(
            ("joint", "alpha [rad]", "a [m]", "d [m]", "theta [rad]"),
            [
                (
                    row.joint,
                    *(f"{round(n, 9) + 0.0:.6g}" for n in (row.alpha, row.a, row.d, row.theta)),
                )
                for row in found.table.rows
            ],
        )
    if found.dimensions:
        yield from table(
            ("name", "model [m]", "measured [m]", "error [m]"),
            [
                (each.name, *(f"{n:.4f}" for n in (each.model, each.measured, each.error)))
                for each in found.dimensions
            ],
        )
