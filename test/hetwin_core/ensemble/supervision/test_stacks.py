"""Where a child hangs, read from its stacks."""

from __future__ import annotations

from hetwin_core.ensemble.supervision.heartbeat import innermost

STACKS = """Thread 0x00007f1 (most recent call first):
  File "/lib/threading.py", line 324 in wait
  File "/lib/threading.py", line 622 in run

Current thread 0x00007f2 (most recent call first):
  File "/mine/tank.py", line 12 in fill
  File "/mine/tank.py", line 30 in step
  File "/suite/ensemble/transport/local.py", line 180 in _call
  File "/suite/ensemble/conductor/run.py", line 300 in _step
"""


def test_the_innermost_line_of_the_thread_that_is_in_a_models_call() -> None:
    assert innermost(STACKS) == "/mine/tank.py:12 (fill)"


def test_without_a_models_call_nothing_is_said() -> None:
    assert innermost(STACKS.partition("Current")[0]) == ""
    assert innermost("") == ""
