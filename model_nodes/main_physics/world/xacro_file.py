"""Expands xacro files with the xacro library, whose expressions are Python without most built-in functions."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import xacro
from xacro import substitution_args

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.resources import SCHEMES, Resources
from model_nodes.main_physics.world.xml_file import Element, parse_xml

_LOCK = threading.Lock()
"""The library keeps its state in module variables, so only one file can be expanded at a time."""


def expand_xacro(file: Path, resources: Resources) -> Element:
    """Expand a xacro file with the default values of its arguments; return the URDF.

    Args:
        file: the file.
        resources: search path for ``$(find PACKAGE)`` and ``package://``.

    Raises:
        BadInput: if the library cannot expand it; the error includes the library's message.
    """
    output = io.StringIO()
    with _LOCK, _using_resources(resources), contextlib.redirect_stderr(output):
        try:
            text = xacro.process_file(str(file)).toxml(encoding="utf-8")
        except (Exception, RecursionError) as error:  # expressions may raise any Python exception
            where = next((str(name) for name in reversed(xacro.filestack or []) if name), None)
            raise _bad(error, file, where) from None
    root = parse_xml(text, file)
    if root.tag != "robot":
        raise root.bad("does not expand to a URDF robot", f"<{root.tag}>", "<robot name=...>")
    return root


def _bad(error: BaseException, file: Path, where: str | None) -> BadInput:
    cause = getattr(error, "exc", None) or error
    if isinstance(cause, BadInput):
        return cause.at(cause.where, file)
    if isinstance(error, ExpatError):
        return BadInput(f"is not well-formed XML: {error}", file=where or file, expected="xacro")
    inside = f"in {where}" if where and Path(where) != file else None
    return BadInput(
        f"xacro cannot expand this: {error or type(error).__name__}",
        file=file,
        where=inside,
        expected="a file that `xacro` expands with the default values of its arguments",
    )


@contextlib.contextmanager
def _using_resources(resources: Resources) -> Iterator[None]:
    """Make the library search for packages along the same path as for other references."""

    def package(name: str) -> str:
        return str(resources.find(f"package://{name}"))

    def path(reference: str) -> Any:
        return (
            str(resources.find(reference)) if reference.startswith(SCHEMES) else original(reference)
        )

    original, table = xacro.abs_filename_spec, substitution_args._eval_dict
    originals = substitution_args._eval_find, table["find"]
    substitution_args._eval_find = table["find"] = package
    xacro.abs_filename_spec = path
    try:
        yield
    finally:
        substitution_args._eval_find, table["find"] = originals
        xacro.abs_filename_spec = original
