"""Processes of hetwin's modules that are forked from one that has imported them, as imports are most of what they cost.

Everything else is as after a fresh start: a process ID, signals, streams, environment, folder and arguments of its own,
and the module runs as `python -m` runs it. Tests of the start itself, and those that users' commands are in, start
afresh with `subprocess`.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

IMPORTED = (
    "hetwin_core.ensemble.conductor.conductor",
    "hetwin_core.episodes.failed_run",
    "hetwin_core.episodes.judged_run",
    "hetwin_core.episodes.log_writer",
    "hetwin_core.wire.run_identity",
    "hetwin_suite.cli.main",
    "hetwin_suite.cli.run",
    "hetwin_suite.running.carry_out",
    "hetwin_suite.running.local",
    "hetwin_suite.running.watched",
    "hetwin_suite.view.viewers",
    "model_nodes.main_physics.model",
)
"""What is imported before; without ROS, whose libraries start threads, which no fork has."""
MESSAGE_BYTES = 1 << 20
_TESTS = str(Path(__file__).resolve().parents[1])


class WarmProcess(subprocess.Popen[str]):
    """A module of hetwin in a process of its own, without the imports.

    Args:
        command: as for `subprocess`, with the form ``[sys.executable, "-m", MODULE, ARGUMENTS...]``.
        options: of `subprocess.Popen`.
    """

    _ended: int

    def _execute_child(  # type: ignore[no-untyped-def]  # replaces a private method
        self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo,
        creationflags, shell, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, *_others,
    ) -> None:  # fmt: skip
        assert args[:2] == [sys.executable, "-m"], args
        assert not any((executable, preexec_fn, pass_fds, shell)), args
        folder = os.fspath(cwd or Path.cwd())
        variables = dict(os.environ if env is None else env)
        sys.audit("subprocess.Popen", sys.executable, args, cwd, env)
        given = (p2cread, c2pwrite, errwrite)
        streams = [own if stream == -1 else stream for own, stream in enumerate(given)]
        self._ended, writing = os.pipe()
        try:
            words = [os.fspath(word) for word in args[2:]]
            asked = {"words": words, "cwd": folder, "variables": variables}
            self.pid = _ask(asked, [*streams, writing])
        finally:
            os.close(writing)
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]
        self._child_created = True

    def _try_wait(self, flags: int) -> tuple[int, int]:
        """As `os.waitpid`, of a process that is not this one's child."""
        if flags & os.WNOHANG and not select.select([self._ended], [], [], 0)[0]:
            return 0, 0
        status = os.read(self._ended, 64)
        os.close(self._ended)
        return self.pid, int(status or signal.SIGKILL)  # none if the process that forks was killed

    def _internal_poll(self, *_args: Any, **_named: Any) -> int | None:
        # Anew, as the parameters of the replaced method differ from one version of Python to the next.
        lock = self._waitpid_lock  # type: ignore[attr-defined]
        if self.returncode is None and lock.acquire(blocking=False):
            try:
                if self.returncode is None and (ended := self._try_wait(os.WNOHANG))[0]:
                    self._handle_exitstatus(ended[1])  # type: ignore[attr-defined]
            finally:
                lock.release()
        return self.returncode


def run(
    command: list[str], timeout: float = 120.0, **options: Any
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` with `capture_output` and `text`."""
    pipe = subprocess.PIPE
    with WarmProcess(command, stdout=pipe, stderr=pipe, text=True, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _ask(asked: dict[str, Any], files: list[int]) -> int:
    """The process ID of what is forked."""
    server = _server()
    socket.send_fds(server, [json.dumps(asked).encode()], files)
    pid = server.recv(64)
    assert pid, "the process that forks has ended"
    return int(pid)


@functools.cache
def _server() -> socket.socket:
    """The connection to the process that forks; it ends with it."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        process = subprocess.Popen(
            [sys.executable, __file__, str(its.fileno())],
            pass_fds=[its.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(_end, process, ours)
    return ours


def _end(process: subprocess.Popen[bytes], connection: socket.socket) -> None:
    connection.close()
    process.wait()


# ------------------------------------------------------------------ in the process that forks


def serve(asking: socket.socket) -> dict[str, Any] | None:
    """Fork whenever that is asked for, and report what has ended.

    Returns:
        In a forked process what it must do; else None, once nobody can ask any more.
    """
    children: dict[int, int] = {}
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    interrupted = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # of a terminal; the tests' end is seen
    watched: list[Any] = [asking, wake]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if wake in ready:
            with suppress(BlockingIOError):
                os.read(wake, 4096)
            _report(children)
        if asking not in ready:
            continue
        message, files, _, _ = socket.recv_fds(asking, MESSAGE_BYTES, 4)
        if not message:
            return None
        *streams, ended = files
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, interrupted)
            for stream, number in zip(streams, range(3), strict=True):
                os.dup2(stream, number)
            for opened in (*files, wake, woken, *children.values()):
                os.close(opened)
            asking.close()
            found: dict[str, Any] = json.loads(message)
            return found
        children[pid] = ended
        for stream in streams:
            os.close(stream)
        asking.send(str(pid).encode())


def _report(children: dict[int, int]) -> None:
    """Write the status of each process that has ended to those who wait for it."""
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        ended = children.pop(pid)
        with suppress(BrokenPipeError):
            os.write(ended, str(status).encode())
        os.close(ended)


def begin(words: list[str], cwd: str, variables: dict[str, str]) -> None:
    """Run a module as if Python had just been started for it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        setattr(sys, name, _opened(number, getattr(sys, name)))
        setattr(sys, f"__{name}__", getattr(sys, name))
    gc.unfreeze()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(variables)
    given = variables.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [cwd, *(path for path in given if path and path not in sys.path), *sys.path[1:]]
    module, *sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _opened(number: int, before: TextIO) -> TextIO:
    """A stream of Python's, as it opens them at its start."""
    return open(
        number,
        "r" if number == 0 else "w",
        buffering=1 if number == 2 else -1,
        encoding=before.encoding,
        errors=before.errors,
        closefd=False,
    )


def _import_all() -> None:
    from hetwin_core.ensemble.supervision.starting import COLLECTION_THRESHOLD

    gc.set_threshold(COLLECTION_THRESHOLD)
    for name in IMPORTED:
        import_module(name)
    assert "rclpy" not in sys.modules
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    sys.path[0] = str(Path(_TESTS).parent)
    _import_all()
    todo = serve(socket.socket(fileno=int(sys.argv[1])))
    if todo is not None:
        begin(**todo)
