"""The Python packages of the project, and their files as every kind of installation installs them.

Run as a program it prints the folders of the packages, for CMake: those of the suite, then those of the plugins and
examples, which are distributions of their own.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EDITABLE_HOOK = ROOT / "cmake" / "editable" / "hetwin_editable.pth"
"""What an editable installation reads after the path of its folder, to find the packages in the repository."""
DATA = (
    *(
        "py.typed",
        "ensemble/sentences/*",
        "episodes/definitions/*",
        "episodes/expecting/*.yaml",
        "episodes/flaws/rules/*",
        "scaffolding/package/*",
    ),
    *("view/page/built/*", "view/page/style/*", "view/templates/*"),
)
"""Files of the packages beside Python code, below each package's folder; setup.py has to be told."""


def beside() -> list[Path]:
    """The folders of the distributions that are developed beside the suite."""
    manifests = [*ROOT.glob("plugins/*/pyproject.toml"), *ROOT.glob("examples/pyproject.toml")]
    return sorted(manifest.parent for manifest in manifests)


def top_packages(folder: Path = ROOT) -> list[str]:
    """Names of a distribution's packages at the top of site-packages, as its pyproject.toml lists them."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    packages: list[str] = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return packages


def all_packages() -> list[str]:
    """Dotted names of these packages and of every package below them."""
    folders = (
        file.parent for name in top_packages() for file in (ROOT / name).rglob("__init__.py")
    )
    return sorted(".".join(folder.relative_to(ROOT).parts) for folder in folders)


def remove_old_links() -> None:
    """Remove links that earlier builds left in ``hetwin_suite/``; they would give each class two names."""
    for path in (ROOT / "hetwin_suite").iterdir():
        if path.is_symlink():
            path.unlink()


if __name__ == "__main__":
    remove_old_links()
    places = [folder / name for folder in (ROOT, *beside()) for name in top_packages(folder)]
    print(*(place.relative_to(ROOT) for place in places), sep=";")
