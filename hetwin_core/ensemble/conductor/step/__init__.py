"""One step of the ensemble, from t to t': inputs, the main model, the barrier, effects, and the published state.

To be read in this order: `ensemble_step`, which has the order of all, `incoming` and `outputs`; `effects` has the
requests of triggers, models and users.
"""
