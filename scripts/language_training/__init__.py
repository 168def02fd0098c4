"""The parts of ``scripts/train_language.py``: questions with their meaning, models, fitting.

Used when weights are made only; nothing here is installed with the package.
"""
