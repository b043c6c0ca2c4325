"""The trivial ensemble as FMUs in a hand-written loop: the lower bound, without log, checks or watchdog."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave
from pythonfmu.builder import FmuBuilder

from coupling_peers.arguments import read, tell


def main() -> None:
    """Build the FMU, run the loop and print."""
    given = read()
    with tempfile.TemporaryDirectory(prefix="hetwin_fmu_") as folder:
        file = FmuBuilder.build_FMU(Path(__file__).with_name("tank_slave.py"), dest=folder)
        description = fmpy.read_model_description(str(file))
        unzipped = fmpy.extract(str(file), unzipdir=f"{folder}/unzipped")
        at = {v.name: v.valueReference for v in description.modelVariables}
        slaves = [_slave(description, unzipped, i) for i in range(given.models)]
        for slave in slaves[1:]:
            slave.setReal([at["follows"]], [1.0])
        level, source = [at["level"]], [at["source"]]
        first, others = slaves[0], slaves[1:]
        begun = time.perf_counter()
        for step in range(given.steps):
            first.doStep(currentCommunicationPoint=float(step), communicationStepSize=1.0)
            told = first.getReal(level)
            for slave in others:
                slave.setReal(source, told)
                slave.doStep(currentCommunicationPoint=float(step), communicationStepSize=1.0)
                slave.getReal(level)
        seconds = time.perf_counter() - begun
        levels = [slave.getReal(level)[0] for slave in slaves[:2]]
        for slave in slaves:
            slave.terminate()
        tell(seconds, levels)


def _slave(
    description: fmpy.model_description.ModelDescription, folder: str, number: int
) -> FMU2Slave:
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName=f"tank{number}",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    return slave


if __name__ == "__main__":
    main()
