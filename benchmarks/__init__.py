"""Measured performance. Run one with ``python -m benchmarks.bench_NAME``; see README.md."""
