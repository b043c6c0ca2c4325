"""Options that several commands have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli import completion

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.start.options import RunOptions

Scenario = Annotated[
    str,
    typer.Argument(
        help="scenario file, or name of one of hetwin's", autocompletion=completion.scenarios
    ),
]
OptionalScenario = Annotated[
    str | None,
    typer.Argument(
        help="scenario file, or name of one of hetwin's", autocompletion=completion.scenarios
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="one of the scenario's variants; default: none",
        autocompletion=completion.variants,
    ),
]
PagePort = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="of the page; 0: a free one; default: 8770 if that is free",
    ),
]
PageHost = Annotated[
    str,
    typer.Option(
        "--host", help="address of this machine at which the page is served; others see it"
    ),
]
OpenPage = Annotated[bool, typer.Option("--browser/--no-browser", help="open the page")]
Foxglove = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        metavar="[PORT]",
        help="let Foxglove and Lichtblick connect to it; 0: a free port; without a number: 8765",
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option(
        "--package",
        metavar="NAME=FOLDER",
        help="folder of a package:// that is not found; may be given several times",
    ),
]
Mismatches = Annotated[
    list[str] | None,
    typer.Option(
        "--mismatch",
        metavar="AXIS=LEVEL",
        help="make it worse, e.g. finger_offset=0.0175; may be given several times; see hetwin mismatches",
        autocompletion=completion.mismatches,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="physics engine of the main model; default: the scenario's",
        autocompletion=completion.engines,
    ),
]
Prior = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="what hetwin learn --success found: how often actions fail for causes that no future knows",
    ),
]
At = Annotated[
    float | None,
    typer.Option(
        "--at", metavar="T", help="from the first barrier at or after this simulated time [s]"
    ),
]
Before = Annotated[
    str | None,
    typer.Option("--before", metavar="ACTION", help="from when this action first begins"),
]
Episode = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="what the robot does: recording (rosbag2), or an episode's folder; default: the scenario's",
    ),
]
SceneGiven = Annotated[
    str | None, typer.Option("--scene", help="where objects are, as in hetwin run")
]
KeptFutures = Annotated[
    Path | None, typer.Option("--out", help="keep each future as an episode there")
]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="processes; default: one per core")]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="on the workers of this dask.distributed scheduler",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]


StampsGiven = Annotated[
    str | None,
    typer.Option(
        "--stamps",
        metavar="header|log",
        help="what dates the messages: header (simulated time, where a simulation published them) or log; default:"
        " stamps within 1 s of the log time, else the log",
    ),
]
UnitsGiven = Annotated[
    str | None,
    typer.Option(
        "--units",
        metavar="UNITS",
        help="of recorded positions that are not in rad and m: degrees, millimetres, or both with a comma",
    ),
]


Horizon = Annotated[
    float | None,
    typer.Option(
        "--horizon", metavar="S", help="how long they go on [s]; default: to the source's end"
    ),
]
DrawSeed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, help="of the draws; each run's follows from it and the run's index"
    ),
]


def start_options(
    source: str | None,
    scene: str | None,
    engine: str | None,
    package: Sequence[str] | None,
    variant: str | None,
    duration: float | None = None,
) -> RunOptions:
    """What the start of a run says, from the options of these names.

    Raises:
        BadInput: if one of them is none; it is named.
    """
    from hetwin_core.ensemble.conductor.start.options import RunOptions

    return RunOptions(
        source=source,
        scene=scene_object(scene),
        duration=duration,
        engine=engine,
        packages=package_folders(package),
        variant=variant,
    )


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """The object that an option's text holds; empty if the option was not given.

    Raises:
        BadInput: if the text is no JSON object; the option is named.
    """
    if text is None:
        return {}
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"this is not JSON: {error}", where=option, found=text, expected="a JSON object"
        ) from None
    if not isinstance(data, dict):
        raise BadInput("this is no JSON object", where=option, found=text, expected="{...}")
    return data


def scene_object(text: str | None) -> dict[str, Any]:
    """The scene that `--scene` names: a JSON object, or a file with one such as an episode's scene.json.

    Raises:
        BadInput: if there is no such file, or it holds no JSON object.
    """
    if text is None or text.lstrip().startswith("{"):
        return json_object(text, "--scene")
    try:
        written = Path(text).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"this is neither a JSON object nor a file that can be read: {error}",
            where="--scene",
            found=text,
            expected='a file, or an object such as {"box": {"pose": [x, y, z, qw, qx, qy, qz]}}',
        ) from None
    scene = json_object(written, f"--scene {text}")
    of_an_episode = scene.get("scene")
    return of_an_episode if isinstance(of_an_episode, dict) and "scenario" in scene else scene


def package_folders(texts: Sequence[str] | None) -> dict[str, str]:
    """The absolute folder of each package that `--package` names.

    Raises:
        BadInput: if a text is not NAME=FOLDER, or there is no such folder.
    """
    folders: dict[str, str] = {}
    for text in texts or ():
        name, _, folder = text.partition("=")
        if not name or not folder:
            raise BadInput(
                "this names no package and folder",
                where="--package",
                found=text,
                expected="NAME=FOLDER, e.g. my_robot_description=~/ros/my_robot_description",
            )
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise BadInput(
                "this is no folder",
                where=f"--package {name}",
                found=folder,
                expected=f"the folder of the package {name}",
            )
        folders[name] = str(path.resolve())
    return folders


def with_usual_ports(words: Sequence[str]) -> list[str]:
    """Return a command's words with the port that ``--foxglove`` means where none follows it."""
    found = list(words)
    for index in range(len(found) - 1, -1, -1):
        if found[index] == "--foxglove" and not "".join(found[index + 1 : index + 2]).isdigit():
            found.insert(index + 1, _FOXGLOVE_PORT)
    return found


_FOXGLOVE_PORT = "8765"
