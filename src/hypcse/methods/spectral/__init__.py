"""Methods based on the eigenvectors of a graph."""

from hypcse.methods.spectral.block_model import dp_cluster_hsbm
from hypcse.methods.spectral.wrsc import spec_wrsc

__all__ = ["dp_cluster_hsbm", "spec_wrsc"]
