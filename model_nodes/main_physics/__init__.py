"""The main model: rigid-body physics of the scene, driven by recorded or live joint states."""
