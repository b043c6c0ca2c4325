"""Whatever is handed over, refused or failing: one owner each, and what is taken equals what was released."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.handover_machine import ATTRIBUTES, ENTITIES, MODELS, Keeper, Machine
from support.random_examples import examples

SLOTS = len(ATTRIBUTES) * len(ENTITIES)
SEQUENCES = 3_000
BATCH = 10
DEEDS = {"do": 70, "refuse": 25, "fail": 5}
ACTS = {"hand_over": 40, "ask": 40, "give_back": 10, "wait": 10}

seen: Counter[str] = Counter()


@examples(SEQUENCES // BATCH)
@given(st.integers(0, 2**32), st.integers(4, 12))
def check_sequences(seed: int, length: int) -> None:
    """Ten at a time from a generator: drawing each act by itself would take most of the time."""
    for number in range(BATCH):
        check_one(Random(seed * BATCH + number), length)


def check_one(random: Random, length: int) -> None:
    def pick(choices: dict[str, int], count: int) -> list[str]:
        return random.choices(list(choices), list(choices.values()), k=count)

    machine = Machine()
    for keeper in machine.models:
        keeper.plan = pick(DEEDS, 6)
    for act in pick(ACTS, length):
        model, slot = random.randrange(len(MODELS)), random.randrange(SLOTS)
        before = len(machine.handovers.done)
        if act == "wait":
            machine.go_on(1000 * (slot + 1))
        elif act == "hand_over":
            machine.hand_over(model, slot)
        else:
            machine.ask(model, slot, act == "give_back")
        check_owners(machine)
        seen["moved"] += len(machine.handovers.done) - before
    seen["sequences"] += 1
    seen["failed"] += machine.failed is not None
    seen["refused"] += machine.handovers.refused
    check_values(machine)


def check_owners(machine: Machine) -> None:
    """The table and the models agree; where a failing model has ended the run, the table is still whole."""
    recorded = machine.recorded()
    assert all(0 <= owner < len(MODELS) for [owner] in recorded.values())
    believed = machine.believed()
    # a handover that fails half-way ends the run; only its attribute may be in nobody's hands then
    strays = [key for key in recorded if believed[key] != recorded[key]]
    assert len(strays) <= (machine.failed is not None)
    assert all(len(owners) <= 1 for owners in believed.values())


def check_values(machine: Machine) -> None:
    """Per attribute, every take follows a release, with the same bits."""
    for owner, data in machine.moved():
        assert any(data == bits for call, _, _, bits in machine.models[owner].log if call == "take")
    released = {bits for m in machine.models for call, _, _, bits in m.log if call == "release"}
    taken = {bits for m in machine.models for call, _, _, bits in m.log if call == "take"}
    assert taken <= released
    for model in machine.models:
        for key, value in model.kept.items():
            slot = machine.scene.layout.slot_id(*key)
            if value is not None and machine.scene.table.owner(slot) == machine.models.index(model):
                given_last = [h for h in machine.handovers.done if (h.entity, h.attribute) == key]
                assert (
                    given_last == [] or value.data.tobytes() == given_last[-1].value.data.tobytes()
                )


@pytest.mark.hypothesis
def test_thousands_of_random_sequences() -> None:
    seen.clear()
    check_sequences()
    assert seen["sequences"] >= SEQUENCES
    # the sequences are worth something only if all of this happens often
    assert seen["moved"] > SEQUENCES
    assert seen["refused"] > SEQUENCES / 2
    assert seen["failed"] > SEQUENCES / 20


def test_the_check_sees_a_double_owner() -> None:
    machine = Machine()
    slot = machine.scene.layout.slots[0]
    key = (slot.entity, slot.attribute.name)
    keeper: Keeper = machine.models[1]
    keeper.kept[key] = None
    try:
        check_owners(machine)
    except AssertionError:
        return
    raise RuntimeError("two owners were not seen")
