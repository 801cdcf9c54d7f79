"""Imports torch. This is the one place that says what to install if torch is missing."""

try:
    import torch as torch

    from hypcse._geoopt import RiemannianAdam as RiemannianAdam
except ModuleNotFoundError as error:
    raise ImportError(f'training needs torch and geoopt ({error}): pip install "hypcse[train]".') from None
except (ImportError, OSError) as error:
    # Installing it again would not help.
    raise ImportError(f"torch is installed but cannot be loaded ({error}). Is there a memory limit?") from None
