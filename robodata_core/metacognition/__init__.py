"""Watching a run's own strategy and advising it: the "wisdom" layer of the RoboData paper."""
