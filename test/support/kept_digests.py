"""Digests of runs as they were recorded on one machine: a change in them is a change in what the twin computes or says.

Other processors, engines and libraries round differently, so a comparison skips on any other machine. After an intended
change replace the digests that the failed tests show.
"""

from __future__ import annotations

import platform
from pathlib import Path

import mujoco
import numpy as np
import pytest

RECORDED_ON = ("AMD EPYC, family 25", "x86_64", "3.11", "numpy 2.4.6", "mujoco 4.0.1")
DIGESTS = {
    "pick_and_place": "0f23bfd16916",
    "set_table": "c838f8dc2f0c",
    "set_table, knocked over": "39dc354ec292",
    "pouring": "e1701155c593",
    "truck_unloading": "3c42a0c53a0a",
    "truck_unloading, 8 s": "caa719f175e8",
    "home_lab": "a32cad46acd3",
}


def check_digest(run: str, digest: str) -> None:
    """Fail if the digest of the run named so differs from its record; skip on a machine that it was not recorded on."""
    if this_machine() != RECORDED_ON:
        pytest.skip(f"digests were recorded on {RECORDED_ON}; this is {this_machine()}")
    assert digest[:12] == DIGESTS[run]


def this_machine() -> tuple[str, ...]:
    """Processor, architecture, Python and the libraries that compute."""
    python = ".".join(platform.python_version_tuple()[:2])
    libraries = (f"numpy {np.__version__}", f"mujoco {mujoco.__version__}")
    return (_processor(), platform.machine(), python, *libraries)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    entries = {
        key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)
    }
    return f"{entries.get('model name')}, family {entries.get('cpu family')}"
