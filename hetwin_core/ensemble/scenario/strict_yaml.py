"""YAML without duplicate keys or expansion bombs, and with the line of every key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import check_digits, read_text

MAX_BYTES = 2_000_000
MAX_NODES = 100_000
MAX_DEPTH = 40


class _Loader(yaml.SafeLoader):
    """YAML 1.2's booleans and numbers: `on`, `off`, `yes`, `no` and `1:30` are text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose no more nodes than a file may have."""
        self._count += 1
        if self._count > MAX_NODES:
            mark = self.get_mark()
            raise yaml.MarkedYAMLError(problem=f"more than {MAX_NODES} values", problem_mark=mark)
        return super().compose_node(parent, index)

    def number(self, node: yaml.ScalarNode) -> int | float:
        """Construct a number of a length that one can calculate with."""
        try:
            check_digits(node.value)
            is_whole = node.tag == _WHOLE
            value: int | float = (
                self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)
            )
        except ValueError as error:
            raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from None
        return value


_BOOL, _WHOLE, _FLOAT = (f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float"))
_NOT_SEXAGESIMAL = r"^(?![^:]*:)"
_Loader.yaml_implicit_resolvers = {
    first: [
        (
            tag,
            re.compile(_NOT_SEXAGESIMAL + pattern.pattern, re.VERBOSE)
            if tag in (_WHOLE, _FLOAT)
            else pattern,
        )
        for tag, pattern in resolvers
        if tag != _BOOL
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_constructor(_WHOLE, _Loader.number)
_Loader.add_constructor(_FLOAT, _Loader.number)


class Document:
    """A YAML document's data, and the place of each key."""

    def __init__(self, data: Any, lines: dict[tuple[str | int, ...], int]) -> None:
        self.data = data
        self._lines = lines
        self._base: tuple[Document, Path] | None = None

    def over(self, base: Document, file: Path, data: Any) -> Document:
        """This document laid over another, with the data that came of it; `file` is the other's."""
        document = Document(data, self._lines)
        document._base = (base, file)
        return document

    def raised(self, prefix: tuple[str | int, ...], data: Any) -> Document:
        """This document with the keys below a path raised to the top, and the data that came of it."""
        depth = len(prefix)
        raised = {
            path[depth:]: line
            for path, line in self._lines.items()
            if len(path) > depth and path[:depth] == prefix
        }
        document = Document(data, {**self._lines, **raised})
        if self._base is not None:
            base, file = self._base
            document._base = (base.raised(prefix, base.data), file)
        return document

    def line_of(self, path: tuple[str | int, ...]) -> int | None:
        """Line (from 1) of a key, or of its closest parent that stands in the file."""
        if self._base is not None and path and not self._stands_here(path):
            return self._base[0].line_of(path)
        for length in range(len(path), -1, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None

    def file_of(self, path: tuple[str | int, ...], own: Path) -> Path:
        """The file that a key stands in; `own` unless it comes from a document that this one lies over."""
        if self._base is None or self._stands_here(path):
            return own
        document, file = self._base
        return document.file_of(path, file)

    def folders(self, own: Path) -> tuple[Path, ...]:
        """The folder of this document's file, `own`, and those of the documents that it lies over, each once."""
        below = () if self._base is None else self._base[0].folders(self._base[1])
        return tuple(dict.fromkeys((own.parent, *below)))

    def placed(self, error: BadInput, own: Path) -> BadInput:
        """The same error with the file and the line of the key that it names; `own` is this document's file.

        An error about another file, or one that has its line already, is returned as it is.
        """
        where = error.where
        if error.file not in (None, str(own)) or (where or "").startswith("line "):
            return error
        file = own
        if where:
            parts = self._path(where)
            file = self.file_of(parts, own)
            if self._has(parts[0]):
                where = f"line {self.line_of(parts)}, {where}"
        return error.at(where, file)

    def _path(self, where: str) -> tuple[str | int, ...]:
        """The path that keys joined by dots name; a key may hold dots itself."""
        path: tuple[str | int, ...] = ()
        parts = where.split(".")
        while parts:
            counts = range(len(parts), 1, -1)
            known = (n for n in counts if self._has(*path, ".".join(parts[:n])))
            count = next(known, 1)
            key = ".".join(parts[:count])
            path = (*path, int(key) if key.isdigit() else key)
            parts = parts[count:]
        return path

    def _has(self, *path: str | int) -> bool:
        return path in self._lines or (self._base is not None and self._base[0]._has(*path))

    def _stands_here(self, path: tuple[str | int, ...]) -> bool:
        return path[:2] in self._lines if len(path) > 1 else path in self._lines


def load(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        BadInput: if it is missing, too large, not YAML, expands to too much, or has a key twice.
    """
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        raise BadInput("there is no such file", file=path, expected="a YAML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"the file cannot be read: {error}", file=path, expected="a YAML file in UTF-8"
        ) from None
    return parse(text, path)


def parse(text: str, file: Path) -> Document:
    """Read YAML text; `file` is for errors.

    Raises:
        BadInput: see `load`.
    """
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        raise BadInput(
            f"this is not YAML: the character {error.character!r}: {error.reason}",
            file=file,
            where=f"line {text.count(chr(10), 0, error.position) + 1}",
            expected="YAML",
        ) from None
    try:
        node = loader.get_single_node()
        if node is None:
            raise BadInput("the file is empty", file=file, expected="a mapping of keys")
        lines: dict[tuple[str | int, ...], int] = {}
        _Walk(file, lines).visit(node, (), 0)
        data = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else None
        raise BadInput(
            f"this is not YAML: {error.problem or error.context}",
            file=file,
            where=where,
            expected="YAML",
        ) from None
    except RecursionError:
        raise BadInput(
            "the file is nested too deeply", file=file, expected=f"at most {MAX_DEPTH} levels"
        ) from None
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
        # a tag such as !!timestamp or !!bool before anything else makes the loader raise whatever it likes
        raise BadInput(f"this is not YAML: {error}", file=file, expected="YAML") from None
    finally:
        loader.dispose()
    return Document(data, lines)


class _Walk:
    """Visits every node as often as it is referenced, so that an expansion bomb is found before it is built."""

    def __init__(self, file: Path, lines: dict[tuple[str | int, ...], int]) -> None:
        self._file = file
        self._lines = lines
        self._count = 0

    def visit(self, node: yaml.Node, path: tuple[str | int, ...], depth: int) -> None:
        self._count += 1
        line = node.start_mark.line + 1
        if self._count > MAX_NODES or depth > MAX_DEPTH:
            raise BadInput(
                "the file expands to too much",
                file=self._file,
                where=f"line {line}",
                expected=f"at most {MAX_NODES} values, {MAX_DEPTH} deep (anchors count as often as used)",
            )
        self._lines.setdefault(path, line)
        if isinstance(node, yaml.SequenceNode):
            for index, child in enumerate(node.value):
                self.visit(child, (*path, index), depth + 1)
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, path, depth)

    def _mapping(self, node: yaml.MappingNode, path: tuple[str | int, ...], depth: int) -> None:
        first: dict[str, int] = {}
        for key_node, child in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            if key in first and key != "<<":
                raise BadInput(
                    "a key stands twice",
                    file=self._file,
                    where=f"line {line}",
                    found=key,
                    expected=f"one of them (the other is in line {first[key]})",
                )
            first[key] = line
            self._lines[(*path, key)] = line
            self.visit(child, (*path, key), depth + 1)
