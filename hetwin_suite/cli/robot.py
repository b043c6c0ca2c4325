"""`hetwin robot`: a recording plays the part of a robot."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hetwin_core.ensemble.errors import BadInput


def robot(
    episode: Annotated[Path, typer.Argument(help="recording (rosbag2), or an episode's folder")],
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot's topics")] = "",
    speed: Annotated[
        float, typer.Option(min=0.01, max=100.0, help="times real time; stamps are now's anyway")
    ] = 1.0,
    stand: Annotated[
        float, typer.Option(min=0.0, help="seconds to stand still before and after")
    ] = 1.0,
    wait_for_twin: Annotated[
        bool, typer.Option("--wait-for-twin", help="stand still until a twin follows")
    ] = False,
    gap: Annotated[
        list[str] | None,
        typer.Option(help="AT:SECONDS: say nothing for so long, as if the network were gone"),
    ] = None,
) -> None:
    """Play the part of a robot: publish what a recording holds, at its pace, stamped with the present time.

    Its topics are those of the recording, in the namespace. For tests, tutorials, and for a twin without a robot:

    hetwin robot pick_and_place --wait-for-twin

    hetwin robot episodes/drops/drop_0001 --namespace left --gap 3:2
    """
    try:
        from hetwin_suite.proving_ground.robot_player import Gap, RobotPlayer, find_recording
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="hetwin robot",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    from hetwin_suite.running.patience import never_silent

    gaps = [Gap.read(text) for text in gap or ()]
    with RobotPlayer(find_recording(episode), namespace, speed, gaps) as player:
        for note in player.notes:
            print(f"warning: {note}", file=sys.stderr)
        print(f"a robot stands still on {', '.join(player.topics)}", flush=True)
        if wait_for_twin:
            with never_silent(lambda: "it waits for a twin"):
                player.stand_until_a_twin_follows()
        player.stand(stand)
        print(f"it moves, for {player.duration_s / speed:.1f} s", flush=True)
        with never_silent(lambda: "it moves"):
            player.play()
        player.stand(stand)
        print("it is done", flush=True)
