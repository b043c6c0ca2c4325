"""Workers on several machines, by dask.distributed."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

from hetwin_suite.model import BadInput, import_library
from hetwin_suite.runs import HetwinError
from hetwin_suite.study import FinishedTask, Job

MISSING_DASK = "several machines need dask.distributed, which cannot be imported"
CONNECT_S = 10.0
POLL_PERIOD_S = 0.25
TASKS_PER_WORKER = 2
"""Tasks submitted per worker, so that no worker waits for its next task."""
_ONE_AT_A_TIME = threading.Lock()
"""Held while a task runs: engines and caches belong to the process, and a dask worker may have several threads."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class RemoteResult(NamedTuple, Generic[Result]):
    """The result of a task that a worker on another machine has run.

    Attributes:
        result: the task's result; None if it failed.
        files: path relative to the task's folder -> content.
        error: why there is no result; None if there is one.
    """

    result: Result | None
    files: Mapping[str, bytes]
    error: HetwinError | None = None


class Cluster:
    """The workers of a dask.distributed scheduler. Each needs hetwin and access to the same scenario.

    Files that a task writes into its folder are returned with its result. If a worker dies, the scheduler gives its
    task to another one.

    Args:
        address: address of the scheduler, such as ``tcp://192.168.0.7:8786``.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def work(
        self,
        job: Job[Task, Result],
        tasks: Iterable[Task],
        note: Callable[[str], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> Generator[FinishedTask[Task, Result], None, None]:
        """See `Workers.work`."""
        job.warm()
        dask = import_library("cluster", "distributed", MISSING_DASK, "--cluster")
        client, remaining = _connect(dask, self._address), iter(tasks)
        submitted: dict[Any, Task] = {}
        ready: SimpleQueue[Any] = SimpleQueue()

        def submit(count: int) -> None:
            for task in islice(remaining, count):
                future = client.submit(do_remotely, job, task, pure=False)
                submitted[future] = task
                future.add_done_callback(ready.put)

        try:
            submit(TASKS_PER_WORKER * _wait_for_workers(client))
            while submitted:
                look()
                try:
                    future = ready.get(timeout=POLL_PERIOD_S)
                except Empty:
                    continue
                task = submitted.pop(future)
                submit(1)
                yield _finished_task(job, task, future)
        finally:
            client.cancel(list(submitted))
            client.close()


def _wait_for_workers(client: Any) -> int:
    """Wait for the first worker, and return the number of workers.

    Raises:
        BadInput: if there is none within `CONNECT_S`.
    """
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        raise BadInput(
            "the cluster has no workers",
            where="--cluster",
            found=client.scheduler.address,
            expected="dask worker ADDRESS, on each machine that shall run tasks",
        ) from None
    return len(client.scheduler_info(n_workers=-1)["workers"])


def _finished_task(job: Job[Task, Result], task: Task, future: Any) -> FinishedTask[Task, Result]:
    error = future.exception()
    if error is not None:
        return FinishedTask(task, None, f"{type(error).__name__}: {error}", error)
    remote: RemoteResult[Result] = future.result()
    folder = job.folder(task)
    for name, content in remote.files.items() if folder is not None else ():
        file = Path(str(folder), name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    reason = "" if remote.error is None else str(remote.error)
    return FinishedTask(task, remote.result, reason, remote.error)


def do_remotely(job: Job[Task, Result], task: Task) -> RemoteResult[Result]:
    """Run a task on a worker, in a temporary folder; returns its result and the files that it wrote there."""
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory(prefix="hetwin-") as out:
        local = job.elsewhere(Path(out))
        try:
            local.warm()
            result = local.do(task, None)
        except HetwinError as error:
            return RemoteResult(None, _files(local.folder(task)), error)
        return RemoteResult(result, _files(local.folder(task)))


def _files(folder: Path | None) -> dict[str, bytes]:
    if folder is None:
        return {}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _connect(dask: Any, address: str) -> Any:
    """Return a client of the scheduler.

    Raises:
        BadInput: if the scheduler cannot be reached.
    """
    try:
        return dask.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise BadInput(
            f"no scheduler was found: {error or type(error).__name__}",
            where="--cluster",
            found=address,
            expected="the address that `dask scheduler` prints, such as tcp://192.168.0.7:8786",
        ) from None
