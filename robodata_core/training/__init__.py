"""Training the ranker of candidate programs from questions and their answers alone."""

from robodata_core.training.train import Report, train

__all__ = ["Report", "train"]
