"""What the command prints: its output, its lists, its last line and exit code."""
