"""Plants single errors in the code, one at a time, and counts how many of them the tests find.

An error is a sign, an index, a copy that is missing, or an order that is swapped, at a place that the seed draws. For
each, the tests that touch its lines run, the nearest first, as a run with `--record` has seen them; without one, or
where none does, those of the module's folder, then those of runs as a whole. A test has found an error if it fails
with it and passes without. The checkout is changed in place, must be clean, and is as before afterwards, also after
an interrupt.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from coverage import CoverageData
from machine import machine

ROOT = Path(__file__).resolve().parents[1]
WHOLE = (
    "test/acceptance/test_pick_and_place_runs.py",
    "test/acceptance/test_handing_over.py",
    "test/conductor_node/test_transports_agree.py",
    "test/hetwin_core/ensemble/conductor",
)
"""Tests of runs as a whole."""
LIMIT_S = 120
"""A test that takes longer has found something that hangs [s]."""
AT_ONCE = 60
"""So many tests run together."""
MOST = 180
"""So many of those that touch an error's lines run at most."""
LEFT_OUT = "not colcon and not faults and not long"
EXAMPLES = """examples:
  python benchmarks/mutations.py --count 40 --seed 7 hetwin_core/ensemble/saving hetwin_core/wire
  python benchmarks/mutations.py --list hetwin_core/ensemble/saving
  python benchmarks/mutations.py --record build/touched --tests test/hetwin_core hetwin_core/ensemble/saving
  python benchmarks/mutations.py --touched build/touched hetwin_core/ensemble/saving
"""


@dataclass(frozen=True, slots=True)
class Mutation:
    """An error: what stands in a file from one offset to another is replaced."""

    file: str
    line: int
    kind: str
    begin: int
    end: int
    text: str
    before: str


@dataclass(frozen=True, slots=True)
class Row:
    """An error, how many tests there were to find it, and the first that did; empty: none.

    Where they were chosen by folders, the number is that of folders and files.
    """

    mutation: Mutation
    tests: int
    found_by: str


class Source:
    """A file's text and places in it, in bytes as `ast` counts them.

    Args:
        file: of Python code.
    """

    def __init__(self, file: Path) -> None:
        self._name = str(file.relative_to(ROOT))
        self._text = file.read_bytes()
        lines = self._text.splitlines(keepends=True)
        self._starts = list(accumulate(map(len, lines), initial=0))

    def mutations(self) -> Iterator[Mutation]:
        """All errors that can be planted in it."""
        for node in ast.walk(ast.parse(self._text)):
            if type(node) in _OF_KIND:
                yield from _OF_KIND[type(node)](self, node)

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Where an expression begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = self._starts[node.lineno - 1] + node.col_offset
        return begin, self._starts[node.end_lineno - 1] + node.end_col_offset

    def between(self, one: ast.expr, other: ast.expr) -> tuple[int, int]:
        """Where an expression ends and another one begins."""
        return self.span(one)[1], self.span(other)[0]

    def text(self, begin: int, end: int) -> bytes:
        """What stands there."""
        return self._text[begin:end]

    def mutation(self, kind: str, begin: int, end: int, new: bytes) -> Mutation:
        """An error that puts something else there."""
        line = self._text.count(b"\n", 0, begin) + 1
        old = self._text[begin:end].decode()
        return Mutation(self._name, line, kind, begin, end, new.decode(), old)


def _signs(source: Source, node: ast.BinOp) -> Iterator[Mutation]:
    begin, end = source.between(node.left, node.right)
    sign = source.text(begin, end)
    is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    if not is_text and sign.strip() in (b"+", b"-"):
        swapped = sign.translate(bytes.maketrans(b"+-", b"-+"))
        yield source.mutation("sign", begin, end, swapped)


def _indices(source: Source, node: ast.Subscript) -> Iterator[Mutation]:
    if isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        yield source.mutation("index", *source.span(node.slice), b"%d" % (node.slice.value + 1))


def _bounds(source: Source, node: ast.Slice) -> Iterator[Mutation]:
    for bound in (node.lower, node.upper):
        if bound is not None:
            begin, end = source.span(bound)
            yield source.mutation("index", begin, end, source.text(begin, end) + b" + 1")


def _copies_and_arguments(source: Source, node: ast.Call) -> Iterator[Mutation]:
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr == "copy" and not node.args:
        yield source.mutation("copy", source.span(called.value)[1], source.span(node)[1], b"")
    if len(node.args) == 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
        (begin, middle), (second, end) = map(source.span, node.args)
        one, other = source.text(begin, middle), source.text(second, end)
        if one != other:
            new = other + source.text(middle, second) + one
            yield source.mutation("order", begin, end, new)


def _comparisons(source: Source, node: ast.Compare) -> Iterator[Mutation]:
    if len(node.ops) == 1:
        begin, end = source.between(node.left, node.comparators[0])
        operator = source.text(begin, end)
        if operator.strip() in (b"<", b">", b"<=", b">="):
            yield source.mutation(
                "order", begin, end, operator.translate(bytes.maketrans(b"<>", b"><"))
            )


_OF_KIND: Mapping[type[ast.AST], Callable[[Source, Any], Iterator[Mutation]]] = {
    ast.BinOp: _signs,
    ast.Subscript: _indices,
    ast.Slice: _bounds,
    ast.Call: _copies_and_arguments,
    ast.Compare: _comparisons,
}


def drawn(paths: Sequence[str], count: int, seed: int) -> list[Mutation]:
    """Errors of all kinds in turn, at places that the seed draws."""
    files = [file for path in paths for file in _files(ROOT / path)]
    choice = random.Random(seed)
    by_kind: dict[str, list[Mutation]] = {}
    for file in files:
        for one in Source(file).mutations():
            by_kind.setdefault(one.kind, []).append(one)
    for kind in sorted(by_kind):
        choice.shuffle(by_kind[kind])
    chosen: list[Mutation] = []
    while len(chosen) < count and any(by_kind.values()):
        for kind in sorted(by_kind):
            if by_kind[kind] and len(chosen) < count:
                chosen.append(by_kind[kind].pop())
    return chosen


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def mirroring_tests(file: str) -> str:
    """The nearest folder of tests that mirrors a module, or its test."""
    module = Path("test", file)
    alone = module.with_name(f"test_{module.name}")
    if (ROOT / alone).exists():
        return str(alone)
    folder = next(parent for parent in module.parents if (ROOT / parent).is_dir())
    return str(folder)


def touching_tests(mutation: Mutation, touched: CoverageData) -> list[str]:
    """Those that run an error's statement, the nearest to its module first, and of these one of each file in turn."""
    contexts = touched.contexts_by_lineno(str(ROOT / mutation.file))
    names = {
        context.rpartition("|")[0]
        for line in _lines_of_statement(mutation)
        for context in contexts.get(line, ())
    }
    mirror = Path(mirroring_tests(mutation.file)).parts
    seen: Counter[str] = Counter()
    order = []
    for name in sorted(names - {""}):
        file = name.partition("::")[0]
        seen[file] += 1
        near = sum(1 for one, other in zip(Path(file).parts, mirror, strict=False) if one == other)
        order.append((-near, seen[file], name))
    return [name for _, _, name in sorted(order)][:MOST]


def _lines_of_statement(mutation: Mutation) -> range:
    """The lines of the smallest statement around an error; without those of the statements in it."""
    tree = ast.parse((ROOT / mutation.file).read_bytes())
    found = range(mutation.line, mutation.line + 1)
    smallest = sys.maxsize
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            body = getattr(node, "body", None)
            end = max(node.lineno + 1, body[0].lineno) if body else node.end_lineno + 1
            if node.lineno <= mutation.line < end and end - node.lineno < smallest:
                found, smallest = range(node.lineno, end), end - node.lineno
    return found


def groups_of_tests(mutation: Mutation, touched: CoverageData | None) -> list[list[str]]:
    """The tests that may find an error, as they run one group after another."""
    if touched is not None and (chosen := touching_tests(mutation, touched)):
        return [chosen[i : i + AT_ONCE] for i in range(0, len(chosen), AT_ONCE)]
    own = mirroring_tests(mutation.file)
    wider = str(Path(own).parent) if Path(own).suffix else own
    return [[one] for one in dict.fromkeys((own, wider))] + [list(WHOLE)]


def found_by(mutation: Mutation, groups: Sequence[Sequence[str]], jobs: int) -> str:
    """Plant an error, run the tests, and take it out again; returns the first that fails because of it."""
    unsteady: list[str] = []
    for group in groups:
        while True:
            with planted(mutation):
                failed = first_failure(group, unsteady, jobs)
            if not failed:
                break
            if "::" not in failed or not first_failure([failed], [], 1):
                return failed
            unsteady.append(failed)
    return ""


@contextmanager
def planted(mutation: Mutation) -> Iterator[None]:
    """Plant an error as long as this lasts."""
    file = ROOT / mutation.file
    before = file.read_bytes()
    try:
        file.write_bytes(before[: mutation.begin] + mutation.text.encode() + before[mutation.end :])
        yield
    finally:
        file.write_bytes(before)


def first_failure(tests: Sequence[str], without: Sequence[str], jobs: int) -> str:
    """Run tests; returns the first that fails, or how the run ended; empty: all pass."""
    command = [*_pytest("-x"), "-o", f"faulthandler_timeout={LIMIT_S}"]
    command += ["-o", "faulthandler_exit_on_timeout=true"]
    if jobs > 1:
        command += ["-n", str(jobs), "--dist", "loadfile"]
    command += [part for name in without for part in ("--deselect", name)]
    done = subprocess.run(
        [*command, *tests], cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode in (0, 5):
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return named[1] if named else f"pytest ended with {done.returncode}"


def record(data_file: str, paths: Sequence[str], tests: Sequence[str]) -> None:
    """Run tests and keep which of them touch which lines of some modules, in their own process."""
    modules = "".join(f"\n  {file}" for path in paths for file in _files(ROOT / path))
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "settings")
        settings.write_text(
            f"[run]\ndata_file = {Path(data_file).absolute()}\ninclude ={modules}\n"
            "disable_warnings = no-data-collected\n",
            encoding="utf-8",
        )
        command = _pytest("--cov", "--cov-report=", "--cov-context=test")
        command += [f"--cov-config={settings}", *tests]
        Path(data_file).absolute().parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(command, cwd=ROOT, check=False)


def _pytest(*options: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return [*command, "-m", LEFT_OUT, *options]


def main() -> None:
    """Plant errors, print each with the tests that found it; with 1 if fewer are found than asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "paths", nargs="+", help="modules or folders, from the root of the checkout"
    )
    parser.add_argument("--count", type=int, default=40, help="errors; default: 40")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=1, help="number of the error to begin with")
    parser.add_argument("--jobs", type=int, default=2, help="processes of pytest; default: 2")
    parser.add_argument("--least", type=int, default=0, help="so many are to be found")
    parser.add_argument("--list", action="store_true", help="print the errors and plant none")
    parser.add_argument("--record", metavar="FILE", help="run the tests, and keep what they touch")
    parser.add_argument(
        "--tests", nargs="+", default=["test"], help="for --record; default: all of them"
    )
    parser.add_argument("--touched", metavar="FILE", help="what was kept by --record")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.record:
        record(options.record, options.paths, options.tests)
        return
    chosen = drawn(options.paths, options.count, options.seed)
    if options.list:
        for one in chosen:
            print(f"{one.file}:{one.line}: {one.kind}: {one.before!r} -> {one.text!r}")
        return
    clean = ["git", "status", "--porcelain", "--untracked-files=no"]
    if subprocess.run(clean, cwd=ROOT, capture_output=True, check=True).stdout:
        parser.error("the checkout has changes; commit or undo them first")
    touched = CoverageData(options.touched) if options.touched else None
    if touched is not None:
        touched.read()
    rows: list[Row] = []
    for number, one in enumerate(chosen[options.first - 1 :], start=options.first):
        groups = groups_of_tests(one, touched)
        rows.append(Row(one, sum(map(len, groups)), found_by(one, groups, options.jobs)))
        where = f"{one.file}:{one.line}: {one.kind}: {one.before!r} -> {one.text!r}"
        print(f"{number}: {where}: {rows[-1].found_by or 'NOT FOUND'}", file=sys.stderr, flush=True)
    found = sum(bool(row.found_by) for row in rows)
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "machine": machine()}))
    else:
        kinds = Counter(row.mutation.kind for row in rows)
        missed = Counter(row.mutation.kind for row in rows if not row.found_by)
        for kind in sorted(kinds):
            print(f"{kind:6} {kinds[kind] - missed[kind]} of {kinds[kind]} found")
        print(f"{found} of {len(rows)} found; {machine()}")
    sys.exit(found < options.least)


if __name__ == "__main__":
    main()
