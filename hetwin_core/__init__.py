"""What all of hetwin stands on: the ensemble, what its nodes share on the wire, and the episodes that runs leave."""
