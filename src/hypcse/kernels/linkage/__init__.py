"""Kernels that join clusters."""
