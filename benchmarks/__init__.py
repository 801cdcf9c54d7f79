"""Speed and memory of hypcse as ratios and growth: `python -m benchmarks`."""
