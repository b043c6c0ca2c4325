"""Divides a condition at its outermost ``&&``."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<text>(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<and>&&)|(?P<weaker>\|\||\?)|(?P<strange>//|\b[rRbB]+['"])|.""",
    re.DOTALL,
)


def conjuncts(text: str) -> tuple[str, ...]:
    """The parts between the outermost ``&&`` of an expression.

    Args:
        text: an expression of correct syntax.

    Returns:
        The whole text if it is no conjunction, or holds a comment or a literal for which backslashes mean nothing.
    """
    depth, begin = 0, 0
    parts: list[str] = []
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "strange":
                return (text,)
            case "weaker" if depth == 0:
                return (text,)
            case "and" if depth == 0:
                parts.append(text[begin : token.start()].strip())
                begin = token.end()
    return (*parts, text[begin:].strip())
