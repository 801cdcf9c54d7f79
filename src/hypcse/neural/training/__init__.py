"""Training: configuration, one epoch, evaluation, checkpoints, and the loop around them."""
