"""The link between a layer that sends commands and the two robots that execute them, a real and a virtual one."""
