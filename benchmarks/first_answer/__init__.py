"""What a user reads first, and how often it is right: `python -m benchmarks first-answer`."""
