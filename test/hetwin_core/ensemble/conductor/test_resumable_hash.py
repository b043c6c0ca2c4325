"""SHA-256 that can be saved between two parts of its input."""

import hashlib
import random

import pytest

from hetwin_core.ensemble.conductor.reporting import resumable_hash
from hetwin_core.ensemble.conductor.reporting.resumable_hash import ResumableHash
from hetwin_core.ensemble.saving.plain import Unsaveable

TEXT = random.Random(1).randbytes(5000)


@pytest.fixture(params=["library", "own"])
def either(request, monkeypatch):
    """With OpenSSL's library where it is found, and without it."""
    if request.param == "own":
        monkeypatch.setattr(resumable_hash, "_library", lambda: None)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("cut", [0, 1, 55, 56, 63, 64, 65, 128, 4999])
def test_saved_hash_ends_like_the_usual_one(cut):
    first, second = ResumableHash(), ResumableHash()
    first.update(TEXT[:cut])
    second.restore(first.save())
    second.update(TEXT[cut:])
    first.update(TEXT[cut:])
    assert second.hexdigest() == first.hexdigest() == hashlib.sha256(TEXT).hexdigest()


@pytest.mark.usefixtures("either")
def test_parts_of_any_size_give_the_same():
    found, sizes = ResumableHash(), random.Random(2)
    at = 0
    while at < len(TEXT):
        size = sizes.randrange(200)
        found.update(memoryview(TEXT)[at : at + size])
        at += size
    assert found.hexdigest() == hashlib.sha256(TEXT).hexdigest()


def test_both_ways_have_the_same_state(monkeypatch):
    first = ResumableHash()
    first.update(TEXT)
    saved = first.save()
    monkeypatch.setattr(resumable_hash, "_library", lambda: None)
    second = ResumableHash()
    second.update(TEXT)
    assert second.save() == saved


@pytest.mark.parametrize(
    "change",
    [{"words": [1] * 7}, {"words": [-1] * 8}, {"length": "x"}, {"tail": "zz"}, {"tail": "00"}],
)
def test_other_states_are_refused(change):
    with pytest.raises(Unsaveable, match="no state of a digest"):
        ResumableHash().restore({**ResumableHash().save(), **change})
