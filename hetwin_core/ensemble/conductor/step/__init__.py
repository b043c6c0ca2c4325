"""One step of the ensemble, from t to t': inputs, the main model, the barrier, effects, and the published state.

Read `ensemble_step`, which has the order of all, then `incoming` and `outputs`; `effects` carries out the requests
of triggers, models and users.
"""
