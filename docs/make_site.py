"""Builds the documentation site; any warning is an error. Usage: make_site.py FOLDER.

The pages are copied beside FOLDER first, because the reference is written from the docstrings among them, and
nothing is generated into the repository. They keep their places, so a link is the same here and in the repository.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
OTHER_PAGES = (
    *("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md"),
    *(str(page.relative_to(ROOT)) for page in sorted(ROOT.glob("examples/**/README.md"))),
)


def copy_pages(folder: Path) -> None:
    """Copy all pages and their pictures to a new folder, with their paths in the repository."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for page in OTHER_PAGES:
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / page, folder / page)


def make_site(folder: Path) -> int:
    """Build the site in a folder.

    Returns:
        0 if it was built without a warning.
    """
    pages = folder.with_name(f"{folder.name}-pages")
    copy_pages(pages)
    options = ["--quiet", "--fail-on-warning", "--fresh-env", "--conf-dir", str(DOCS)]
    return build_main([*options, str(pages), str(folder)])


if __name__ == "__main__":
    sys.exit(make_site(Path(sys.argv[1]).resolve()))
