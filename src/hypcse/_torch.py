"""Importing this module is the one place that says what to install where torch is not there."""

try:
    import torch as torch

    from hypcse._geoopt import RiemannianAdam as RiemannianAdam
except ImportError as error:
    raise ImportError(f'training needs torch and geoopt ({error}): pip install "hypcse[train]".') from None
