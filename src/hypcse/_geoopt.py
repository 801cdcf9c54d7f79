"""What is used of geoopt, imported without the warnings that its import makes."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # Its functions are compiled as the module loads, with what torch now advises against.
    warnings.filterwarnings("ignore", "`torch.jit.script.*` is deprecated", DeprecationWarning)
    from geoopt import Lorentz, ManifoldParameter
    from geoopt.optim import RiemannianAdam

__all__ = ["Lorentz", "ManifoldParameter", "RiemannianAdam"]
