"""An episode in which a robot takes a ball from a stand and drops it over a tray, made up in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Meaning
from hetwin_core.episodes.derived import Annotation
from hetwin_core.episodes.episode import Episode
from support.made_episode import STATES, made_episode, observed, poses, seconds, with_fields

ENTITIES = [
    Entity("floor", EntityKind.STATIC),
    Entity("stand", EntityKind.STATIC),
    Entity("tray", EntityKind.STATIC, tags=("container",)),
    Entity("hand", EntityKind.HAND),
    Entity("ball", EntityKind.OBJECT),
]
TAKEN = observed("picked_up", 2.0, object="ball", hand="hand", support="stand")
RELEASED = observed("released", 4.0, object="ball", hand="hand")


def ball_episode(
    end: str, events: Sequence[Event] = (TAKEN, RELEASED), target: str = "tray", **summary: Any
) -> Episode:
    """An episode of 10 s.

    Args:
        end: where the ball is at the end; the floor is lower than where it was let go.
        events: by default it is picked up and released over nothing.
        target: where the action says that it is to go; empty if it does not.
        **summary: the content of ``summary.json``.
    """
    place = next(i for i, entity in enumerate(ENTITIES) if entity.name == end)
    contained = place if "container" in ENTITIES[place].tags else -1
    held = place if end == "hand" else -1
    positions = np.zeros((STATES, 3))
    positions[:, 2] = np.where(seconds() < 4.5, 1.0, 0.0 if end == "floor" else 0.8)
    values = {
        ("ball", POSE): poses(positions),
        ("ball", _entity("on")): np.full(STATES, -1 if held >= 0 else place),
        ("ball", _entity("in_container")): np.full(STATES, contained),
        ("ball", _entity("held")): np.full(STATES, held),
    }
    made = made_episode(ENTITIES, values, events=events, **summary)
    named = {"object": "ball", "hand": "hand", **({"container": target} if target else {})}
    actions = (Annotation("move", 2_500_000_000, 4_200_000_000, named, False),)
    return with_fields(made, annotations=actions)


def _entity(name: str) -> AttributeSpec:
    return AttributeSpec(name, 1, "", Meaning.ENTITY)
