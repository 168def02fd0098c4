"""Build entry for setuptools; everything it needs is in setup.cfg."""

from setuptools import setup

setup()
