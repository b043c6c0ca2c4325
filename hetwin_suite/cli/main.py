"""Entry point of the `hetwin` command, on a terminal that may go away; and its versions."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.supervision.interrupts import let_be
from hetwin_core.ensemble.writing import OF_THE_DISK, why_not
from hetwin_suite._commands.result import error_document, json_text
from hetwin_suite.cli.commands import Commands

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
_Misused: Any = typer.BadParameter.__mro__[2]
"""Typer's exception for a command line that cannot be used, whichever click it brings."""

app = typer.Typer(
    cls=Commands,
    epilog="Start here: hetwin run pick_and_place",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 (its callback prints it)
        bool,
        typer.Option(
            "--version", help="print the versions and end", callback=show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """hetwin: a heterogeneous digital twin of a robot and its surroundings."""
    if context.invoked_subcommand != "run":  # which ends in order by itself
        let_be()


def main() -> None:
    """Run the command, and end with its exit code.

    0: yes; 1: no, or failed; 2: the input cannot be used; 3: not known, or not in time; 130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    outlive_the_terminal()
    try:
        _check_utf8(*sys.argv, str(Path.cwd()))
        code = app(prog_name="hetwin", standalone_mode=False)
    except _Misused as error:
        code = _said(error, error.show)
    except HetwinError as error:
        code = _said(error)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except typer.Abort:
        code = EXIT_FAILED
    except BrokenPipeError:
        sys.stderr.close()
        code = EXIT_FAILED
    except OSError as error:
        if error.errno not in OF_THE_DISK:
            raise
        place = f"{error.filename}: " if error.filename else ""
        code = _said(HetwinError(f"{place}{why_not(error, Path(error.filename or '.'))}"))
    sys.exit(code or 0)


def _check_utf8(*texts: str) -> None:
    """Check that texts can be written in UTF-8, as logs and pages are.

    Raises:
        BadInput: if one cannot.
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInput("this is no UTF-8", found=text, expected="names in UTF-8") from None


def _said(error: Any, show: Callable[[], None] | None = None) -> int:
    """Print the error, on stdout too where JSON is requested, and return the exit code."""
    if "--json" in sys.argv:
        print(json_text(error_document(error)))
    if show is None:
        print(f"error: {error}", file=sys.stderr)
    else:
        show()
    return int(error.exit_code)


if __name__ == "__main__":
    main()


def show_version(wanted: bool) -> None:
    """Print the versions and end, if they are wanted."""
    if wanted:
        print(version_line())
        raise typer.Exit


def version_line() -> str:
    """The versions of hetwin, of the physics engines and of Python in one line."""
    import platform

    from model_nodes.main_physics.engines.factory import releases

    others = releases() or ["without Gazebo"]
    parts = (f"MuJoCo {_version('mujoco-core')}", *others, f"Python {platform.python_version()}")
    return f"hetwin {_version('hetwin-suite')} ({', '.join(parts)})"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of unknown version"


class Terminal(io.FileIO):
    """A terminal; writes after it is gone are dropped."""

    def write(self, data: Any, /) -> int:
        """Write, and return how many bytes there were."""
        try:
            return super().write(data) or 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)


def outlive_the_terminal() -> None:
    """Let this process go on if the terminal that it writes to goes away."""
    sys.stdout, sys.stderr = _outliving(sys.stdout), _outliving(sys.stderr)


def _outliving(stream: TextIO) -> TextIO:
    try:
        may_go = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)  # one that is gone is no terminal
    except (OSError, ValueError):
        return stream
    if not may_go:
        return stream
    raw = Terminal(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=stream.encoding, errors=stream.errors, line_buffering=True
    )
