"""Plugins: the additions of other packages by entry points, and the libraries that extras install."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of

MODELS = {
    "camera": "programs",
    "consistency": "commanding",
    **dict.fromkeys(
        ("fidelity_during_action", "fidelity_near_robot", "fidelity_rules"), "fidelity"
    ),
    "evidence": "evidence",
    "fluid_in_cup": "fluid",
    "fmu": "fmi",
    "gazebo_view": "gazebo",
    **dict.fromkeys(("force_binding", "in_hand_localization"), "in_hand"),
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
"""Model types of hetwin's own plugins, and the extras that install them."""
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
"""Commands of hetwin's own plugins, and the extras that install them."""
DESCRIPTIONS = {"mujoco": "mjcf", **dict.fromkeys(("usd", "usda", "usdc", "usdz"), "usd")}
"""Tags and file endings of robots and worlds that hetwin's own plugins read, and the extras that install them."""
ENGINES = {"gz": "gazebo"}
"""Physics engines of hetwin's own plugins, and the extras that install them."""
FORMATS = {"mcap": "foxglove", "parquet": "tables", "rrd": "rerun"}
"""File endings that hetwin's own plugins write, and the extras that install them."""
SCENES = dict.fromkeys(("occupancy_grid", "planning_scene"), "unannounced")
"""Finders of scene objects of hetwin's own plugins, and the extras that install them."""
VIEWERS = {"foxglove": "foxglove", "moveit": "moveit"}
"""Viewers of hetwin's own plugins, and the extras that install them."""
SCENARIOS = dict.fromkeys(
    (
        *("handing_over", "home_lab", "insertion_felt", "pouring", "set_table"),
        *("setting_the_table", "truck_unloading", "twin_lab"),
    ),
    "examples",
)
"""Scenarios of hetwin's own plugins, and the extras that install them."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "hetwin-suite[{extra}]"'


def import_library(extra: str, modules: str | tuple[str, ...], needed: str, where: str = "") -> Any:
    """Import a library that an extra installs.

    Args:
        extra: name of the extra.
        modules: the library, and those of its modules that it does not import by itself.
        needed: message to the user if it is missing, up to a colon.
        where: the option or key that needs it.

    Raises:
        BadInput: if it cannot be imported.
    """
    names = (modules,) if isinstance(modules, str) else modules
    try:
        library, *_ = [import_module(name) for name in names]
    except ImportError as error:
        raise BadInput(
            f"{needed}: {error}", where=where, expected=install_command(extra)
        ) from error
    return library


def installed(group: str) -> list[EntryPoint]:
    """The entry points of a group, in the order in which Python finds their packages.

    The metadata of all packages is read once, and again only if the search path changes: with a few hundred
    packages, reading takes as long as importing a physics engine.
    """
    return list(_by_group(tuple(sys.path)).get(group, ()))


@cache
def _by_group(_folders: tuple[str, ...]) -> Mapping[str, list[EntryPoint]]:
    """The entry points of hetwin's groups; of several packages with one name, Python's first is used."""
    packages: dict[str, Distribution] = {}
    for package in distributions():
        if "[hetwin." in (package.read_text("entry_points.txt") or ""):
            # `package.name` would parse all metadata, with the README, as an e-mail message.
            header = (package.read_text("METADATA") or "").partition("\nName:")[2]
            packages.setdefault(header.partition("\n")[0].strip() or package.name, package)
    found: dict[str, list[EntryPoint]] = {}
    for package in packages.values():
        for point in package.entry_points:
            found.setdefault(point.group, []).append(point)
    return found


def packages_in(group: str) -> frozenset[str]:
    """The top-level packages of the modules that a group's entry points name."""
    return frozenset(point.module.partition(".")[0] for point in installed(group))


def package_of(point: EntryPoint) -> str:
    """The name of an entry point's package."""
    return point.dist.name if point.dist is not None else point.module


@dataclass(frozen=True, slots=True)
class Group:
    """One kind of plugins; of several entry points with one name, Python's first is used.

    Attributes:
        name: name of the group, e.g. ``hetwin.skills``.
        noun: noun for a member in messages, e.g. ``skill``.
        expected: required target of an entry point.
        extras: names of the members in hetwin's own plugins -> extra that installs each.
    """

    name: str
    noun: str
    expected: str
    extras: Mapping[str, str] = field(default_factory=dict)

    def points(self) -> dict[str, EntryPoint]:
        """The entry points in use, by name, sorted."""
        points = {point.name: point for point in reversed(installed(self.name))}
        return dict(sorted(points.items()))

    def names(self) -> list[str]:
        """The names of all members, sorted."""
        return list(self.points())

    def known(self) -> list[str]:
        """The names of all members that are installed or that an extra installs, sorted."""
        return sorted({*self.names(), *self.extras})

    def point(self, name: str) -> EntryPoint | None:
        """The entry point of this name; None if there is none."""
        return self.points().get(name)

    def load(self, name: str, where: str | None = None) -> Any:
        """Import a member.

        Args:
            name: name of the member.
            where: option or key that names it.

        Raises:
            BadInput: if there is no such member, or it cannot be imported; its package is named.
        """
        point = self.point(name)
        if point is None:
            extra = self.extras.get(name)
            expected = one_of(name, self.names()) if extra is None else install_command(extra)
            problem = f"no such {self.noun} is installed"
            raise BadInput(problem, where=where, found=name, expected=expected)
        return self.loaded(point)

    def loaded(self, point: EntryPoint) -> Any:
        """Import the target of one of the group's entry points.

        Raises:
            BadInput: if it cannot be imported; its package is named.
        """
        try:
            return point.load()
        except Exception as error:  # a third party's module may raise anything while it is imported
            raise self.refused(point, f"{type(error).__name__}: {error}") from error

    def refused(self, point: EntryPoint, reason: str) -> BadInput:
        """Return the error that a member cannot be used."""
        return BadInput(
            f"the {self.noun} {point.name} of the package {package_of(point)} cannot be used: {reason}",
            where=f"{self.name}.{point.name}",
            found=point.value,
            expected=self.expected,
        )

    def each(self) -> Iterator[tuple[EntryPoint, Any]]:
        """Import all members; one that cannot be imported is skipped with a warning."""
        for point in self.points().values():
            try:
                found = self.loaded(point)
            except BadInput as error:
                warnings.warn(str(error), stacklevel=2)
            else:
                yield point, found
