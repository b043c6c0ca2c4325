"""The link between a layer that commands and two robots that obey: the real one and the virtual one."""
