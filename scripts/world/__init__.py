"""The parts of ``scripts/build_snapshot.py world``: Freebase, the World Factbook, classes, names.

Used at build time only; nothing here is installed with the package.
"""
