"""Functional Mock-up Units: models that others made, with the tool of their choice, as models of the ensemble."""

from hetwin_fmu.model import Fmu as Fmu
