"""What is uncertain about a run that is over."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_suite.futures.drawing.find import find_uncertainty
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.explaining.asked_run import AskedRun


def uncertainty_of(run: AskedRun) -> Uncertainty:
    """Return what the scenario of a run says is uncertain, with the poses that the run was given.

    Args:
        run: which.

    Raises:
        BadInput: if the scenario says what does not fit it.
    """
    conductor = Conductor(
        run.scenario, local_ports(run.scenario, one_process=True), [], run.options
    )
    start = conductor.prepare()
    try:
        return find_uncertainty(run.scenario, start)
    finally:
        conductor.stop()
        conductor.run()
