"""The model that runs a network of state machines together with the twin."""

from hetwin_machines.machine_network.model import MachineNetwork as MachineNetwork
