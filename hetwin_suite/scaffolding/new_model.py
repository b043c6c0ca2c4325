"""Writes the package of a new model: model, scenario, test and entry point; it passes its own checks as written."""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from string import Template
from urllib.parse import unquote, urlparse

from hetwin_core.ensemble.catalogue import model_types
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.writing import check_new, write_files

MAX_NAME = 30
"""Maximum length of a name; with longer names, lines of the templates would be too long."""
NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{MAX_NAME - 1}}}")
EDITABLE = "editable_mypy.toml"
"""Template appended to pyproject.toml if hetwin is an editable installation."""


@dataclass(frozen=True, slots=True)
class NewModel:
    """A package that was written.

    Attributes:
        name: name of the package and of the model's type.
        kind: ``simulation`` or ``observer``.
        type: MODULE:CLASS of the model.
        folder: folder of the package.
        files: written files, relative to the folder.
    """

    name: str
    kind: str
    type: str
    folder: Path
    files: tuple[str, ...]


def write_package(name: str, kind: str, out: Path | None = None) -> NewModel:
    """Write the package of a new model.

    Args:
        name: name of the package and of the model's type.
        kind: template of the model, ``simulation`` or ``observer``.
        out: folder of the package, new or empty; None: `name` in the working directory.

    Raises:
        BadInput: if the name cannot be used or the folder is not empty; nothing is written then.
    """
    check_name(name)
    folder = (out or Path(name)).absolute()
    check_new(folder)
    class_name = "".join(part.capitalize() for part in name.split("_"))
    words = {"name": name, "class_name": class_name, "distribution": name.replace("_", "-")}
    files = _files(name, kind, words)
    texts = {folder / path: text for path, text in files.items()}
    write_files(texts, folder, "the package", "--out")
    return NewModel(name, kind, f"{name}.model:{class_name}", folder, tuple(files))


def check_name(name: str) -> None:
    """Check that a package and a model type can have this name.

    Raises:
        BadInput: if the name is invalid, or a module or model type of this name exists.
    """
    if not NAME.fullmatch(name) or name.endswith("_") or "__" in name:
        raise BadInput(
            "this cannot be the name of a model's package",
            where="NAME",
            found=name,
            expected=f"small letters, digits and underscores, at most {MAX_NAME}, e.g. fridge_door",
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise BadInput(
            "this is a keyword of Python", where="NAME", found=name, expected="another name"
        )
    if name in model_types():
        raise BadInput(
            "a model type of this name is installed",
            where="NAME",
            found=name,
            expected="a name that `hetwin list models` does not list",
        )
    if name == "test" or _is_installed(name):
        raise BadInput(
            "a Python module of this name is installed",
            where="NAME",
            found=name,
            expected="a name that `import` does not know",
        )


def _is_installed(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None  # a folder without a module has no origin


def _files(name: str, kind: str, words: Mapping[str, str]) -> dict[str, str]:
    """Return path in the package's folder -> text of the file."""
    templates = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        f"{name}.yaml": f"{kind}_scenario.yaml",
        f"{name}/__init__.py": "__init__.py",
        f"{name}/model.py": f"{kind}_model.py",
        f"test/test_{name}.py": f"{kind}_test.py",
    }
    files = {path: _filled(template, words) for path, template in templates.items()}
    files[f"{name}/py.typed"] = ""
    root = _editable_root()
    if root is not None:
        files["pyproject.toml"] += _filled(EDITABLE, {"root": str(root)})
    return files


def _filled(template: str, words: Mapping[str, str]) -> str:
    folder = resources.files("hetwin_suite.scaffolding") / "package"
    return Template((folder / f"{template}.template").read_text("utf-8")).substitute(words)


def _editable_root() -> Path | None:
    """Return the source folder of an editable installation of hetwin; None for a regular installation."""
    try:
        text = distribution("hetwin-suite").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    origin = json.loads(text or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlparse(origin["url"]).path))
