"""Benchmarks: what Remanent measures of itself. Never imported by the package."""
