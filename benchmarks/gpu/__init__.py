"""What a GPU gives: values, gradients, determinism and timings, `python -m benchmarks gpu`."""
