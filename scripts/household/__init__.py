"""The parts of ``scripts/build_snapshot.py household`` and ``conceptnet-kitchen``.

Used at build time only; nothing here is installed with the package.
"""
