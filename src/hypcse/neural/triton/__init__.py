"""Hot loops for a GPU, compiled by Triton: tensors in, tensors out. No atomics, so that two runs give equal bits."""
