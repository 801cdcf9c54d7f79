"""The parts of geoopt used here, imported without its import warnings, and also under `python -OO`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any


def _leave_docs(*words: Any, **more: Any) -> Callable[[Any], Any]:
    return lambda function: function


if sys.flags.optimize > 1:
    # geoopt builds docstrings from other docstrings as it loads, and -OO drops them all.
    _docutils: Any = ModuleType("geoopt.docutils")
    _docutils.insert_docs = _leave_docs
    sys.modules.setdefault("geoopt.docutils", _docutils)

with warnings.catch_warnings():
    # Its functions are compiled as the module loads, by a torch feature that is now deprecated.
    warnings.filterwarnings("ignore", "`torch.jit.script.*` is deprecated", DeprecationWarning)
    from geoopt import Lorentz, ManifoldParameter
    from geoopt.optim import RiemannianAdam

__all__ = ["Lorentz", "ManifoldParameter", "RiemannianAdam"]
