"""Behind `hetwin_suite.grasp`: a grasp that holds, in a MuJoCo world that somebody else steps."""
