"""The model `FidelityRules`: rules for named groups of trees, with the scripts of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from pydantic import Field

from hetwin_fidelity.rules import RULES, Rule
from hetwin_fidelity.signalers import Signaler
from hetwin_fidelity.trees import EACH, Trees
from hetwin_suite.model import (
    BadInput,
    Changes,
    Contribution,
    Entity,
    EntityKind,
    EntityNames,
    Floats,
    Name,
    Parameters,
    Snapshot,
    Strict,
    Text,
    Tick,
    one_of,
    parameter,
)


class GroupEntry(Strict):
    """A group in a scenario."""

    trees: Text = Field(
        description="pattern of entities, each a tree; with {}, entities with the same text there form one tree"
    )
    scripts: list[Text] = Field(
        default=[],
        description="models that step only while a tree is high; with {} in the name, one model for each tree",
    )
    rules: dict[Text, dict[str, Any]] = Field(
        min_length=1,
        description="during, near_robot or MODULE:CLASS -> its parameters; the highest level applies",
    )


class RulesSettings(Parameters):
    """The parameters of the model."""

    groups: dict[Name, GroupEntry] = parameter("name -> {trees, scripts, rules}")
    entities: EntityNames = parameter(
        "entities of all groups: a tag, a pattern, or a list of patterns and names", "*"
    )


class Group:
    """A group with its rules, which computes levels.

    Args:
        name: name of the group.
        entry: the group's entry in the scenario.
        entities: entities from which its patterns select.

    Raises:
        BadInput: if no entity matches, or a rule cannot be used.
    """

    def __init__(self, name: str, entry: GroupEntry, entities: tuple[str, ...]) -> None:
        self.trees = Trees.matching(entry.trees, entities)
        where = f"groups.{name}"
        if not self.trees.names:
            raise BadInput("no entity matches", where=f"{where}.trees", found=entry.trees)
        self.rules = [
            _rule(kind, given, self.trees, f"{where}.rules.{kind}")
            for kind, given in entry.rules.items()
        ]
        shared = [script for script in entry.scripts if EACH not in script]
        own = [script for script in entry.scripts if EACH in script]
        self.scripts = shared + [s.replace(EACH, t) for s in own for t in self.trees.names]
        self.names = [*self.trees.members, *self.scripts]
        self.initial = max(rule.initial for rule in self.rules)
        self._shared, self._own = len(shared), len(own)

    def levels(self, tick: Tick) -> Floats:
        """Return (names,) the levels of all members, and then of all scripts."""
        of_trees = np.maximum.reduce([rule.levels(tick) for rule in self.rules])
        shared = np.full(self._shared, of_trees.max())
        levels: Floats = np.concatenate(
            [of_trees[self.trees.of], shared, np.tile(of_trees, self._own)]
        )
        return levels


def _rule(kind: str, given: Mapping[str, Any], trees: Trees, where: str) -> Rule:
    found = RULES.get(kind)
    if found is None:
        module, colon, name = kind.partition(":")
        try:
            found = getattr(import_module(module), name) if colon else None
        except (ImportError, AttributeError) as error:
            raise BadInput(f"it cannot be imported: {error}", where=where) from None
        if not (isinstance(found, type) and issubclass(found, Rule)):
            expected = f"{one_of(kind, RULES)}, or MODULE:CLASS of a Rule"
            raise BadInput("this is no rule", where=where, found=kind, expected=expected)
    try:
        return found(found.settings_class.read(given), trees)
    except BadInput as error:
        raise error.at(f"{where}.{error.where}" if error.where else where) from None


class FidelityRules(Signaler[RulesSettings]):
    """Applies rules to groups of trees: all entities and scripts of a tree have the same level.

    A script is a model. It is switched by the attribute ``fidelity`` of an entity with its name, which this model
    contributes.
    """

    summary = "Lowers the fidelity of groups of entities and their scripts by rules."

    def initialize(self, settings: RulesSettings, scene: Contribution) -> None:
        """Contribute the attribute ``fidelity`` of all members and scripts.

        Raises:
            BadInput: if a group or rule cannot be used, or an entity is in two groups.
        """
        if not settings.groups:
            raise BadInput("there are none", where="groups", expected="at least one group")
        self._groups = [Group(n, entry, settings.entities) for n, entry in settings.groups.items()]
        names = list(self._names())
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise BadInput("it is in two groups, or twice in one", where="groups", found=twice)
        for group in self._groups:
            for script in group.scripts:
                scene.add(Entity(script, EntityKind.CONCEPT))
        levels = [group.initial for group in self._groups for _ in group.names]
        self._register(scene, names, levels)
        scene.needs(
            *{read for group in self._groups for rule in group.rules for read in rule.reads}
        )

    def _names(self) -> Iterator[str]:
        for group in self._groups:
            yield from group.names

    def start(self, scene: Snapshot) -> None:
        """Start the rules with the scene.

        Raises:
            BadInput: if the scene does not meet the requirements of a rule.
        """
        for group in self._groups:
            for rule in group.rules:
                rule.start(scene)

    def step(self, tick: Tick) -> Changes:
        """Return the levels that have changed."""
        return self._changed(np.concatenate([g.levels(tick) for g in self._groups]), tick)
