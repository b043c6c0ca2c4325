"""Trees of entities, such as the links of a plunger, whose fidelity is switched together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_suite.model import Floats, Ints

EACH = "{}"
"""Placeholder in a pattern for the name of a tree."""
_SIGNS = {"*": ".*", "?": ".", EACH: "(.+?)"}


@dataclass(frozen=True, slots=True)
class Trees:
    """A group of trees.

    Attributes:
        names: names of the trees.
        members: entities of all trees, in the order of the scene.
        of: (members,) index of each member's tree.
    """

    names: tuple[str, ...]
    members: tuple[str, ...]
    of: Ints

    @classmethod
    def each(cls, entities: Sequence[str]) -> Trees:
        """Return trees of one entity each."""
        return cls(tuple(entities), tuple(entities), np.arange(len(entities), dtype=np.int32))

    @classmethod
    def matching(cls, pattern: str, entities: Iterable[str]) -> Trees:
        """Return the trees of the entities that match a pattern.

        Args:
            pattern: ``packet_*`` makes each match a tree; with ``plunger_{}_*``, entities with the same text in the
                place of ``{}`` form one tree of that name.
            entities: names of entities.
        """
        expression = _expression(pattern)
        found = {name: m for name in entities if (m := expression.fullmatch(name)) is not None}
        keys = {name: m[1] if expression.groups else name for name, m in found.items()}
        names = list(dict.fromkeys(keys.values()))
        of = np.array([names.index(keys[name]) for name in found], np.int32)
        return cls(tuple(names), tuple(found), of)

    def highest(self, levels: Floats) -> Floats:
        """Return (trees,) the highest level of each tree's members, from (members,) levels."""
        found: Floats = np.zeros(len(self.names))
        np.maximum.at(found, self.of, levels)
        return found


def _expression(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*|\?|\{\})", pattern)
    return re.compile("".join(_SIGNS.get(part, re.escape(part)) for part in parts))
