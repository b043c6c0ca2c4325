"""Configuration of the documentation site; see make_site.py, which builds it."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "hetwin"
release = PROJECT["version"]
author = PROJECT["authors"][0]["name"]
project_copyright = author
extensions = [
    "myst_parser",
    "sphinx.ext.apidoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
root_doc = "docs/index"
# A list of the one package below, beside the package's own page.
exclude_patterns = ["docs/reference/modules.rst"]

html_theme = "furo"
html_title = f"hetwin {release}"
html_extra_path = ["site"]
html_copy_source = False

myst_heading_anchors = 4

# `name` in a docstring is code, as it is in Markdown.
default_role = "literal"
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
# Several classes have an attribute `type`; the type of an annotation is none of them.
suppress_warnings = ["ref.python"]
# An entry per function in every page's navigation doubles the time of a build.
toc_object_entries = False

apidoc_modules = [
    {
        "path": str(ROOT / "hetwin_core"),
        "destination": "docs/reference",
        "automodule_options": {"members"},
        "max_depth": 2,
    }
]
