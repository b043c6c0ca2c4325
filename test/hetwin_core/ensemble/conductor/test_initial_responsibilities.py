"""Who is responsible at the start: who brings an attribute, unless the scenario says otherwise."""

from __future__ import annotations

import pytest
from support.small_ensemble import HEADER, conduct, run

from hetwin_core.ensemble.errors import BadInput

TEXT = HEADER + '  grasp: {type: "support.toys:ToyGrasp"}\n  cup: {type: "support.toys:ToyCup"}\n'


def owners(text: str) -> dict[tuple[str, str], str]:
    scene = run(text).record.scenes[-1]
    return {
        (s.entity, s.attribute.name): scene.owner(s.entity, s.attribute.name)
        for s in scene.layout.slots
    }


def test_who_brings_an_attribute_owns_it() -> None:
    assert owners(TEXT) == {
        ("hand", "pose"): "physics",
        ("ball", "pose"): "physics",
        ("cup", "temperature"): "cup",
    }


@pytest.mark.parametrize("entity", ["ball", '"ba*"', '"*"'])
def test_a_pattern_moves_what_its_model_can_take(entity: str) -> None:
    rows = f"responsibilities: [{{entity: {entity}, attribute: pose, model: grasp}}]\n"
    outcome = run(TEXT + rows)
    assert outcome.record.scenes[-1].owner("ball", "pose") == "grasp"
    assert outcome.record.scenes[-1].owner("hand", "pose") == "physics"
    assert [h.cause for h in outcome.record.handovers] == ["scenario"]
    assert outcome.record.handovers[0].time_ns == 0
    assert outcome.record.calls[:2] == ["started", "handover grasp"]


def test_a_wildcard_for_the_owner_moves_nothing() -> None:
    outcome = run(TEXT + 'responsibilities: [{entity: "*", attribute: pose, model: physics}]\n')
    assert outcome.moves() == []


def test_what_covers_nothing_is_refused_before_anything_starts() -> None:
    conductor, _, record = conduct(
        TEXT + "responsibilities: [{entity: dog, attribute: pose, model: grasp}]\n"
    )
    with pytest.raises(
        BadInput, match=r"responsibilities.0: this matches no attribute.*'dog.pose'"
    ):
        conductor.prepare()
    assert record.calls == []


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("{entity: cup, attribute: temperature, model: grasp}", "it declares: pose"),
        ("{entity: cup, attribute: temperature, model: nobody}", "there is no such model"),
    ],
)
def test_what_its_model_cannot_be_responsible_for_is_refused(row: str, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        conduct(TEXT + f"responsibilities: [{row}]\n")
