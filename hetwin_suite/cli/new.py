"""`hetwin new`: a scenario for a recording."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite._commands.options import (
    AsJson,
    EpisodeNumber,
    Packages,
    StampsGiven,
    UnitsGiven,
    option,
    package_folders,
)
from hetwin_suite._commands.result import Result

if TYPE_CHECKING:
    from hetwin_suite.running.request import FinishedRun
    from hetwin_suite.scaffolding.written import PrintedRun

RUN = "run"


def new(
    recording: Annotated[
        Path,
        typer.Argument(
            help="recording: rosbag2 in any storage, or ROS 1 .bag; or a data set: LeRobot, HDF5, Zarr, CSV"
        ),
    ],
    robot: Annotated[
        str | None,
        typer.Option(
            help="URDF, xacro or MJCF file, or a name such as baxter; default: the recorded one, or the one that fits"
        ),
    ] = None,
    episode: EpisodeNumber = None,
    out: Annotated[
        Path | None, option("--out", "new folder for the scenario; default: NAME_twin")
    ] = None,
    and_run: Annotated[
        bool, typer.Option("--run", help="run it at once, and make its page")
    ] = False,
    joints: Annotated[
        list[str] | None,
        typer.Option(
            "--joint",
            metavar="PATTERN=NAME",
            help=r"recorded joint names=the robot's: 'fer_joint(\d)=panda_joint\1'; may be given several times",
        ),
    ] = None,
    package: Packages = None,
    stamps: StampsGiven = None,
    units: UnitsGiven = None,
    hand: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=JOINT[:OPENED:CLOSED],...",
            help="a hand that is detected wrongly or not at all: its base link, its finger joints, and their opened"
            " and closed positions [rad or m]; default of the positions: derived from the robot's shapes",
        ),
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Make a scenario from a recording: find its robot, joints and hands, and report its contents.

    For example:

    hetwin new my_recording/

    hetwin new my_recording/ --robot urdf/tabletop_arm.urdf --out my_twin --run

    hetwin new my_recording/ --stamps log --out dated_twin

    hetwin new my_recording/ --robot tabletop_arm --hand gripper_base=gripper_left_finger_joint:0.04:0 --out one_finger

    hetwin new my_dataset/ --episode 3 --robot tabletop_arm --out episode_twin

    hetwin new my_recording/ --robot tabletop_arm --package my_meshes=urdf --out mapped_twin --json
    """
    # imported here to keep `hetwin --help` fast
    from hetwin_core.ensemble.writing import check_new
    from hetwin_suite.cli import outcome
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.scaffolding.by_hand import RecordingOptions, robot_of, written_recording
    from hetwin_suite.scaffolding.new_scenario import (
        draft_scenario,
        scenario_name,
    )
    from hetwin_suite.scaffolding.written import write_scenario
    from model_nodes.main_physics.sources.datasets import open_episode

    packages = package_folders(package)
    reading = RecordingOptions.of(stamps, units)
    doing = [f"looking into {recording}"]
    with never_silent(lambda: doing[-1]), ExitStack() as stack:
        found = open_episode(recording, episode)
        folder = out or Path(f"{found.name if found else scenario_name(recording)}_twin")
        check_new(folder)
        if found is not None:
            robot = robot or robot_of(found)
            recording = stack.enter_context(
                written_recording(found, recording, folder, as_it_is=bool(reading.units))
            )
        draft = draft_scenario(
            recording,
            robot=robot,
            packages=packages,
            joints=joints or (),
            hands=hand or (),
            reading=reading,
            warnings=found.notes if found else (),
            now=doing.append,
        )
        written = write_scenario(draft, folder)
    if found is not None and not as_json:
        print(f"{found.label}, written as a recording:")
    if not as_json:
        print("\n".join(written.lines()), flush=True)
    ended = _run(written.file, folder / RUN, quiet=as_json) if and_run else None
    if ended is None:
        return Result(written.printed(None), [f"  now: hetwin run {written.file}"])
    page = outcome.page_of(ended.folder)
    file = None if page is None else page.write()
    lines = [*outcome.lines(ended), *([] if file is None else [f"page: {file}"])]
    return Result(written.printed(_facts(ended, file)), lines, ended.code)


def _run(file: Path, out: Path, *, quiet: bool) -> FinishedRun:
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_suite.running.carry_out import execute_run
    from hetwin_suite.running.progress import Progress
    from hetwin_suite.running.request import RunRequest

    with Progress(file.stem, quiet=quiet) as progress:
        request = RunRequest(str(file), RunOptions(), out)
        return execute_run(request, progress, watched=True)


def _facts(ended: FinishedRun, page: Path | None) -> PrintedRun:
    """Return folder, page and verdict of the run."""
    from hetwin_suite.scaffolding.written import PrintedRun

    return PrintedRun(
        folder=str(ended.folder.resolve()),
        page=None if page is None else str(page.resolve()),
        verdict=ended.summary.get("verdict"),
    )
