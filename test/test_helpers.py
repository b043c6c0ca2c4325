"""What the tests themselves stand on: waiting, ROS domains, random examples that are kept."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ros_domains
from support.random_examples import failed_examples
from support.ros_domains import DOMAINS
from support.waiting import wait_for_all, wait_until

from hetwin_core.ensemble.supervision.held_name import HeldName, NameTaken

ONE_FAILURE = """
>       assert sum(a) < 100
E       Failing test case: test_a(
E           a=[(100, 0)],
E           b='',  # or any other generated value
E       )

test/test_x.py:4: AssertionError
"""
TWO_FAILURES = """
    | Falsifying example: test_b(
    |     b=-100,
    | )
    +---------------- 2 ----------------
    | Falsifying example: test_b(
    |     b=100,
    | )
"""


def test_examples_that_failed_become_decorators() -> None:
    assert failed_examples(ONE_FAILURE) == ["@example(a=[(100, 0)], b='')"]
    assert failed_examples(TWO_FAILURES) == ["@example(b=-100)", "@example(b=100)"]
    assert failed_examples("E       assert 1 == 2") == []


def test_a_state_that_does_not_come_is_named() -> None:
    with pytest.raises(AssertionError, match=r"not within 0\.05 s: a state of cup"):
        wait_until(lambda: False, "a state of cup", 0.05)
    with pytest.raises(AssertionError, match=r"nodes \['/b'\]; found: \['/a'\]"):
        wait_for_all(["/a", "/b"], lambda: ["/a"], "nodes", 0.05)


def test_what_comes_late_is_waited_for() -> None:
    looks = iter([False, False, True])
    wait_until(lambda: next(looks), "the third look", 5.0, period_s=0.0)


def test_a_process_that_has_ended_is_not_waited_for() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no such robot')"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process,
        pytest.raises(AssertionError, match=r"ended before: a state; exit code 1: no such robot"),
    ):
        wait_until(lambda: False, "a state", process=process)


HOLDS = """
from support.ros_domains import new_domain
print(new_domain(), flush=True)
input()
"""


def test_no_two_processes_have_the_same_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", HOLDS]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    tests = Path(__file__).parent
    env = {**os.environ, "PYTHONPATH": str(tests)}
    with subprocess.Popen(command, cwd=tests.parent, env=env, **pipes) as other:  # type: ignore[call-overload]
        taken = int(other.stdout.readline())
        monkeypatch.setattr(ros_domains, "_start", itertools.count(DOMAINS.index(taken)))
        mine = [ros_domains.new_domain() for _ in range(3)]
        assert len({taken, *mine}) == 4
        other.communicate("\n")
    monkeypatch.setattr(ros_domains, "_start", itertools.count(DOMAINS.index(taken)))
    assert ros_domains.new_domain() not in mine


def test_domains_are_free_when_the_test_is_over() -> None:
    with ros_domains.own_domain() as own:
        others = [ros_domains.new_domain() for _ in range(3)]
        for domain in (own, *others):
            with pytest.raises(NameTaken, match=f"process {os.getpid()}"):
                HeldName(ros_domains.holder(domain))
    for domain in (own, *others):
        HeldName(ros_domains.holder(domain)).close()
