"""A network of state machines beside the twin."""

from model_nodes.machine_network.model import MachineNetwork as MachineNetwork
