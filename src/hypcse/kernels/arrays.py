"""Types of the arrays that kernels take."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
ShortIds = NDArray[np.int32]
Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Floating = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]
