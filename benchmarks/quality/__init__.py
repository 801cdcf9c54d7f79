"""How good trees and partitions are, on data sets and against the optimum: `python -m benchmarks quality`."""
