"""Options shared by several commands: each name has the same meaning everywhere.

The help of an option is the same in all commands up to its first semicolon; the text after it is specific to the
command.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Context

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import installed
from hetwin_core.ensemble.limits import parse_json, read_text
from hetwin_core.ensemble.resources import names_of

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.start.options import RunOptions

ENGINES = ("auto", "gz", "mujoco")


def scenarios(incomplete: str) -> list[str]:
    """Names of hetwin's scenarios that complete a word; if there is none, the shell completes file names."""
    return completions(incomplete, names_of("scenarios", ".yaml"))


def variants(context: Context, incomplete: str) -> list[str]:
    """Names of the variants of the scenario that precedes this option on the command line."""
    from hetwin_core.ensemble.scenario.scenario import find_scenario
    from hetwin_core.ensemble.scenario.strict_yaml import VARIANTS, load_with_base

    # While text is incomplete, typer may leave the scenario among the unparsed words.
    words = [word for word in context.args if not word.startswith("-")]
    scenario = context.params.get("scenario") or next(iter(words), None)
    try:
        document = load_with_base(find_scenario(str(scenario)))
    except BadInput:
        return []
    known = document.data.get(VARIANTS) if isinstance(document.data, dict) else None
    return completions(incomplete, known if isinstance(known, dict) else ())


def model_types(incomplete: str) -> list[str]:
    """Names of the installed model types."""
    return completions(incomplete, sorted(p.name for p in installed("hetwin.models")))


def engines(incomplete: str) -> list[str]:
    """Names of the physics engines."""
    return completions(incomplete, ENGINES)


def completions(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that start with an incomplete word."""
    return [name for name in names if name.startswith(incomplete)]


_MEANINGS = {
    "-n": ("N", "how many"),
    "--out": ("PATH", "where to write"),
    "--seed": ("SEED", "seed of all random numbers"),
    "--duration": ("S", "simulated time after which it ends [s]"),
    "--within": ("S", "maximum wall-clock time [s]"),
    "--budget": ("S", "maximum processor time [s]"),
}
"""Option -> metavar and shared part of the help."""


def option(name: str, what: str = "", least: int | None = None) -> Any:
    """Return a shared option whose help has a part specific to one command.

    Args:
        name: one of `_MEANINGS`.
        what: the command's part of the help, appended after a semicolon.
        least: minimum value; None: no minimum.
    """
    metavar, meaning = _MEANINGS[name]
    help_text = f"{meaning}; {what}" if what else meaning
    return typer.Option(name, metavar=metavar, min=least, help=help_text)


_SCENARIO: Any = typer.Argument(
    help="scenario file, or name of one of hetwin's", autocompletion=scenarios
)
Scenario = Annotated[str, _SCENARIO]
OptionalScenario = Annotated[str | None, _SCENARIO]
Run = Annotated[Path, typer.Argument(help="folder of a run")]
Variant = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="one of the scenario's variants; default: none",
        autocompletion=variants,
    ),
]
PagePort = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="port of the page; 0: a free port; default: 8770, or a free port if it is in use",
    ),
]
PageHost = Annotated[
    str,
    typer.Option("--host", help="address at which the page is served; other machines can see it"),
]
OpenPage = Annotated[bool, typer.Option("--browser/--no-browser", help="open the page")]
WithPage = Annotated[bool, typer.Option("--page/--no-page", help="write the page")]
Viewers = Annotated[
    list[str] | None,
    typer.Option(
        "--viewer",
        metavar="NAME[=PORT]",
        help="show it in a viewer of an installed package; may be given several times",
    ),
]
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
Engine = Annotated[
    str | None,
    typer.Option(
        help="physics engine of the main model; default: the scenario's",
        autocompletion=engines,
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="source of the robot's motion: a recording (rosbag2), an episode's folder, live, or live:ROBOT_NAMESPACE; "
        "default: the scenario's",
    ),
]
SceneGiven = Annotated[
    str | None,
    typer.Option(
        "--scene",
        help='where objects are, e.g. \'{"box": {"pose": [x, y, z, qw, qx, qy, qz]}}\', or a file with that',
    ),
]
Namespace = Annotated[str, typer.Option("--namespace", help="ROS namespace of all topics")]
Pace = Annotated[
    float | None,
    typer.Option("--pace", metavar="X", help="maximum speed, as a multiple of real time"),
]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="processes; default: one per core")]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="run on the workers of this dask.distributed scheduler",
    ),
]
Seed = Annotated[int, option("--seed", least=0)]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="run Python files in the scenario's folder that it refers to"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print results and errors as JSON")]
EpisodeNumber = Annotated[
    int | None,
    typer.Option("--episode", min=0, metavar="NUMBER", help="only the episode of this number"),
]
Episodes = Annotated[
    Path,
    typer.Option(
        "--episodes", metavar="FOLDER", help="recorded episodes with their truth, in any subfolder"
    ),
]
StampsGiven = Annotated[
    str | None,
    typer.Option(
        "--stamps",
        metavar="header|log",
        help="time of a message: header (simulated time, if a simulation published it) or log; default: the header's"
        " stamp if it is within 1 s of the log time, else the log time",
    ),
]
UnitsGiven = Annotated[
    str | None,
    typer.Option(
        "--units",
        metavar="UNITS",
        help="units of recorded positions other than rad and m: degrees, millimetres, or both separated by a comma",
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
    """Return the start options of a run from the command-line options of the same names.

    Raises:
        BadInput: if an option's value is invalid; the error names the option.
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
    """Parse the JSON object that an option's text contains; an absent option gives an empty object.

    Raises:
        BadInput: if the text is not a JSON object; the error names the option.
    """
    if text is None:
        return {}
    try:
        data = parse_json(text)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"this is not JSON: {error}", where=option, found=text, expected="a JSON object"
        ) from None
    if not isinstance(data, dict):
        raise BadInput("this is not a JSON object", where=option, found=text, expected="{...}")
    return data


def scene_object(text: str | None) -> dict[str, Any]:
    """Return the scene given by `--scene`: a JSON object, or a file that contains one, such as an episode's scene.json.

    Raises:
        BadInput: if the file cannot be read, or the text is not a JSON object.
    """
    if text is None or text.lstrip().startswith("{"):
        return json_object(text, "--scene")
    try:
        written = read_text(Path(text).expanduser())
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"this is neither a JSON object nor a file that can be read: {error}",
            where="--scene",
            found=text,
            expected='a file, or an object such as {"box": {"pose": [x, y, z, qw, qx, qy, qz]}}',
        ) from None
    scene = json_object(written, f"--scene {text}")
    episode_scene = scene.get("scene")
    return episode_scene if isinstance(episode_scene, dict) and "scenario" in scene else scene


def package_folders(texts: Sequence[str] | None) -> dict[str, str]:
    """Return package name -> absolute folder from the values of `--package`.

    Raises:
        BadInput: if a value is not NAME=FOLDER, or the folder does not exist.
    """
    folders: dict[str, str] = {}
    for text in texts or ():
        name, _, folder = text.partition("=")
        if not name or not folder:
            raise BadInput(
                "this does not name a package and its folder",
                where="--package",
                found=text,
                expected="NAME=FOLDER, e.g. my_robot_description=~/ros/my_robot_description",
            )
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise BadInput(
                "this is not a folder",
                where=f"--package {name}",
                found=folder,
                expected=f"the folder of the package {name}",
            )
        folders[name] = str(path.resolve())
    return folders


def numbers(text: str, count: int, between: str = ",") -> tuple[float, ...] | None:
    """Parse `count` finite numbers separated by `between`; None if the text is anything else."""
    try:
        found = tuple(map(float, text.split(between)))
    except ValueError:
        return None
    return found if len(found) == count and all(map(math.isfinite, found)) else None


def check_none(given: Mapping[str, object], problem: str, expected: str) -> None:
    """Check that none of the options is given.

    Args:
        given: option -> its value; None or False: not given.
        problem, expected: text of the error.

    Raises:
        BadInput: if one is given.
    """
    for name, value in given.items():
        if value is not None and value is not False:
            raise BadInput(problem, where=name, found=value, expected=expected)


def checked_pace(pace: float | None) -> float | None:
    """Return the value of `--pace`, a multiple of real time.

    Raises:
        BadInput: if it is not a finite number above 0.
    """
    if pace is not None and not (math.isfinite(pace) and pace > 0.0):
        raise BadInput("the pace is invalid", where="--pace", found=pace, expected="above 0")
    return pace


def with_default_ports(words: Sequence[str]) -> list[str]:
    """Return a command line in which each ``--foxglove`` without a port is followed by the default port."""
    found = list(words)
    for index in range(len(found) - 1, -1, -1):
        if found[index] == "--foxglove" and not "".join(found[index + 1 : index + 2]).isdigit():
            found.insert(index + 1, _FOXGLOVE_PORT)
    return found


_FOXGLOVE_PORT = "8765"
