"""Console script of `hetwin`: handles SIGINT and SIGTERM already during imports, without a traceback."""

from __future__ import annotations

from hetwin_core.ensemble.supervision.starting import start


def main() -> None:
    """Run the command; see `hetwin_suite.cli.main`."""
    start("hetwin_suite.cli.main")


if __name__ == "__main__":
    main()
