"""Entry point of the `hetwin` command: exit codes, printed errors, `--version`, and loss of the terminal."""

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
from hetwin_core.ensemble.supervision.interrupts import restore_handlers
from hetwin_core.ensemble.writing import DISK_ERRORS, write_failure_reason
from hetwin_suite._commands.result import error_document, json_text
from hetwin_suite.cli.commands import Commands

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
_UsageError: Any = typer.BadParameter.__mro__[2]
"""Base class of typer's usage errors; taken from typer because its click may be a bundled one."""

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
    if context.invoked_subcommand != "run":  # it handles interrupts itself
        restore_handlers()


def main() -> None:
    """Run the command, and exit with its code.

    0: yes; 1: no, or failed; 2: bad input; 3: not known, or not in time; 130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    survive_terminal_close()
    try:
        _check_utf8(*sys.argv, str(Path.cwd()))
        code = app(prog_name="hetwin", standalone_mode=False)
    except _UsageError as error:
        code = _report(error, error.show)
    except HetwinError as error:
        code = _report(error)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except typer.Abort:
        code = EXIT_FAILED
    except BrokenPipeError:
        sys.stderr.close()
        code = EXIT_FAILED
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        prefix = f"{error.filename}: " if error.filename else ""
        code = _report(
            HetwinError(f"{prefix}{write_failure_reason(error, Path(error.filename or '.'))}")
        )
    sys.exit(code or 0)


def _check_utf8(*texts: str) -> None:
    """Check that texts can be encoded in UTF-8, the encoding of logs and pages.

    Raises:
        BadInput: if one cannot.
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInput(
                "this is not valid UTF-8", found=text, expected="names in UTF-8"
            ) from None


def _report(error: Any, show: Callable[[], None] | None = None) -> int:
    """Print the error on stderr, and as JSON on stdout if requested; returns the exit code."""
    if "--json" in sys.argv:
        print(json_text(error_document(error)))
    if show is None:
        print(f"error: {error}", file=sys.stderr)
    else:
        show()
    return int(error.exit_code)


if __name__ == "__main__":
    main()


def show_version(requested: bool) -> None:
    """Print the versions and exit, if `--version` was given."""
    if requested:
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
    """A terminal; output is dropped after the terminal was closed."""

    def write(self, data: Any, /) -> int:
        """Write bytes, and return their number."""
        try:
            return super().write(data) or 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)


def survive_terminal_close() -> None:
    """Keep this process running if its terminal is closed."""
    sys.stdout, sys.stderr = (
        _without_terminal_errors(sys.stdout),
        _without_terminal_errors(sys.stderr),
    )


def _without_terminal_errors(stream: TextIO) -> TextIO:
    try:
        is_terminal = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)  # isatty is false once closed
    except (OSError, ValueError):
        return stream
    if not is_terminal:
        return stream
    raw = Terminal(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=stream.encoding, errors=stream.errors, line_buffering=True
    )
