"""Functional Mock-up Units (FMUs), models exported from other tools, as models of the ensemble."""

from hetwin_fmu.model import Fmu as Fmu
