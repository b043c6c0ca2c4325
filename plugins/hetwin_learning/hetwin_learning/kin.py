"""Kin: entities that share tags and functional attributes, so that experience with one informs about the other."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_suite.runs import Scenario


def qualities(scenario: Scenario) -> dict[str, frozenset[str]]:
    """Return the tags and functional attributes of each entity that the scenario describes."""
    found = {
        name: frozenset(
            [
                *entry.tags,
                *(word for word, parameters in entry.attributes if parameters is not None),
            ]
        )
        for name, entry in scenario.file.entities.items()
    }
    return {name: words for name, words in found.items() if words}


def similar_entities(entity: str, qualities_of: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """Return the other entities that share qualities with an entity, with their Jaccard index (P. Jaccard, 1912)."""
    own = qualities_of.get(entity, frozenset())
    return {
        name: len(own & others) / len(own | others)
        for name, others in qualities_of.items()
        if name != entity and own & others
    }
