"""Workers on several machines, by dask.distributed."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.extras import library_of
from hetwin_suite.futures.workers.work import Done, Job, Result, Task

NEEDED = "several machines need dask.distributed, which cannot be imported"
CONNECT_S = 10.0
LOOK_S = 0.25
AHEAD = 2
"""Tasks that a worker has, so that it need not wait for the next one."""
_ONE_AT_A_TIME = threading.Lock()
"""Engines and caches are those of a process, however many threads its worker has."""


class Away(NamedTuple, Generic[Result]):
    """What a worker on another machine has done.

    Attributes:
        result: what came of the task.
        files: path relative to the task's folder -> content.
        error: why there is no result; None if there is one.
    """

    result: Result | None
    files: Mapping[str, bytes]
    error: HetwinError | None = None


class Cluster:
    """The workers of a scheduler of dask.distributed, each of which has hetwin and finds the same scenario.

    What a task leaves in its folder comes back with its result. A worker that dies is replaced by the scheduler, which
    gives its task to another.

    Args:
        address: of the scheduler, such as ``tcp://192.168.0.7:8786``.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def work(
        self,
        job: Job[Task, Result],
        tasks: Iterable[Task],
        note: Callable[[str], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> Generator[Done[Task, Result], None, None]:
        """See `Workers.work`."""
        job.warm()
        dask = library_of("cluster", "distributed", NEEDED, "--cluster")
        client = _connected(dask, self._address)
        try:
            yield from _Shift(client, job, iter(tasks)).finished(look)
        finally:
            client.close()


class _Shift(Generic[Task, Result]):
    """Tasks that a cluster works on."""

    def __init__(self, client: Any, job: Job[Task, Result], tasks: Iterator[Task]) -> None:
        self._client = client
        self._job = job
        self._tasks = tasks
        self._begun: dict[Any, Task] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()

    def finished(self, look: Callable[[], None]) -> Generator[Done[Task, Result], None, None]:
        """Yield what comes of the tasks as it comes."""
        try:
            self._begin(AHEAD * self._workers())
            while self._begun:
                future = self._next_ready()
                look()
                if future is not None:
                    task = self._begun.pop(future)
                    self._begin(1)
                    yield self._done(task, future)
        finally:
            self._client.cancel(list(self._begun))

    def _workers(self) -> int:
        """Wait for the first worker, and return how many there are.

        Raises:
            BadInput: if there is none.
        """
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
        except TimeoutError:
            raise BadInput(
                "the cluster has no workers",
                where="--cluster",
                found=self._client.scheduler.address,
                expected="dask worker ADDRESS, on each machine that is to work",
            ) from None
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _begin(self, count: int) -> None:
        for _ in range(count):
            task = next(self._tasks, None)
            if task is None:
                return
            future = self._client.submit(do_away, self._job, task, pure=False)
            self._begun[future] = task
            future.add_done_callback(self._ready.put)

    def _next_ready(self) -> Any:
        """Return a future that is done; None if none is for a while."""
        with suppress(Empty):
            return self._ready.get(timeout=LOOK_S)
        return None

    def _done(self, task: Task, future: Any) -> Done[Task, Result]:
        error = future.exception()
        if error is not None:
            return Done(task, None, f"{type(error).__name__}: {error}", error)
        away: Away[Result] = future.result()
        folder = self._job.folder(task)
        if folder is not None:
            _write(folder, away.files)
        lost = "" if away.error is None else str(away.error)
        return Done(task, away.result, lost, away.error)


def do_away(job: Job[Task, Result], task: Task) -> Away[Result]:
    """Do a task on another machine, in a folder that is thrown away, and return what it leaves there, too."""
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory(prefix="hetwin-") as out:
        there = job.elsewhere(Path(out))
        try:
            there.warm()
            result = there.do(task, None)
        except HetwinError as error:
            return Away(None, _files(there.folder(task)), error)
        return Away(result, _files(there.folder(task)))


def _files(folder: Path | None) -> dict[str, bytes]:
    if folder is None:
        return {}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _connected(dask: Any, address: str) -> Any:
    """Return a client of the scheduler.

    Raises:
        BadInput: if there is none.
    """
    try:
        return dask.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise BadInput(
            f"there is no scheduler: {error or type(error).__name__}",
            where="--cluster",
            found=address,
            expected="the address that `dask scheduler` prints, such as tcp://192.168.0.7:8786",
        ) from None
