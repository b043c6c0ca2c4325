"""A HELICS co-simulation of two federates, one of which fails as the environment specifies."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import helics
from fault_deeds import DEEDS

FAULT, CORE, MARK = (os.environ[f"PEER_{key}"] for key in ("FAULT", "TRANSPORT", "MARK"))
AT, UNTIL = 10, 50
LEVELS = {"not a number": math.nan, "infinity": math.inf}


def fail(publication: helics.HelicsPublication) -> None:
    """Cause the fault."""
    Path(MARK).write_text(str(time.time()))
    if FAULT in DEEDS:
        DEEDS[FAULT]()
    publication.publish(LEVELS.get(FAULT, 0.0))


def federate(name: str) -> None:
    """Step to the end; the federate `failing` fails at step 10."""
    info = helics.helicsCreateFederateInfo()
    info.core_type = CORE
    info.core_init = f"--federates=1 --brokerport={os.environ['HELICS_PORT']}"
    own = helics.helicsCreateValueFederate(name, info)
    own.property["period"] = 1.0
    publication = own.register_global_publication(name, "double", "")
    heard = own.register_subscription("failing" if name == "other" else "other", "")
    own.enter_executing_mode()
    for step in range(1, UNTIL):
        own.request_time(float(step))
        publication.publish(float(step))
        if name == "failing" and step == AT:
            fail(publication)
    print(f"{name} is done at {own.current_time}, last heard {heard.double}", flush=True)
    own.disconnect()


def run() -> int:
    """Run broker and both federates; returns the exit code of the survivor."""
    options = f"--federates=2 --port={os.environ['HELICS_PORT']}"
    broker = helics.helicsCreateBroker(CORE, "broker", options)
    command = [sys.executable, __file__]
    failing = subprocess.Popen([*command, "failing"])
    other = subprocess.Popen([*command, "other"])
    code = other.wait()
    print(f"the survivor ended with {code}")
    if failing.poll() is None:
        failing.kill()
    broker.disconnect()
    return code


if __name__ == "__main__":
    if len(sys.argv) > 1:
        federate(sys.argv[1])
    else:
        sys.exit(run())
