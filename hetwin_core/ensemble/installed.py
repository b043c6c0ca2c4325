"""Plugins: what packages add to hetwin: their entry points, and libraries that extras bring."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, distributions
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of

MODELS = {
    "consistency": "commanding",
    **dict.fromkeys(
        ("fidelity_during_action", "fidelity_near_robot", "fidelity_rules"), "fidelity"
    ),
    "evidence": "evidence",
    "fluid_in_cup": "fluid",
    "fmu": "fmi",
    "gazebo_view": "gazebo",
    "in_hand_localization": "in_hand",
    "machine_network": "machines",
    "unannounced": "unannounced",
    "mating": "evidence",
    **dict.fromkeys(
        ("displacement", "fill_level", "openness", "slicing", "switch", "temperature"), "household"
    ),
    **dict.fromkeys(
        (
            "lab_robot_stand_in",
            "mission_desk",
            "plunger_scripts",
            "remote_robot",
            "robot_link",
            "travel_update",
            "way_guide",
        ),
        "examples",
    ),
}
"""Types of models that packages of ours bring, and the extras that install these."""
COMMANDS = {
    "compare": "compare",
    "label": "datasets",
    **dict.fromkeys(
        ("calibrate arm", "calibrate drive", "calibrate efforts", "calibrate travel"),
        "calibration",
    ),
    "calibrate hand": "evidence",
    "explain": "futures",
    "learn": "learn",
    "machines": "machines",
    **dict.fromkeys(("robot obey", "robot play", "robot send"), "commanding"),
    "model check": "testing",
    "night": "night",
    "predict": "futures",
    **dict.fromkeys(
        ("urdf describe", "urdf forward", "urdf inverse", "urdf trajectory"), "calibration"
    ),
    **dict.fromkeys(("evaluate robustness", "evaluate table2", "list mismatches"), "examples"),
    **dict.fromkeys(
        ("record drop", "record home_lab", "record insertion", "record lab_robot", "truck"),
        "examples",
    ),
}
"""Commands that packages of ours bring, and the extras that install these."""
DESCRIPTIONS = {"mujoco": "mjcf", **dict.fromkeys(("usd", "usda", "usdc", "usdz"), "usd")}
"""Tags and endings of files of robots and worlds that packages of ours read, and the extras that install these."""
ENGINES = {"gz": "gazebo"}
"""Physics engines that packages of ours bring, and the extras that install these."""
FORMATS = {"mcap": "foxglove", "parquet": "tables", "rrd": "rerun"}
"""Endings of files that packages of ours write, and the extras that install these."""
VIEWERS = {"foxglove": "foxglove", "moveit": "moveit"}
"""Viewers that packages of ours bring, and the extras that install these."""
SCENARIOS = dict.fromkeys(
    (
        *(
            "handing_over",
            "home_lab",
            "insertion_felt",
            "pouring",
            "set_table",
            "setting_the_table",
        ),
        *("truck_unloading", "twin_lab"),
    ),
    "examples",
)
"""Scenarios that packages of ours bring, and the extras that install these."""


def installs(extra: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "hetwin-suite[{extra}]"'


def library_of(extra: str, modules: str | tuple[str, ...], needed: str, where: str = "") -> Any:
    """Import a library that an extra brings.

    Args:
        extra: its name.
        modules: the library, and those of its modules that it does not import by itself.
        needed: message to the user if it is missing, up to a colon.
        where: the option or key that needs it.

    Raises:
        BadInput: if it cannot be imported.
    """
    names = (modules,) if isinstance(modules, str) else modules
    try:
        first, *_ = [import_module(name) for name in names]
    except ImportError as error:
        raise BadInput(f"{needed}: {error}", where=where, expected=installs(extra)) from error
    return first


def installed(group: str) -> list[EntryPoint]:
    """The entry points of a group, in the order in which Python finds their packages.

    The metadata of all packages is read once, and again only if the packages come from other folders: with a few
    hundred of them that takes as long as it takes to import a physics engine.
    """
    return list(_all(tuple(sys.path)).get(group, ()))


@cache
def _all(_folders: tuple[str, ...]) -> Mapping[str, list[EntryPoint]]:
    """The entry points of hetwin's groups; of two packages with one name, the first that Python finds counts."""
    found: dict[str, list[EntryPoint]] = {}
    seen: set[str] = set()
    for package in distributions():
        said = package.read_text("entry_points.txt")
        if said is None or "[hetwin." not in said or package.name in seen:
            continue
        seen.add(package.name)
        for point in package.entry_points:
            found.setdefault(point.group, []).append(point)
    return found


def packages_in(group: str) -> frozenset[str]:
    """The top-level packages of the modules that the entry points of a group name."""
    return frozenset(point.module.partition(".")[0] for point in installed(group))


def package_of(point: EntryPoint) -> str:
    """The name of the package that an entry point is of."""
    return point.dist.name if point.dist is not None else point.module


@dataclass(frozen=True, slots=True)
class Group:
    """One kind of additions of packages; of several entry points with one name, the first that Python finds counts.

    Attributes:
        name: of the group, e.g. ``hetwin.skills``.
        one: name of one of them, in words.
        expected: required target of an entry point.
        brought: names that packages of ours have, and the extras that install these.
    """

    name: str
    one: str
    expected: str
    brought: Mapping[str, str] = field(default_factory=dict)

    def points(self) -> dict[str, EntryPoint]:
        """The entry points that count, by name, sorted."""
        first = {point.name: point for point in reversed(installed(self.name))}
        return dict(sorted(first.items()))

    def names(self) -> list[str]:
        """The names of all, sorted."""
        return list(self.points())

    def known(self) -> list[str]:
        """The names of all that are installed or that an extra brings, sorted."""
        return sorted({*self.names(), *self.brought})

    def point(self, name: str) -> EntryPoint | None:
        """The entry point of this name; None if there is none."""
        return self.points().get(name)

    def load(self, name: str, where: str | None = None) -> Any:
        """Import one.

        Args:
            name: of it.
            where: option or key that names it.

        Raises:
            BadInput: if there is none of this name, or it cannot be imported; its package is named.
        """
        point = self.point(name)
        if point is None:
            extra = self.brought.get(name)
            expected = one_of(name, self.names()) if extra is None else installs(extra)
            problem = f"no such {self.one} is installed"
            raise BadInput(problem, where=where, found=name, expected=expected)
        return self.loaded(point)

    def loaded(self, point: EntryPoint) -> Any:
        """Import the target of one of the group's entry points.

        Raises:
            BadInput: if it cannot be imported; its package is named.
        """
        try:
            return point.load()
        except Exception as error:  # a module of anyone's may raise anything while it is imported
            raise self.refused(point, f"{type(error).__name__}: {error}") from error

    def refused(self, point: EntryPoint, why: str) -> BadInput:
        """The error that one cannot be used."""
        return BadInput(
            f"the {self.one} {point.name} of the package {package_of(point)} cannot be used: {why}",
            where=f"{self.name}.{point.name}",
            found=point.value,
            expected=self.expected,
        )

    def each(self) -> Iterator[tuple[EntryPoint, Any]]:
        """Import all; one that cannot be imported is named in a warning, and left out."""
        for point in self.points().values():
            try:
                found = self.loaded(point)
            except BadInput as error:
                warnings.warn(str(error), stacklevel=2)
            else:
                yield point, found
