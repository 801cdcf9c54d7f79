"""What records come to: figures beside the paper's, verdicts, ranks."""
