"""What fell from a hand lies there until a hand holds it again."""

from __future__ import annotations

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning
from hetwin_core.episodes.tables.deriving.book import Book
from hetwin_core.episodes.tables.deriving.derivation import Drops

HELD = AttributeSpec("held", meaning=Meaning.ENTITY)
BOX = {"object": "box", "hand": "clamp"}


def layout(*watched: str) -> Layout:
    entities = [Entity(name, EntityKind.OBJECT) for name in ("box", "can")]
    return Layout.build(entities, [(name, HELD) for name in watched])


def test_it_is_dropped_until_it_is_grasped_again() -> None:
    book = Book()
    drops = Drops(layout("box"), book)
    for time_s, name in enumerate(("grasped", "lost", "dropped", "grasped", "released", "dropped")):
        drops.add_event(name, time_s * 10**9, BOX)
        drops.add_event(
            name, time_s * 10**9, {"object": "can", "hand": "clamp"} if name == "grasped" else {}
        )
    spans = [(s.fluent, s.a, s.b, s.from_ns, s.to_ns) for s in book.stretches if s.a == "box"]
    assert spans == [
        ("dropped", "box", "clamp", 2 * 10**9, 3 * 10**9),
        ("dropped", "box", "clamp", 5 * 10**9, None),
    ]


def test_it_is_known_only_where_a_model_observes_what_hands_hold() -> None:
    assert Drops(layout("box"), Book()).known == {"dropped"}
    assert Drops(layout(), Book()).known == set()
