"""Workers on several machines, by dask.distributed."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.installed import library_of
from hetwin_suite._study.work import Done, Job, Result, Task

NEEDED = "several machines need dask.distributed, which cannot be imported"
CONNECT_S = 10.0
LOOK_S = 0.25
AHEAD = 2
"""Tasks that a worker has, so that it need not wait for the next one."""
_ONE_AT_A_TIME = threading.Lock()
"""Engines and caches are those of a process, however many threads its worker has."""


class Away(NamedTuple, Generic[Result]):
    """A task done by a worker on another machine.

    Attributes:
        result: of the task.
        files: path relative to the task's folder -> content.
        error: why there is no result; None if there is one.
    """

    result: Result | None
    files: Mapping[str, bytes]
    error: HetwinError | None = None


class Cluster:
    """The workers of a scheduler of dask.distributed, each of which has hetwin and finds the same scenario.

    Files that a task leaves in its folder come back with its result. A worker that dies is replaced by the scheduler,
    which gives its task to another.

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
        client, waiting = _connected(dask, self._address), iter(tasks)
        begun: dict[Any, Task] = {}
        ready: SimpleQueue[Any] = SimpleQueue()

        def begin(count: int) -> None:
            for task in islice(waiting, count):
                future = client.submit(do_away, job, task, pure=False)
                begun[future] = task
                future.add_done_callback(ready.put)

        try:
            begin(AHEAD * _workers(client))
            while begun:
                look()
                try:
                    future = ready.get(timeout=LOOK_S)
                except Empty:
                    continue
                task = begun.pop(future)
                begin(1)
                yield _done(job, task, future)
        finally:
            client.cancel(list(begun))
            client.close()


def _workers(client: Any) -> int:
    """Wait for the first worker, and return how many there are.

    Raises:
        BadInput: if there is none.
    """
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        raise BadInput(
            "the cluster has no workers",
            where="--cluster",
            found=client.scheduler.address,
            expected="dask worker ADDRESS, on each machine that is to work",
        ) from None
    return len(client.scheduler_info(n_workers=-1)["workers"])


def _done(job: Job[Task, Result], task: Task, future: Any) -> Done[Task, Result]:
    error = future.exception()
    if error is not None:
        return Done(task, None, f"{type(error).__name__}: {error}", error)
    away: Away[Result] = future.result()
    folder = job.folder(task)
    for name, content in away.files.items() if folder is not None else ():
        file = Path(str(folder), name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    lost = "" if away.error is None else str(away.error)
    return Done(task, away.result, lost, away.error)


def do_away(job: Job[Task, Result], task: Task) -> Away[Result]:
    """Do a task on another machine, in a folder that is thrown away, and return the files that it leaves there, too."""
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
