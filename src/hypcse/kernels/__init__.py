"""Compiled loops: arrays in, arrays out. Each has a plain reference in the tests."""
