"""Implementation of `hetwin_suite.grasp`: a stable grasp in a MuJoCo world that is stepped by other code."""
