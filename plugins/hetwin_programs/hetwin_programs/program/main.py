"""The process of a robot's program: it imports and runs the program, and sends its requests to the twin."""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import signal
import sys
import sysconfig
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from hetwin_programs.program.facts import Ready, Start
from hetwin_programs.program.messages import Failed, ProgramEnd, Reply, Request, end_with
from hetwin_programs.program.robot import Robot
from hetwin_suite.harness import use_modules_in
from hetwin_suite.model import one_of

Program = Callable[..., object]
_OWN = str(Path(__file__).parent)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


class _Unusable(Exception):
    """There is no such program; the text has the reason.

    Args:
        problem: the reason.
        expected: the expectation.
    """

    def __init__(self, problem: str, expected: str) -> None:
        self.problem, self.expected = problem, expected
        super().__init__(problem)


class _Connected:
    """The twin at the other end of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ask(self, request: Request) -> Reply:
        """Send a request; returns when its time is over."""
        self._connection.send(request)
        return _received(self._connection)


def main() -> None:
    """Serve one program.

    The process's arguments are file descriptors: of the connection, of a pipe that is open while the twin lives, and
    of a pipe for the stacks of all threads.
    """
    connection, life, stacks = (int(text) for text in sys.argv[1:4])
    end_with(life)
    faulthandler.register(signal.SIGUSR1, stacks, all_threads=True)
    with suppress(EOFError, ConnectionError), Connection(connection) as twin:
        _serve(twin)


def _serve(twin: Connection) -> None:
    start: Start = twin.recv()
    try:
        program = _load_program(start)
    except _Unusable as unusable:
        twin.send(Ready(unusable.problem, unusable.expected))
        return
    twin.send(Ready())
    first = _received(twin)
    robot = Robot(start.robot, _Connected(twin), first.sensed)
    problem = _run(program, robot, start)
    if not problem:
        robot.wait()  # until its actions are over
    twin.send(ProgramEnd(robot.finish(), problem))


def _received(twin: Connection) -> Reply:
    reply: Reply = twin.recv()
    return reply


def _load_program(start: Start) -> Program:
    """Return the function that the scenario names.

    Raises:
        _Unusable: if there is none, or it cannot be called with these arguments.
    """
    use_modules_in(*([Path(start.folder)] if start.folder else []))
    module_name, _, name = start.program.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == module_name
        problem = f"the module {module_name} cannot be imported: {type(error).__name__}: {error}"
        place = "" if missing else _place(error)
        expected = f"MODULE:FUNCTION of an installed module, or of one in {start.folder}"
        raise _Unusable(problem + place, expected) from None
    program: Program | None = getattr(module, name, None)
    if program is None or not callable(program):
        functions = [n for n, f in vars(module).items() if inspect.isfunction(f) and n[0] != "_"]
        problem = f"the module {module_name} has no function {name}"
        raise _Unusable(problem, one_of(name, functions, "a function of one argument, the robot"))
    try:
        inspect.signature(program).bind(None, **start.arguments)
    except TypeError as error:
        given = ", ".join(["robot", *start.arguments])
        raise _Unusable(f"it cannot be called: {error}", f"a function of ({given})") from None
    return program


def _run(program: Program, robot: Robot, start: Start) -> str:
    """Run the program; returns the reason of its failure, or an empty text."""
    try:
        program(robot, **start.arguments)
    except (EOFError, ConnectionError):
        raise
    except Failed as failed:
        return "" if failed.reported else f"{type(failed).__name__}: {failed}{_place(failed)}"
    except SystemExit as end:
        return "" if end.code in (0, None) else f"it exited with {end.code}{_place(end)}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}{_place(error)}"
    return ""


def _place(error: BaseException) -> str:
    """Return the innermost line of the user's code, as the end of a sentence; empty if there is none."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((_OWN, "<frozen"))
    ]
    if isinstance(error, SyntaxError) or not frames:
        return ""  # the text of a syntax error includes the line
    users = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    frame = (users or frames)[-1]
    return f"; {frame.filename}:{frame.lineno} ({frame.name})"
