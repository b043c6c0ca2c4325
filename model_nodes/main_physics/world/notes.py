"""Collects notes for the user without duplicates, and notes elements of a world that an engine ignores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import Extra, World

_SCHEMES = ("package://", "model://")


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Placeholder in the list of notes for the note about all left-out meshes of one file."""

    label: str


class Notes:
    """Collects notes in order, without duplicates.

    Attributes:
        included_count: number of files read for nested models.
    """

    def __init__(self) -> None:
        self.included_count = 0
        self._notes: dict[str | _LeftOut, None] = {}
        self._meshes: dict[str, dict[str, BadInput]] = {}

    def add(self, text: str) -> None:
        """Add a note."""
        self._notes[text] = None

    def leave_out(self, label: str, reference: str, error: BadInput) -> None:
        """Add a mesh that cannot be used.

        Args:
            label: the robot or world that refers to it.
            reference: the reference to the mesh.
            error: the reason why it cannot be used.
        """
        self._notes[_LeftOut(label)] = None
        self._meshes.setdefault(label, {})[reference] = error

    def copy_to(self, target: Notes) -> None:
        """Add all these notes to another object."""
        for note in self._notes:
            target._notes[note] = None
        for label, meshes in self._meshes.items():
            target._meshes.setdefault(label, {}).update(meshes)

    def mesh_notes(self) -> tuple[str, ...]:
        """Return the notes about left-out meshes, one for each robot or world."""
        return tuple(_meshes_note(label, meshes) for label, meshes in self._meshes.items())

    def left_out_meshes(self) -> tuple[str, ...]:
        """Return the references to the left-out meshes."""
        return tuple(reference for meshes in self._meshes.values() for reference in meshes)

    def all(self) -> tuple[str, ...]:
        """Return all notes so far."""
        return tuple(
            note if isinstance(note, str) else _meshes_note(note.label, self._meshes[note.label])
            for note in self._notes
        )


def _meshes_note(label: str, meshes: Mapping[str, BadInput]) -> str:
    if len(meshes) == 1:
        reference, error = next(iter(meshes.items()))
        return f"{label}: mesh {reference} is left out: {error}"
    counts = Counter((_package(ref), error.problem) for ref, error in meshes.items())
    groups = [
        f"{count} {f'of package {package} ' if package else ''}({problem})"
        for (package, problem), count in counts.items()
    ]
    packages = dict.fromkeys(package for package, problem in counts if package)
    advice = ""
    if packages:
        mapped = ", ".join(f"{package}: FOLDER" for package in packages)
        advice = f"; set `packages: {{{mapped}}}` in the scenario, or pass --package NAME=FOLDER"
    return f"{label}: {len(meshes)} meshes are left out: {', '.join(groups)}{advice}"


def _package(reference: str) -> str:
    for scheme in _SCHEMES:
        if reference.startswith(scheme):
            return reference.removeprefix(scheme).partition("/")[0]
    return ""


_READ_IN_VISUAL = {"pose", "geometry", "material", "transparency", "cast_shadows"}
_READ_IN_MATERIAL = {"diffuse", "ambient", "specular", "emissive"}
_READ_SHAPES = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh", "cone"}


STEP_SETTINGS = ("max_step_size", "real_time_factor", "real_time_update_rate")
"""Children of <physics> about a simulator's steps, which the scenario's rate replaces."""


def note_ignored(world: World, notes: Notes) -> None:
    """Add a note for each kind of element in the world's files that the description does not represent.

    Lights and settings of a simulator's steps are not noted, since the results of a run do not depend on them.
    """
    locations: dict[str, dict[str, None]] = {}
    for extra in world.all_extras():
        if extra.tag == "light" or (
            extra.tag == "physics"
            and all(child.tag in STEP_SETTINGS for child in extra.element.children)
        ):
            continue
        for tag in _ignored(extra):
            locations.setdefault(tag, {})[extra.place] = None
    for tag, found_at in locations.items():
        first, *others = found_at
        elsewhere = f" here and elsewhere ({len(others)} more)" if others else ""
        notes.add(f"{first}: <{tag}> is not carried over{elsewhere}; engine gz carries it over")


def _ignored(extra: Extra) -> Iterator[str]:
    element = extra.element
    if element.tag not in ("visual", "collision"):
        yield element.tag
        return
    shapes = [shape.tag for geometry in element.all("geometry") for shape in geometry.children]
    yield from (shape for shape in shapes[:1] if shape not in _READ_SHAPES)
    yield from (child.tag for child in element.children if child.tag not in _READ_IN_VISUAL)
    for material in element.all("material"):
        yield from (c.tag for c in material.children if c.tag not in _READ_IN_MATERIAL)
