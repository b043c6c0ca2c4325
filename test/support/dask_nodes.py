"""A scheduler of dask.distributed and two workers, on three addresses of the loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from distributed import Client

from support.waiting import PATIENCE_S, wait_until

_HOSTS = ("127.0.0.1", "127.0.0.2")


@contextmanager
def two_nodes(folder: Path) -> Iterator[str]:
    """Start them and end them; the scheduler's address."""
    known = folder / "scheduler.json"
    with ExitStack() as stack:
        stack.enter_context(_dask(folder, "scheduler", "127.0.0.1"))
        wait_until(known.exists, "a scheduler")
        for host in _HOSTS:
            options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder / host))
            stack.enter_context(_dask(folder, "worker", host, *options))
        address: str = json.loads(known.read_text())["address"]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(len(_HOSTS), timeout=PATIENCE_S)
        yield address


@contextmanager
def _dask(folder: Path, what: str, host: str, *options: str) -> Iterator[None]:
    command = (sys.executable, "-m", "dask", what, "--host", host, "--port", "0", "--no-dashboard")
    if what == "worker":
        command = tuple(part for part in command if part not in ("--port", "0"))
    log = folder / f"{what}_{host}.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            (*command, "--scheduler-file", str(folder / "scheduler.json"), *options),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
