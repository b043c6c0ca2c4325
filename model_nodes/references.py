"""References to attributes of the scene, or to some of an attribute's numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.scene.layout import Layout, Selection
from hetwin_core.ensemble.scene.values import AttributeSpec, Ints

_WRITTEN = re.compile(r"(?P<entity>.+)\.(?P<attribute>\w+)(\[(?P<part>[^\[\]]+)\])?")
_RANGE = re.compile(r"(\d+)(:(\d+))?")
EXPECTED = "ENTITY.ATTRIBUTE, ENTITY.ATTRIBUTE[2], ENTITY.ATTRIBUTE[0:3] or ROBOT.ATTRIBUTE[JOINT]"


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute of an entity, or a part of it.

    Attributes:
        text: the reference as written in the scenario.
        entity: name of the entity.
        attribute: name of the attribute.
        part: an index, a range ``first:last`` without the last index, or a joint's name; empty for all numbers.
    """

    text: str
    entity: str
    attribute: str
    part: str = ""

    @classmethod
    def from_text(cls, text: str, where: str) -> Reference:
        """Parse a reference as written in a scenario.

        Raises:
            BadInput: if it does not have the form of a reference.
        """
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise BadInput("this names no attribute", where=where, found=text, expected=EXPECTED)
        return cls(text, found["entity"], found["attribute"], found["part"] or "")

    @property
    def key(self) -> tuple[str, str]:
        """Entity and attribute."""
        return self.entity, self.attribute

    @property
    def selection(self) -> Selection:
        """The attribute, for a model's reads."""
        return Selection(self.entity, self.attribute)

    def find(self, layout: Layout, where: str) -> tuple[AttributeSpec, Ints]:
        """Return the attribute, and the indices of the referenced numbers.

        Raises:
            BadInput: if the scene has no such attribute, or the attribute no such numbers.
        """
        slot = layout.find(*self.key)
        if slot is None:
            raise self._unknown(layout, where)
        attribute = layout.slots[slot].attribute
        return attribute, self._indices(attribute, layout, where)

    def _indices(self, attribute: AttributeSpec, layout: Layout, where: str) -> Ints:
        if not self.part:
            return np.arange(attribute.size, dtype=np.int32)
        joints = layout.entity(self.entity).joints
        if self.part in joints and attribute.size == len(joints):
            return np.array([joints.index(self.part)], np.int32)
        found = _RANGE.fullmatch(self.part)
        first = int(found[1]) if found else 0
        last = (int(found[3]) if found[3] else first + 1) if found else 0
        if not first < last <= attribute.size:
            last_index = attribute.size - 1
            raise BadInput(
                "the attribute has no such number",
                where=where,
                found=self.text,
                expected=f"an index from 0 to {last_index}, or a range"
                + (f", or a joint: {', '.join(joints)}" if joints else ""),
            )
        return np.arange(first, last, dtype=np.int32)

    def _unknown(self, layout: Layout, where: str) -> BadInput:
        known = {e.name for e in layout.entities}
        if self.entity not in known:
            return BadInput(
                "there is no such entity",
                where=where,
                found=self.text,
                expected="an entity of the scene" + perhaps(self.entity, known),
            )
        has = [s.attribute.name for s in layout.slots if s.entity == self.entity]
        return BadInput(
            f"{self.entity} has no such attribute",
            where=where,
            found=self.text,
            expected=f"one of {', '.join(has) or 'none'}{perhaps(self.attribute, has)}",
        )
