"""Entry point of the `hetwin` command."""

from __future__ import annotations

import errno
import sys
from typing import Annotated

import typer

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.supervision.interrupts import let_be
from hetwin_suite.cli.commands import Commands
from hetwin_suite.cli.options import with_usual_ports
from hetwin_suite.cli.terminal import outlive_the_terminal
from hetwin_suite.cli.versions import show_version

_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG)
"""A disk is full, or may not be written to."""
EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

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
    """Run the command; errors of users' input end with code 2, failed runs with 1, SIGINT with 130."""
    outlive_the_terminal()
    try:
        app(with_usual_ports(sys.argv[1:]), prog_name="hetwin")
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    except HetwinError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    except OSError as error:
        if error.errno not in _OF_THE_DISK:
            raise
        place = f"{error.filename}: " if error.filename else ""
        print(f"error: {place}{error.strerror}", file=sys.stderr)
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
