"""Robots that are on this machine: those of hetwin, those of the extra `robots`, and files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.extras import installs
from hetwin_core.ensemble.resources import roots
from model_nodes.main_physics.world.resources import example_robots
from model_nodes.main_physics.world.xml_file import read_xml

EXTRA = installs("robots")
MOST_NAMED = 12

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NOT_READ = re.compile(r"<!--.*?-->|<ros2_control\b.*?</ros2_control\s*>", re.DOTALL)
"""Parts of a URDF in which `${` is text, which is not read."""
_JOINT = re.compile(r"<joint\b([^>]*)>")
_ATTRIBUTE = re.compile(r"""\b(name|type)\s*=\s*["']([^"']*)["']""")
_SUFFIXES = ("_robot", "_description", "_data")


@dataclass(frozen=True, slots=True)
class KnownRobot:
    """A robot that can be named.

    Attributes:
        name: as `--robot` takes it; empty for a file that was given.
        file: its URDF.
        reference: what a scenario says to mean it; empty if only the path will do.
    """

    name: str
    file: Path
    reference: str = ""

    @property
    def label(self) -> str:
        """The name, or the path if it has none."""
        return self.name or str(self.file)


@cache
def moving_joints(file: Path) -> tuple[str, ...]:
    """Names of all joints of a URDF that are not fixed, in the file's order, without parsing it in full.

    A file that cannot be read, or that is no URDF, has none.
    """
    try:
        text = _COMMENT.sub("", file.read_text("utf-8", "replace"))
    except OSError:
        return ()
    found = (dict(_ATTRIBUTE.findall(match[1])) for match in _JOINT.finditer(text))
    moving = (j["name"] for j in found if j.get("name") and j.get("type", "fixed") != "fixed")
    return tuple(dict.fromkeys(moving))


@cache
def known_robots() -> dict[str, KnownRobot]:
    """All robots with a name that have a joint that moves, by name."""
    robots = [robot for robot in (*_own(), *_of_the_extra()) if moving_joints(robot.file)]
    return {robot.name: robot for robot in _with_own_names(robots)}


def find_robot(text: str) -> KnownRobot:
    """The robot that a user names: a URDF file, or a known name.

    Raises:
        BadInput: if it is neither, or the file is no URDF; the nearest names are listed.
    """
    path = Path(text).expanduser()
    if path.is_file():
        _check_urdf(path)
        return KnownRobot("", path.resolve())
    robots = known_robots()
    if text in robots:
        return robots[text]
    for name, robot in robots.items():  # names as people write them
        if name.casefold() == text.casefold() or _short(name) == text.casefold():
            return robot
    if path.is_dir():
        raise BadInput("this is a folder", where="--robot", found=text, expected="a URDF file")
    if path.suffix or len(path.parts) > 1:
        raise BadInput(
            "there is no such file", where="--robot", found=text, expected="a URDF file, or a name"
        )
    raise BadInput(
        "no robot of this name is known", where="--robot", found=text, expected=_nearest(text)
    )


def _own() -> Iterator[KnownRobot]:
    for root in roots():
        folder = root / "urdf"
        for file in sorted(folder.glob("*.urdf")):
            yield KnownRobot(file.stem, file, f"urdf/{file.name}")
        if folder.is_dir():
            return


def _of_the_extra() -> Iterator[KnownRobot]:
    folder = example_robots()
    if folder is None:
        return
    for file in sorted(folder.glob("robots/**/*.urdf")):
        inside = file.relative_to(folder.parent).as_posix()
        yield KnownRobot(file.stem, file, f"package://{inside}")


def _with_own_names(robots: Iterable[KnownRobot]) -> Iterator[KnownRobot]:
    """Robots of the same name are told apart by their packages' names."""
    listed = list(robots)
    names = [robot.name for robot in listed]
    taken: set[str] = set()
    for robot in listed:
        name = robot.name
        if names.count(name) > 1 and robot.reference.startswith("package://"):
            package = robot.file.parents[1].name
            name = package.removesuffix("_description").removesuffix("_simple")
        if name not in taken:
            taken.add(name)
            yield KnownRobot(name, robot.file, robot.reference)


def _short(name: str) -> str:
    short = name.casefold()
    for suffix in _SUFFIXES:
        short = short.removesuffix(suffix)
    return short


def _nearest(text: str) -> str:
    robots = known_robots()
    shorts = {_short(name): name for name in reversed(robots)}
    close = difflib.get_close_matches(text.casefold(), [*shorts, *robots], MOST_NAMED, 0.5)
    inside = [name for name in robots if text.casefold() in name.casefold()]
    named = list(dict.fromkeys([*(shorts.get(n, n) for n in close), *inside, *sorted(robots)]))
    listed = ", ".join(named[:MOST_NAMED]) + (" ..." if len(named) > MOST_NAMED else "")
    more = "" if example_robots() else f"; {EXTRA} brings 60 more"
    return f"a URDF file, or a name such as {listed}{more}"


def _check_urdf(path: Path) -> None:
    """Check that a file is a URDF with a joint that moves; `read_urdf` looks at the rest.

    Raises:
        BadInput: if it is not.
    """
    text = _NOT_READ.sub("", path.read_text("utf-8", "replace"))
    if path.suffix == ".xacro" or "<xacro:" in text or "${" in text:
        raise BadInput(
            "this is xacro, from which a URDF is made",
            file=path,
            expected=f"its output: `xacro {path} > {path.name.partition('.')[0]}_expanded.urdf`",
        )
    root = read_xml(path)
    if root.tag != "robot":
        raise root.bad("is not a URDF robot", f"<{root.tag}>", "<robot name=...>")
    if not moving_joints(path):
        raise root.bad("has no joint that moves", expected="a robot that the recording can move")
