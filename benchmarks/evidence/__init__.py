"""Ours beside its peers on data with known answers: `python -m benchmarks all`."""
