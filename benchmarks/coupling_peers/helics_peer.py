"""The trivial ensemble for HELICS: federates as threads of one process, or as processes over TCP."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from typing import TypeAlias

import helics

from coupling_peers.arguments import SHARE, read, tell

Found: TypeAlias = dict[int, tuple[float, float]]
"""Number of a federate -> its wall time for all steps, and its level at the end."""


def federate(number: int, steps: int, kind: str, broker: str, found: Found) -> None:
    """One federate."""
    info = helics.helicsCreateFederateInfo()
    helics.helicsFederateInfoSetCoreTypeFromString(info, kind)
    helics.helicsFederateInfoSetCoreInitString(info, f"--federates=1 {broker}")
    helics.helicsFederateInfoSetCoreName(info, f"core_{kind}_{number}")
    helics.helicsFederateInfoSetTimeProperty(info, helics.HELICS_PROPERTY_TIME_DELTA, 1.0)
    self = helics.helicsCreateValueFederate(f"tank{number}", info)
    double = helics.HELICS_DATA_TYPE_DOUBLE
    told = helics.helicsFederateRegisterGlobalPublication(self, f"level{number}", double, "")
    heard = None if number == 0 else helics.helicsFederateRegisterSubscription(self, "level0", "")
    if heard is not None:
        helics.helicsInputSetDefaultDouble(heard, 0.0)
    helics.helicsFederateEnterExecutingMode(self)
    level, begun = 0.0, time.perf_counter()
    for step in range(1, steps + 1):
        helics.helicsFederateRequestTime(self, float(step))
        if heard is None:
            level += 1.0
        else:
            level += SHARE * (helics.helicsInputGetDouble(heard) - level)
        helics.helicsPublicationPublishDouble(told, level)
    found[number] = (time.perf_counter() - begun, level)
    helics.helicsFederateRequestTime(self, steps + 2.0)  # none leaves before all are done
    helics.helicsFederateDisconnect(self)
    helics.helicsFederateFree(self)


def in_threads(models: int, steps: int) -> Found:
    """Run all federates as threads of this process."""
    broker = helics.helicsCreateBroker("inproc", "trivial", f"--federates={models}")
    found: Found = {}
    threads = [
        threading.Thread(target=federate, args=(i, steps, "inproc", "--broker=trivial", found))
        for i in range(models)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    helics.helicsBrokerWaitForDisconnect(broker, 5000)
    return found


def in_processes(models: int, steps: int) -> Found:
    """Run each federate in a process, with the broker at a free port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    start = f"--federates={models} --local_interface=tcp://127.0.0.1 --localport={port}"
    broker = helics.helicsCreateBroker("tcp", "trivial", start)
    command = [
        sys.executable,
        "-m",
        "coupling_peers.helics_peer",
        "federate",
        str(steps),
        str(port),
    ]
    processes = [
        subprocess.Popen([*command, str(i)], stdout=subprocess.PIPE, text=True)
        for i in range(models)
    ]
    found: Found = {}
    for number, process in enumerate(processes):
        out, _ = process.communicate()
        seconds, level = json.loads(out.splitlines()[-1])
        found[number] = (seconds, level)
    helics.helicsBrokerWaitForDisconnect(broker, 5000)
    return found


def one(steps: int, port: int, number: int) -> None:
    """One federate as this process."""
    found: Found = {}
    address = f"--broker_address=tcp://127.0.0.1 --brokerport={port}"
    federate(number, steps, "tcp", address, found)
    print(json.dumps(found[number]), flush=True)


def main() -> None:
    """Run and print."""
    given = read("inproc", "tcp")
    run = in_threads if given.way == "inproc" else in_processes
    found = run(given.models, given.steps)
    tell(max(seconds for seconds, _ in found.values()), [found[i][1] for i in (0, 1)])


if __name__ == "__main__":
    if sys.argv[1:2] == ["federate"]:
        one(*map(int, sys.argv[2:5]))
    else:
        main()
    helics.helicsCloseLibrary()
