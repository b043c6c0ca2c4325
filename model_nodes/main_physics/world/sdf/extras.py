"""Keeps the elements of SDFormat files that the description has no words for, such as sensors and plugins."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import Extra, Pose
from model_nodes.main_physics.world.resources import SCHEMES, Resources
from model_nodes.main_physics.world.sdf.frames import Frames
from model_nodes.main_physics.world.sdf.values import Context
from model_nodes.main_physics.world.transforms import compose
from model_nodes.main_physics.world.xml_file import Element

_PLACED = {
    "actor",
    "audio_source",
    "collision",
    "light",
    "particle_emitter",
    "projector",
    "sensor",
    "visual",
}
"""Elements that are somewhere, also if they have no ``<pose>``."""
_LONGEST_PATH = 1024


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps elements of one file."""

    resources: Resources

    def unknown(
        self,
        parent: Element,
        known: AbstractSet[str],
        context: Context,
        frames: Frames | None = None,
        base: str = "",
        inside: str = "",
    ) -> tuple[Extra, ...]:
        """Keep every child whose tag is not known.

        Args:
            parent: the children's.
            known: tags.
            context: of the parent.
            frames: that the children's poses refer to; None: they have none.
            base: the frame in which poses are given by default; empty for the scope's own.
            inside: see `Extra`.
        """
        return tuple(
            self.keep(child, context, frames, base, inside)
            for child in parent.children
            if child.tag not in known
        )

    def keep(
        self,
        element: Element,
        context: Context,
        frames: Frames | None = None,
        base: str = "",
        inside: str = "",
    ) -> Extra:
        """Keep one element; its pose is in the frame of the scope; for the arguments see `unknown`."""
        placed = element.tag in _PLACED or element.child("pose") is not None
        pose = frames.relative(element, base) if frames is not None and placed else None
        return Extra(context.place, self._absolute(element, context), pose, inside)

    def _absolute(self, element: Element, context: Context) -> Element:
        """Copy an element, with absolute paths in place of references to files."""
        text = element.text
        if not element.children and text.strip():
            text = self._path(element, context)
        children = [self._absolute(child, context) for child in element.children]
        return replace(element, text=text, children=children, attributes=dict(element.attributes))

    def _path(self, element: Element, context: Context) -> str:
        reference = element.text.strip()
        if reference.startswith(SCHEMES):
            try:
                return str(self.resources.find(reference).absolute())
            except BadInput as error:
                context.note(f"<{element.tag}> {reference} {error.problem}")
                return element.text
        beside = self.resources.base / reference if _like_a_path(reference) else None
        return str(beside.absolute()) if beside is not None and beside.is_file() else element.text


def _like_a_path(text: str) -> bool:
    return len(text) < _LONGEST_PATH and "\n" not in text and bool(Path(text).suffix)


def moved(extras: tuple[Extra, ...], frame: Pose) -> tuple[Extra, ...]:
    """Transform extras from `frame` to the frame in which `frame` is given."""
    return tuple(
        extra if extra.pose is None else replace(extra, pose=compose(frame, extra.pose))
        for extra in extras
    )


def nested(extras: tuple[Extra, ...], model: str) -> tuple[Extra, ...]:
    """Return the extras of a nested model as its outer model's."""
    return tuple(
        replace(extra, scope=f"{model}::{extra.scope}" if extra.scope else model)
        for extra in extras
    )
