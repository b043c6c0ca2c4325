"""Records of runs and their readers: log, summary, episode, report."""
