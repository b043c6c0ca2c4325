"""Starts the `hetwin` command so that SIGINT and SIGTERM do not cut its imports short."""

from __future__ import annotations

from hetwin_core.ensemble.supervision.interrupts import hold


def main() -> None:
    """Run the command; see `hetwin_suite.cli.main`."""
    hold()
    from hetwin_suite.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
