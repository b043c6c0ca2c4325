"""Functional Mock-up Units: models that others made, with the tool of their choice, as models of the ensemble."""

from model_nodes.fmu.model import Fmu as Fmu
