"""Strict YAML files of scenarios, with the line of every key; with `extends` and variants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import check_digits, read_text
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.resources import names_of, resource

MAX_BYTES = 2_000_000
MAX_NODES = 100_000
MAX_DEPTH = 40


class _Loader(yaml.SafeLoader):
    """YAML 1.2's booleans and numbers: `on`, `off`, `yes`, `no` and `1:30` are text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node, up to the maximum number."""
        self._count += 1
        if self._count > MAX_NODES:
            mark = self.get_mark()
            raise yaml.MarkedYAMLError(problem=f"more than {MAX_NODES} values", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """Construct a number with a limited number of digits."""
        try:
            check_digits(node.value)
            is_whole = node.tag == _INTEGER
            value: int | float = (
                self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)
            )
        except ValueError as error:
            raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from None
        return value


_BOOL, _INTEGER, _FLOAT = (f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float"))


class _NumberPattern(NamedTuple):
    """The library's pattern of numbers without base 60."""

    pattern: re.Pattern[str]

    def match(self, text: str) -> re.Match[str] | None:
        return None if ":" in text else self.pattern.match(text)


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, _NumberPattern(pattern) if tag in (_INTEGER, _FLOAT) else pattern)
        for tag, pattern in resolvers
        if tag != _BOOL
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_constructor(_INTEGER, _Loader.construct_number)
_Loader.add_constructor(_FLOAT, _Loader.construct_number)


class _FastLoader(_Loader):
    """Takes its events from libyaml, which is ten times as fast; its errors have other texts and positions."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        events = yaml.cyaml.CParser(text)  # type: ignore[attr-defined]  # absent without libyaml
        for name in ("check_event", "peek_event", "get_event"):
            setattr(self, name, getattr(events, name))


class Document:
    """A YAML document's data, and the line of each key."""

    def __init__(self, data: Any, lines: dict[tuple[str | int, ...], int]) -> None:
        self.data = data
        self._lines = lines
        self._base: tuple[Document, Path] | None = None

    def merged_over(self, base: Document, file: Path, data: Any) -> Document:
        """Return this document merged over another; `data` is the merged data, `file` the other's file."""
        document = Document(data, self._lines)
        document._base = (base, file)
        return document

    def with_subtree_at_top(self, prefix: tuple[str | int, ...], data: Any) -> Document:
        """Return this document with the keys below a path moved to the top; `data` is the resulting data."""
        depth = len(prefix)
        with_subtree_at_top = {
            path[depth:]: line
            for path, line in self._lines.items()
            if len(path) > depth and path[:depth] == prefix
        }
        document = Document(data, {**self._lines, **with_subtree_at_top})
        if self._base is not None:
            base, file = self._base
            document._base = (base.with_subtree_at_top(prefix, base.data), file)
        return document

    def line_of(self, path: tuple[str | int, ...]) -> int | None:
        """Line (from 1) of a key, or of its closest parent that the file contains."""
        if self._base is not None and path and not self._contains(path):
            return self._base[0].line_of(path)
        for length in range(len(path), -1, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None

    def file_of(self, path: tuple[str | int, ...], own_file: Path) -> Path:
        """The file that contains a key: `own_file`, or that of a document below this one."""
        if self._base is None or self._contains(path):
            return own_file
        document, file = self._base
        return document.file_of(path, file)

    def folders(self, own_file: Path) -> tuple[Path, ...]:
        """The folder of this document's file, `own_file`, and those of the documents below it, each once."""
        base_folders = () if self._base is None else self._base[0].folders(self._base[1])
        return tuple(dict.fromkeys((own_file.parent, *base_folders)))

    def placed(self, error: BadInput, own_file: Path) -> BadInput:
        """The same error with the file and the line of its key; `own_file` is this document's file.

        An error about another file, or one that has its line already, is returned unchanged.
        """
        where = error.where
        if error.file not in (None, str(own_file)) or (where or "").startswith("line "):
            return error
        file = own_file
        if where:
            parts = self._path(where)
            file = self.file_of(parts, own_file)
            if self._has(parts[0]):
                where = f"line {self.line_of(parts)}, {where}"
        return error.at(where, file)

    def _path(self, where: str) -> tuple[str | int, ...]:
        """Split keys joined by dots into a path; a key may contain dots itself."""
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

    def _contains(self, path: tuple[str | int, ...]) -> bool:
        return path[:2] in self._lines if len(path) > 1 else path in self._lines


def load(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        BadInput: if it is missing, too large, not YAML, expands to too many values, or has a key twice.
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
    if yaml.__with_libyaml__:
        with suppress(
            yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError, TypeError
        ):
            return _document(_FastLoader(text), file)
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
        return _document(loader, file)
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
        # the loader raises various errors at a tag such as !!timestamp before an unsuitable value
        raise BadInput(f"this is not YAML: {error}", file=file, expected="YAML") from None


def _document(loader: _Loader, file: Path) -> Document:
    try:
        node = loader.get_single_node()
        if node is None:
            raise BadInput("the file is empty", file=file, expected="a mapping of keys")
        lines: dict[tuple[str | int, ...], int] = {}
        _Visitor(file, lines).visit(node, (), 0)
        return Document(loader.construct_document(node), lines)
    finally:
        loader.dispose()


class _Visitor:
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
                "the file expands to too many values",
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
        first_lines: dict[str, int] = {}
        for key_node, child in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            if key in first_lines and key != "<<":
                raise BadInput(
                    "a key appears twice",
                    file=self._file,
                    where=f"line {line}",
                    found=key,
                    expected=f"one of them (the other is in line {first_lines[key]})",
                )
            first_lines[key] = line
            self._lines[(*path, key)] = line
            self.visit(child, (*path, key), depth + 1)


EXTENDS = "extends"
FOLDER = "scenarios"
MERGED = (
    *("models", "entities", "hands", "evaluators", "expects", "variants"),
    *("uncertainty", "outcomes"),
)
"""Keys whose entries are merged by name; any other key replaces the base's key."""
MAX_CHAIN = 8


def load_with_base(path: Path) -> Document:
    """Read a scenario file and those that it extends.

    A key replaces the base's key of the same name. For the keys in `MERGED`, single entries replace the base's
    entries of the same name, and an entry that is null removes the base's.

    Raises:
        BadInput: if a file cannot be read, or the files extend each other in a cycle.
    """
    return _load(path, ())


def _load(path: Path, chain: tuple[Path, ...]) -> Document:
    document = load(path)
    if not (isinstance(document.data, dict) and EXTENDS in document.data):
        return document
    name = document.data.pop(EXTENDS)
    where = f"line {document.line_of((EXTENDS,))}, {EXTENDS}"
    installed_names = names_of(FOLDER, ".yaml")
    base_path = _base(name, path.parent, installed_names)
    if base_path is None:
        raise BadInput(
            "no such scenario to extend",
            file=path,
            where=where,
            found=name,
            expected="a scenario file, relative to this one, or the name of one of hetwin's"
            + perhaps(str(name), installed_names),
        )
    if base_path in chain or len(chain) >= MAX_CHAIN:
        shown = " -> ".join(p.name for p in (*chain, path.resolve(), base_path))
        raise BadInput(
            "scenarios extend each other in a cycle", file=path, where=where, found=shown
        )
    base = _load(base_path, (*chain, path.resolve()))
    if not isinstance(base.data, dict):
        return base
    return document.merged_over(base, base_path, _merge_keys(base.data, document.data))


def _base(name: object, folder: Path, installed_names: Sequence[str]) -> Path | None:
    """The file that is extended; None if there is none."""
    if not isinstance(name, str):
        return None
    if (folder / name).is_file():
        return (folder / name).resolve()
    return resource(FOLDER, f"{name}.yaml") if name in installed_names else None


def _merge_keys(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    merged = {**base, **own}
    for key in MERGED:
        if isinstance(base.get(key), dict) and isinstance(own.get(key), dict):
            entries = {**base[key], **own[key]}
            merged[key] = {name: entry for name, entry in entries.items() if entry is not None}
    return merged


VARIANTS = "variants"
NEVER_OVERRIDDEN = ("scenario", "extends", VARIANTS)
"""Keys that a variant must not contain."""


def with_variant(document: Document, name: str | None, path: Path) -> Document:
    """Merge a variant into its scenario.

    Mappings are merged at every depth; a list or a value replaces the former one; null removes the key.

    Args:
        document: the scenario, merged with those that it extends.
        name: name of the variant; None: the document is returned unchanged.
        path: path of the scenario, for the error.

    Raises:
        BadInput: if the scenario has no such variant; its variants are named.
    """
    if name is None or not isinstance(document.data, dict):
        return document
    variants = document.data.get(VARIANTS)
    known: dict[str, Any] = variants if isinstance(variants, dict) else {}
    if name not in known:
        expected = (
            f"one of {', '.join(known)}{perhaps(name, list(known))}"
            if known
            else f"no {VARIANTS} here"
        )
        raise BadInput(
            "the scenario has no such variant",
            file=path,
            where=VARIANTS,
            found=name,
            expected=expected,
        )
    overrides = known[name]
    if not _is_valid_override(overrides):  # the scenario's check reports it
        return document
    return document.with_subtree_at_top((VARIANTS, name), _merge_deep(document.data, overrides))


def _is_valid_override(overrides: object) -> bool:
    return isinstance(overrides, dict) and not any(key in overrides for key in NEVER_OVERRIDDEN)


def _merge_deep(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in overrides.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge_deep(merged[key], value)
        else:
            merged[key] = value
    return merged
