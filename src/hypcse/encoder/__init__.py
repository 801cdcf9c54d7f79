"""Step 2: the Lorentz graph encoder f and the projector h."""

import hypcse._torch  # noqa: F401
from hypcse.encoder.aggregate import AttentionAggregation, mean_aggregation
from hypcse.encoder.encoder import Encoder, Projector
from hypcse.encoder.linear import LorentzLinear

__all__ = ["AttentionAggregation", "Encoder", "LorentzLinear", "Projector", "mean_aggregation"]
