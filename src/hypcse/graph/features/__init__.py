"""The features that points are compared by: scaled, reduced, or made from a graph."""

from hypcse.graph.features.reduction import dense_features, learn_reduction, reduce_columns
from hypcse.graph.features.scales import Scaling, ShiftedScaling, WeightedScaling
from hypcse.graph.features.scaling import FEW_VALUES, KINDS, few_valued, fit_scaling, scale_features
from hypcse.graph.features.spectral import spectral_features

__all__ = [
    "FEW_VALUES",
    "KINDS",
    "Scaling",
    "ShiftedScaling",
    "WeightedScaling",
    "dense_features",
    "few_valued",
    "fit_scaling",
    "learn_reduction",
    "reduce_columns",
    "scale_features",
    "spectral_features",
]
