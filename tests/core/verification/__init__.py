"""Tests of triple verification."""
