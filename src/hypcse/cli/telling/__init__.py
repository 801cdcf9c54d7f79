"""What the command says: its output, its lists, its last line and exit code."""
