"""Patch of the joints' friction in SDFormat and MJCF files; everything else is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from hetwin_suite.command import BadInput
from hetwin_suite.engine import read_xml

_JOINT = re.compile(r"<joint\b[^>]*?/>|<joint\b[^>]*?>.*?</joint\s*>", re.DOTALL)
_NAME = re.compile(r"""\bname\s*=\s*["']([^"']*)["']""")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MJCF = {"damping": "damping", "friction": "frictionloss"}


def with_friction_in(file: Path, friction: Mapping[str, Mapping[str, float]]) -> str:
    """Return the text of an SDFormat or MJCF file with other friction of its joints.

    Args:
        file: file with joints of the same names.
        friction: joint -> ``damping`` and ``friction``; missing keys are not changed.

    Raises:
        BadInput: if the file has another format, or none of these joints.
    """
    root = read_xml(file)
    if root.tag not in ("sdf", "mujoco"):
        raise root.bad("is neither SDFormat nor MJCF", f"<{root.tag}>", "<sdf> or <mujoco>")
    text, found = file.read_text("utf-8"), set()
    hidden = [match.span() for match in _COMMENT.finditer(text)]

    def patched(match: re.Match[str]) -> str:
        name = _NAME.search(match[0].partition(">")[0])
        values = friction.get(name[1] if name else "", {})
        if not values or any(begin <= match.start() < end for begin, end in hidden):
            return match[0]
        found.add(name[1] if name else "")
        return (_in_sdf if root.tag == "sdf" else _in_mjcf)(match[0], values)

    changed = _JOINT.sub(patched, text)
    wanted = {name for name, values in friction.items() if values}
    if wanted and not found:
        raise BadInput(
            "the file has none of the joints whose friction was found",
            file=file,
            where="<joint name=...>",
            expected=", ".join(sorted(wanted)),
        )
    return changed


def _in_mjcf(joint: str, values: Mapping[str, float]) -> str:
    tag, children = joint[: joint.index(">")], joint[joint.index(">") :]
    closing = "/" if tag.endswith("/") else ""
    tag = tag.removesuffix("/").rstrip()
    for key, value in values.items():
        tag = re.sub(rf"""\s+{_MJCF[key]}\s*=\s*("[^"]*"|'[^']*')""", "", tag)
        tag += f' {_MJCF[key]}="{value:.6g}"'
    return tag + closing + children


def _in_sdf(joint: str, values: Mapping[str, float]) -> str:
    for key, value in values.items():
        element = f"<{key}>{value:.6g}</{key}>"
        inside = re.search(r"<dynamics>.*?</dynamics>", joint, re.DOTALL)
        if inside is None:
            joint = re.sub(r"<dynamics\s*/>", "", joint)
            joint = joint.replace("</axis>", f"<dynamics>{element}</dynamics></axis>", 1)
            continue
        changed, count = re.subn(rf"<{key}>[^<]*</{key}>", element, inside[0], count=1)
        if not count:
            changed = inside[0].replace("</dynamics>", f"{element}</dynamics>")
        joint = joint.replace(inside[0], changed, 1)
    return joint
