"""A network of state machines beside the twin."""

from hetwin_machines.machine_network.model import MachineNetwork as MachineNetwork
