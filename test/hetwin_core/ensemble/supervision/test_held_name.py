"""A name has one holder at a time, on the whole machine, and is free as soon as that one has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples
from support.waiting import wait_until

from hetwin_core.ensemble.supervision.held_name import (
    HeldName,
    NameTaken,
    held_below,
    holder,
    shortened,
)

HOLDS = """
import sys
from hetwin_core.ensemble.supervision.held_name import HeldName
held = HeldName(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def name() -> str:
    return f"hetwin/test/{os.getpid()}"


def test_the_second_is_told_who_has_it(name: str) -> None:
    with HeldName(name):
        with pytest.raises(NameTaken, match=f"process {os.getpid()} of "):
            HeldName(name)
        assert holder(name) is not None
    assert holder(name) is None
    HeldName(name).close()


def test_one_of_many_that_ask_at_once_gets_it(name: str) -> None:
    begin, got, refused = threading.Barrier(16), [], []

    def ask() -> None:
        begin.wait()
        try:
            got.append(HeldName(name))
        except NameTaken:
            refused.append(name)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(refused)) == (1, 15)
    got[0].close()


def test_it_is_free_when_its_holder_is_killed(name: str) -> None:
    command = [sys.executable, "-c", HOLDS, name]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(NameTaken, match=f"process {other.pid} of "):
            HeldName(name)
        other.send_signal(signal.SIGKILL)
    HeldName(name).close()


def test_a_process_that_inherits_it_holds_it_on(name: str) -> None:
    held = HeldName(name)
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(held.file,)) as heir:
        held.close()
        with pytest.raises(NameTaken):
            HeldName(name)
        heir.terminate()
    HeldName(name).close()


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user needs root")
def test_another_user_is_refused_and_named(name: str) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        held = HeldName(name)
        os.write(writing, b"held")
        signal.pause()
        held.close()
    try:
        assert os.read(reading, 4) == b"held"
        with pytest.raises(NameTaken, match=f"process {child} of (nobody|user 65534)"):
            HeldName(name)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    wait_until(lambda: holder(name) is None, "the name is free")


def test_many_who_ask_do_not_hide_that_it_is_held(name: str) -> None:
    with HeldName(name):
        assert all(holder(name) for _ in range(300))
        with pytest.raises(NameTaken):
            HeldName(name)


def test_names_below_another_are_listed(name: str) -> None:
    with HeldName(name), HeldName(f"{name}#r1"), HeldName(f"{name}2#r2"):
        assert held_below(f"{name}#") == ["r1"]


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
@examples(200)
def test_long_names_stay_apart(one: str, other: str) -> None:
    assert len(shortened(one).encode()) <= 100
    assert (shortened(one) == shortened(other)) == (one == other)
