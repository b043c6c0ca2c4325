"""Work on anyone's models in a child process, so that one that hangs or crashes is named and ended."""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.stacks import where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending

LOOK_PERIOD_S = 0.05
PR_SET_PDEATHSIG = 1

Tell = Callable[[Any], None]
"""Sends something to the parent while the work goes on."""


class Lost(HetwinError):
    """The child hung or died; the text says how, and where."""


def forked(
    work: Callable[[Tell], Any],
    hear: Callable[[Any], None],
    progress: Callable[[], object],
    patience_s: float,
    caller: str,
    doing: Callable[[], str] = lambda: "",
) -> Any:
    """Do work in a child process, and answer its result.

    Args:
        work: what the child does; its result must be picklable.
        hear: is given what the child tells.
        progress: differs whenever the child has come further.
        patience_s: how long it may stay the same [s].
        caller: part of the names of the files that call models, for saying where a child hangs.
        doing: what the child is doing, as the beginning of an error.

    Raises:
        Lost: if the child hangs or dies.
        HetwinError: that the work raised.
    """
    fork = multiprocessing.get_context("fork")
    messages, to_parent = fork.Pipe(duplex=False)
    stacks, traces = os.pipe()
    child = fork.Process(target=_child, args=(work, to_parent, traces))
    child.start()
    to_parent.close()
    os.close(traces)
    try:
        seen, since = progress(), time.monotonic()
        while True:
            wait([messages, child.sentinel], LOOK_PERIOD_S)
            while messages.poll():
                try:
                    kind, content = messages.recv()
                except EOFError:
                    child.join()
                    raise Lost(f"{doing()}its process {ending(child.exitcode or 0)}") from None
                if kind == "result":
                    return content
                if kind == "error":
                    raise json_codec.error_from_text(content, "model", "check", 0)
                hear(content)
            now = progress()
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > patience_s:
                busy_with = doing()  # a signal may end what it hangs in
                place = where_it_hangs(child.pid, stacks, caller)
                place = f"; it is in {place}" if place else ""
                raise Lost(f"{busy_with}no answer within {patience_s:g} s{place}")
    finally:
        if child.is_alive():
            child.kill()
        child.join()
        messages.close()
        os.close(stacks)


def _child(work: Callable[[Tell], Any], to_parent: Connection, traces: int) -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this process
    faulthandler.register(signal.SIGUSR1, traces, all_threads=True)
    try:
        answer: tuple[str, Any] = (
            "result",
            work(lambda content: to_parent.send(("told", content))),
        )
    except HetwinError as error:
        answer = ("error", json_codec.error_to_text(error))
    to_parent.send(answer)
