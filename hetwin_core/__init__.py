"""The base of hetwin: the ensemble, the shared code of its nodes, and the episodes that runs leave."""
