"""Moving responsibilities: each handover in two phases, all of a run recorded and published."""
