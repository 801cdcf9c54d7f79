"""Ours beside what a user would pick instead: time, memory, noise and agreement, each in a process of its own."""
