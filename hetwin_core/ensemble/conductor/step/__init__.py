"""One step of the ensemble, from t to t': inputs, the main model, the barrier, effects, and the published state."""
