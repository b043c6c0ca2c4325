"""The states of what household objects are good for (Jiang et al., section III.E, Table II), each kept by a model."""
