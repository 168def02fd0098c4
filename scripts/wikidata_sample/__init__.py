"""The parts of ``scripts/build_snapshot.py``: reading the data, naming things, describing them.

Used at build time only; nothing here is installed with the package.
"""
