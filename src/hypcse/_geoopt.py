"""The parts of geoopt used here, imported without its warnings."""

import warnings

with warnings.catch_warnings():
    # Its functions are compiled as the module loads, by a torch feature that is now deprecated.
    warnings.filterwarnings("ignore", "`torch.jit.script.*` is deprecated", DeprecationWarning)
    from geoopt import Lorentz, ManifoldParameter
    from geoopt.optim import RiemannianAdam

__all__ = ["Lorentz", "ManifoldParameter", "RiemannianAdam"]
